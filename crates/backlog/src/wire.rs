//! How a walk's place is written: JSON, in which addresses that begin alike are written once, and fingerprints
//! in base64.

use releve_url_canon::HttpsUrl;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An address that is written as its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WireAddress(pub(crate) HttpsUrl);

impl Serialize for WireAddress {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.0.as_str())
    }
}

impl<'de> Deserialize<'de> for WireAddress {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?.parse().map(Self).map_err(D::Error::custom)
    }
}

/// Fingerprints, eight bytes each.
pub(crate) mod fingerprints {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD_NO_PAD;
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    use crate::fingerprint::Fingerprint;

    pub(crate) fn serialize<'a, S, I>(all: I, to: S) -> Result<S::Ok, S::Error>
    where
        S: Serializer,
        I: IntoIterator<Item = &'a Fingerprint>,
    {
        let bytes: Vec<u8> = all.into_iter().flat_map(|one| one.0.to_le_bytes()).collect();
        to.serialize_str(&STANDARD_NO_PAD.encode(bytes))
    }

    pub(crate) fn deserialize<'de, D, C>(from: D) -> Result<C, D::Error>
    where
        D: Deserializer<'de>,
        C: FromIterator<Fingerprint>,
    {
        let bytes = STANDARD_NO_PAD.decode(String::deserialize(from)?).map_err(D::Error::custom)?;
        let (all, []) = bytes.as_chunks::<8>() else {
            return Err(D::Error::custom("fingerprints have eight bytes each"));
        };
        Ok(all.iter().map(|one| Fingerprint(u64::from_le_bytes(*one))).collect())
    }
}

/// Files that are still to be read, each address written from where it differs from the one before.
pub(crate) mod pending {
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::frontier::{Marks, Pending};

    #[derive(Serialize, Deserialize)]
    struct Line(usize, String, Marks);

    pub(crate) fn serialize<S: Serializer>(all: &[Pending], to: S) -> Result<S::Ok, S::Error> {
        let mut before = "";
        to.collect_seq(all.iter().map(|pending| {
            let address = pending.address.as_str();
            let alike = address.char_indices().zip(before.chars());
            let same = alike.take_while(|((_, one), other)| one == other).last();
            let shared = same.map_or(0, |((at, one), _)| at + one.len_utf8());
            before = address;
            Line(shared, address[shared..].to_owned(), pending.marks)
        }))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Pending>, D::Error> {
        let mut before = String::new();
        let lines = Vec::<Line>::deserialize(from)?;
        let pending = lines.into_iter().map(|Line(shared, rest, marks)| {
            let head = before.get(..shared).ok_or_else(|| D::Error::custom("an address shares too much"))?;
            before = format!("{head}{rest}");
            let address = before.parse().map_err(D::Error::custom)?;
            Ok(Pending { address, marks })
        });
        pending.collect()
    }
}
