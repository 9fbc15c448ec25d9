//! Why a proof does not convince.

use std::fmt;

/// A check that failed: the reason, for programs, and what was found, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    reason: Reason,
    detail: String,
}

impl Refusal {
    pub(crate) fn new(reason: Reason, detail: impl Into<String>) -> Self {
        Self { reason, detail: detail.into() }
    }

    /// The reason, to branch on and to record.
    pub fn reason(&self) -> Reason {
        self.reason
    }

    /// What was found, as a clause in plain English. Names and dates in it come from the certificates.
    pub fn detail(&self) -> &str {
        &self.detail
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.detail, self.reason.code())
    }
}

macro_rules! reasons {
    ($($(#[doc = $doc:literal])+ $variant:ident = $code:literal,)+) => {
        /// The reasons for which a proof is refused, each with a stable [code](Self::code).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Reason {
            $($(#[doc = $doc])+ #[doc = concat!("\n\nCode: `", $code, "`.")] $variant,)+
        }

        impl Reason {
            /// The code under which a refusal is recorded. It never changes its meaning.
            pub fn code(self) -> &'static str {
                match self {
                    $(Self::$variant => $code,)+
                }
            }
        }
    };
}

reasons! {
    /// The proof was made in the lab, and this is not the lab.
    LabProof = "lab-proof",
    /// The proof was made outside the lab, and this is the lab.
    NotLabProof = "not-lab-proof",
    /// The address is at another host than the one named in the TLS handshake.
    HostDiffers = "host-differs",

    /// The server presented no certificate.
    ChainEmpty = "chain-empty",
    /// A certificate is not X.509 as RFC 5280 has it.
    CertificateMalformed = "certificate-malformed",
    /// The path recorded as verified is not made of the certificates presented, or does not verify as it
    /// stands.
    PathDiffers = "path-differs",
    /// No path leads to a root of the set.
    RootUnknown = "root-unknown",
    /// A certificate's signature is not by the key of its issuer.
    ChainSignature = "chain-signature",
    /// A certificate other than the root was no longer valid at the instant of the read.
    CertificateExpired = "certificate-expired",
    /// A certificate other than the root was not yet valid at the instant of the read.
    CertificateNotYetValid = "certificate-not-yet-valid",
    /// The server's certificate does not name the server.
    NameNotCovered = "name-not-covered",
    /// A certificate is not one for TLS servers.
    NotForServers = "not-for-servers",
    /// A certificate that may not issue others issued one.
    NotAnAuthority = "not-an-authority",
    /// The server's certificate is an authority's.
    LeafIsAuthority = "leaf-is-authority",
    /// An authority issued for a name that it is barred from.
    NameConstraint = "name-constraint",
    /// An authority issued deeper than it is allowed to.
    PathLength = "path-length",
    /// A certificate bears a critical extension that is not understood.
    CriticalExtension = "critical-extension",
    /// An authority's key may not be used to sign certificates.
    KeyUsage = "key-usage",
    /// The root was no longer valid at the instant of the read.
    RootExpired = "root-expired",
    /// The root was not yet valid at the instant of the read.
    RootNotYetValid = "root-not-yet-valid",
    /// A key is too short to be trusted.
    WeakKey = "weak-key",
    /// A certificate is signed with an algorithm that is not supported, such as SHA-1.
    UnsupportedAlgorithm = "unsupported-algorithm",
    /// The search for a path was given up, as the certificates presented make it too long.
    PathTooComplex = "path-too-complex",
    /// A certificate is explicitly distrusted.
    Distrusted = "distrusted",
    /// The chain is invalid in another way; the detail says which.
    ChainInvalid = "chain-invalid",

    /// The proof holds no evidence that the server held the key.
    EvidenceMissing = "evidence-missing",
    /// The evidence is not made of the handshake messages that it should be.
    EvidenceMalformed = "evidence-malformed",
    /// The evidence is of another connection than the one that the proof describes.
    EvidenceDiffers = "evidence-differs",
    /// The signature over the handshake is not by the key of the server's certificate.
    EvidenceSignature = "evidence-signature",

    /// The envelope's digest is another than the proof's.
    DigestDiffers = "digest-differs",
    /// The envelope's length is another than the proof's.
    LengthDiffers = "length-differs",

    /// The instant of the read lies after the receipt by the vault.
    ReadAfterReceipt = "read-after-receipt",
    /// The instant of the read lies further before the receipt than is allowed.
    ReadTooLongAgo = "read-too-long-ago",
}
