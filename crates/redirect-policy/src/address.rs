use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// An IP address that is public: one that a connection may be opened to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PublicIp(IpAddr);

impl PublicIp {
    /// The address to dial.
    pub fn get(self) -> IpAddr {
        self.0
    }
}

impl fmt::Display for PublicIp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Why no connection may be opened to what a name resolved to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotPublic {
    /// An address that is not public.
    Address {
        /// The address.
        ip: IpAddr,
        /// What it is set apart for, with the RFC that does so.
        block: &'static str,
    },
    /// The name has no address at all.
    NoAddress,
}

impl NotPublic {
    /// A stable word for records and `--json`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Address { .. } => "not-public-address",
            Self::NoAddress => "no-address",
        }
    }
}

impl fmt::Display for NotPublic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address { ip, block } => write!(f, "{ip} is not a public address: {block}"),
            Self::NoAddress => f.write_str("the name resolves to no address"),
        }
    }
}

impl std::error::Error for NotPublic {}

/// Judges everything a name resolved to: one address that is not public refuses the whole answer, because the
/// next look-up, or the next try, may pick that one.
///
/// ```
/// use releve_redirect_policy::judge_answer;
///
/// assert!(judge_answer(&["93.184.216.34".parse()?]).is_ok());
/// assert!(judge_answer(&["93.184.216.34".parse()?, "10.0.0.1".parse()?]).is_err());
/// assert!(judge_answer(&[]).is_err());
/// # Ok::<(), std::net::AddrParseError>(())
/// ```
pub fn judge_answer(answer: &[IpAddr]) -> Result<Vec<PublicIp>, NotPublic> {
    if answer.is_empty() {
        return Err(NotPublic::NoAddress);
    }
    answer.iter().map(|&ip| judge_ip(ip)).collect()
}

/// Judges one address, by the special-purpose registries of IANA (RFC 6890) and stricter.
///
/// An IPv4 address is public where no block that is not globally reachable holds it. An IPv6 address is
/// public inside `2000::/3` alone, and there outside the blocks set apart. Stricter than the registries: what
/// they list as reachable inside `192.0.0.0/24` and `2001::/23` is protocol machinery at which no web server
/// stands. Forms that carry an IPv4 address are refused whatever they carry, with the exception of
/// `64:ff9b::/96`, through which a host without IPv4 reaches everyone (RFC 6052): that one is judged by the
/// address it carries.
///
/// A scoped address (`fe80::1%eth0`) is link-local or refused for its block as well; the scope adds nothing.
pub fn judge_ip(ip: IpAddr) -> Result<PublicIp, NotPublic> {
    let block = match ip {
        IpAddr::V4(ip) => not_public_v4(ip),
        IpAddr::V6(ip) => not_public_v6(ip),
    };
    match block {
        None => Ok(PublicIp(ip)),
        Some(block) => Err(NotPublic::Address { ip, block }),
    }
}

fn not_public_v4(ip: Ipv4Addr) -> Option<&'static str> {
    let holds = |(block, length, _): &&(Ipv4Addr, u32, _)| {
        let differing = (ip.to_bits() ^ block.to_bits()).checked_shr(32 - length);
        differing.is_none_or(|bits| bits == 0)
    };
    V4.iter().find(holds).map(|&(_, _, what)| what)
}

fn not_public_v6(ip: Ipv6Addr) -> Option<&'static str> {
    if let [0x64, 0xff9b, 0, 0, 0, 0, high, low] = ip.segments() {
        let carried = Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low));
        return not_public_v4(carried);
    }
    let holds = |(block, length, _): &&(Ipv6Addr, u32, _)| {
        let differing = (ip.to_bits() ^ block.to_bits()).checked_shr(128 - length);
        differing.is_none_or(|bits| bits == 0)
    };
    if let Some(&(_, _, what)) = V6.iter().find(holds) {
        return Some(what);
    }
    let is_global_unicast = ip.to_bits() >> 125 == 0b001;
    (!is_global_unicast).then_some("outside the global unicast space 2000::/3 (RFC 4291)")
}

/// IANA's IPv4 special-purpose registry where it does not say globally reachable, and multicast.
const V4: &[(Ipv4Addr, u32, &str)] = &[
    (Ipv4Addr::UNSPECIFIED, 8, "this network (RFC 791)"),
    (Ipv4Addr::new(10, 0, 0, 0), 8, "private use (RFC 1918)"),
    (Ipv4Addr::new(100, 64, 0, 0), 10, "shared by carriers (RFC 6598)"),
    (Ipv4Addr::new(127, 0, 0, 0), 8, "loopback (RFC 1122)"),
    (Ipv4Addr::new(169, 254, 0, 0), 16, "link-local (RFC 3927)"),
    (Ipv4Addr::new(172, 16, 0, 0), 12, "private use (RFC 1918)"),
    (Ipv4Addr::new(192, 0, 0, 0), 24, "protocol assignments (RFC 6890)"),
    (Ipv4Addr::new(192, 0, 2, 0), 24, "documentation (RFC 5737)"),
    (Ipv4Addr::new(192, 88, 99, 0), 24, "6to4 relays, deprecated (RFC 7526)"),
    (Ipv4Addr::new(192, 168, 0, 0), 16, "private use (RFC 1918)"),
    (Ipv4Addr::new(198, 18, 0, 0), 15, "benchmarking (RFC 2544)"),
    (Ipv4Addr::new(198, 51, 100, 0), 24, "documentation (RFC 5737)"),
    (Ipv4Addr::new(203, 0, 113, 0), 24, "documentation (RFC 5737)"),
    (Ipv4Addr::new(224, 0, 0, 0), 4, "multicast (RFC 5771)"),
    (Ipv4Addr::new(240, 0, 0, 0), 4, "reserved (RFC 1112)"),
];

/// IANA's IPv6 special-purpose registry likewise; blocks inside `2000::/3` are what counts, the others are
/// here for the sake of the reason given.
const V6: &[(Ipv6Addr, u32, &str)] = &[
    (Ipv6Addr::UNSPECIFIED, 128, "unspecified (RFC 4291)"),
    (Ipv6Addr::LOCALHOST, 128, "loopback (RFC 4291)"),
    (Ipv6Addr::UNSPECIFIED, 96, "IPv4-compatible, deprecated (RFC 4291)"),
    (Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, 0, 0), 96, "IPv4-mapped (RFC 4291)"),
    (Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, 0, 0), 48, "local translation to IPv4 (RFC 8215)"),
    (Ipv6Addr::new(0x100, 0, 0, 0, 0, 0, 0, 0), 64, "discard-only (RFC 6666)"),
    (Ipv6Addr::new(0x100, 0, 0, 1, 0, 0, 0, 0), 64, "dummy prefix (RFC 9780)"),
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23, "protocol assignments, Teredo among them (RFC 2928)"),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32, "documentation (RFC 3849)"),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16, "6to4 (RFC 3056)"),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20, "documentation (RFC 9637)"),
    (Ipv6Addr::new(0x5f00, 0, 0, 0, 0, 0, 0, 0), 16, "segment routing (RFC 9602)"),
    (Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0), 7, "unique local (RFC 4193)"),
    (Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10, "link-local (RFC 4291)"),
    (Ipv6Addr::new(0xfec0, 0, 0, 0, 0, 0, 0, 0), 10, "site-local, deprecated (RFC 3879)"),
    (Ipv6Addr::new(0xff00, 0, 0, 0, 0, 0, 0, 0), 8, "multicast (RFC 4291)"),
];
