use std::fmt;

/// Why an address is not one that we would ever request.
///
/// The text never repeats the address: it may have come from a feed, of which nothing but
/// references is kept, or bear a password.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// The WHATWG URL standard finds no address here; `why` is the parser's own word.
    Invalid {
        /// What the parser said.
        why: String,
    },
    /// Another scheme than `https`. An `http` address is not upgraded: the other address may be another page.
    NotHttps,
    /// A user name or a password stands before the host.
    Userinfo,
    /// The host is an IP address, as it was written or as an old spelling such as `0x7f.1` of one.
    IpAddress {
        /// The address as the URL standard writes it, without fragment, to show what was meant.
        /// It is never requested.
        address: String,
    },
    /// The host is no name that the DNS can hold: an empty label, or one over 63 bytes, or over 253 in all.
    HostName,
    /// Longer than [`ADDRESS_BYTES_MAX`](crate::ADDRESS_BYTES_MAX).
    TooLong,
}

impl Refusal {
    /// A stable word for records and `--json`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Invalid { .. } => "address-invalid",
            Self::NotHttps => "address-not-https",
            Self::Userinfo => "address-userinfo",
            Self::IpAddress { .. } => "address-ip-literal",
            Self::HostName => "address-host-name",
            Self::TooLong => "address-too-long",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid { why } => write!(f, "this is no address: {why}"),
            Self::NotHttps => f.write_str("only https addresses are read; this one has another scheme"),
            Self::Userinfo => f.write_str("the address carries a user name or a password before its host"),
            Self::IpAddress { .. } => f.write_str("the host is an IP address; only domain names are read"),
            Self::HostName => f.write_str("the host is no domain name: a label is empty or too long"),
            Self::TooLong => write!(f, "the address is longer than {} bytes", crate::ADDRESS_BYTES_MAX),
        }
    }
}

impl std::error::Error for Refusal {}
