use releve_url_canon::HttpsUrl;
use serde::{Deserialize, Serialize};

use crate::Backlog;

/// What a text is known by without keeping it: FNV-1a in 64 bits, which is the same in every build.
///
/// Among the 100,000 files that a walk may ask for, two that are taken for the same have a chance of 1 in
/// 3,000,000,000.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct Fingerprint(pub(crate) u64);

impl Fingerprint {
    pub(crate) fn of(text: &str) -> Self {
        Self(0xcbf2_9ce4_8422_2325).and(text)
    }

    /// Goes on with another text, told apart from the one before.
    pub(crate) fn and(self, text: &str) -> Self {
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Self(step(text.bytes().fold(self.0, step), 0xff))
    }

    pub(crate) fn of_file(address: &HttpsUrl) -> Self {
        Self::of(address.as_str())
    }

    /// Of a list as it is configured, but for its floor.
    pub(crate) fn of_list(backlog: &Backlog) -> Self {
        Self::of(&format!("{:?}", (&backlog.entrance, &backlog.necessary_parameters)))
    }

    /// Of all that a backlog's configuration says.
    pub(crate) fn of_backlog(backlog: &Backlog) -> Self {
        Self::of(&format!("{backlog:?}"))
    }
}
