//! What goes over the wire as JSON, in both directions, so that what one end writes the other end reads.

use http::StatusCode;
use jiff::Timestamp;
use releve_deposit::{ArticleKey, DepositError, MalformedUnit, Receipt, UNIT_BYTES_MAX, VaultError, Version};
use releve_proof::Sha256;
use serde_json::{Value, json};

/// The root of every path. Another version of the protocol has another one.
pub(crate) const ROOT: &str = "/v1/";

/// How many versions a page of the list has, at most: one holds an address and an identifier of up to 8 KiB each.
pub(crate) const PAGE_COUNT_MAX: usize = 100;

/// What a vault says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The vault's id, under which a depositor keeps its receipts.
    pub vault: String,
    /// Whether it is a laboratory's vault, which takes laboratory proofs and no others.
    pub is_lab: bool,
    /// The last seal's sequence; 0 if nothing was sealed yet.
    pub sequence: u64,
    /// The last seal's digest.
    pub seal: Option<Sha256>,
}

impl Head {
    pub(crate) fn to_json(&self) -> Value {
        json!({
            "vault": self.vault,
            "lab": self.is_lab,
            "sequence": self.sequence,
            "seal": self.seal.map(|seal| seal.to_string()),
        })
    }

    pub(crate) fn from_json(json: &Value) -> Option<Self> {
        Some(Self {
            vault: text(json, "vault")?.to_owned(),
            is_lab: json.get("lab")?.as_bool()?,
            sequence: json.get("sequence")?.as_u64()?,
            seal: digest_or_null(json, "seal").ok()?,
        })
    }
}

pub(crate) fn key_to_json(key: &ArticleKey) -> Value {
    json!({ "source": key.source(), "identifier": key.identifier() })
}

pub(crate) fn key_from_json(json: &Value) -> Option<ArticleKey> {
    ArticleKey::new(text(json, "source")?, text(json, "identifier")?).ok()
}

pub(crate) fn version_to_json(version: &Version) -> Value {
    json!({
        "source": version.key.source(),
        "identifier": version.key.identifier(),
        "number": version.number,
        "previous": version.previous.map(|previous| previous.to_string()),
        "content": version.content.to_string(),
        "address": version.address,
        "read_at": version.read_at.to_string(),
        "bytes": version.bytes,
        "receipt": version.receipt.to_json(),
    })
}

pub(crate) fn version_from_json(json: &Value) -> Option<Version> {
    Some(Version {
        key: key_from_json(json)?,
        number: json.get("number")?.as_u64()?.try_into().ok()?,
        previous: digest_or_null(json, "previous").ok()?,
        content: text(json, "content")?.parse().ok()?,
        address: text(json, "address")?.to_owned(),
        read_at: text(json, "read_at")?.parse().ok()?,
        bytes: json.get("bytes")?.as_u64()?,
        receipt: Receipt::from_json(json.get("receipt")?)?,
    })
}

/// The elements of the array `name`, each read by `read`.
pub(crate) fn each<T>(json: &Value, name: &str, read: impl Fn(&Value) -> Option<T>) -> Option<Vec<T>> {
    json.get(name)?.as_array()?.iter().map(read).collect()
}

/// A refusal as it is answered: `code` for programs, `reason` for people, and what the depositor's error is made of.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    pub(crate) body: Value,
}

impl Refusal {
    /// One that is about the request, not about what it asks for.
    pub(crate) fn new(status: StatusCode, code: &str, reason: &str) -> Self {
        Self { status, body: json!({ "code": code, "reason": reason }) }
    }

    pub(crate) fn code(&self) -> &str {
        text(&self.body, "code").unwrap_or_default()
    }

    fn with<const N: usize>(mut self, members: [(&str, Value); N]) -> Self {
        if let Some(body) = self.body.as_object_mut() {
            body.extend(members.map(|(name, value)| (name.to_owned(), value)));
        }
        self
    }
}

/// How a refused deposit is answered.
pub(crate) fn of_deposit(error: &DepositError) -> Refusal {
    let refusal = |status, reason: &str| Refusal::new(status, error.code(), reason);
    let whole = error.to_string();
    let forbidden = || refusal(StatusCode::FORBIDDEN, &whole);
    match error {
        DepositError::CheckFailed { reason, .. } => refusal(StatusCode::UNPROCESSABLE_ENTITY, reason),
        DepositError::Malformed(malformed @ MalformedUnit::TooLarge { .. }) => {
            refusal(StatusCode::PAYLOAD_TOO_LARGE, &malformed.to_string())
        }
        DepositError::Malformed(malformed) => {
            refusal(StatusCode::UNPROCESSABLE_ENTITY, &malformed.to_string())
        }
        DepositError::SourceInactive { name } => forbidden().with([("source", json!(name))]),
        DepositError::KeyRevoked { name } => forbidden().with([("key", json!(name))]),
        DepositError::KeyUnknown => refusal(StatusCode::UNAUTHORIZED, &whole),
        DepositError::SourceNotPermitted { key, name } => {
            forbidden().with([("key", json!(key)), ("source", json!(name))])
        }
        DepositError::HostNotPermitted { key, host } => {
            forbidden().with([("key", json!(key)), ("host", json!(host))])
        }
        DepositError::LabMismatch { unit_is_lab } => {
            refusal(StatusCode::UNPROCESSABLE_ENTITY, &whole).with([("unit_is_lab", json!(unit_is_lab))])
        }
        DepositError::Superseded { named, last } => {
            let digest = |digest: &Option<Sha256>| json!(digest.map(|digest| digest.to_string()));
            refusal(StatusCode::CONFLICT, &whole).with([("named", digest(named)), ("last", digest(last))])
        }
        DepositError::Vault(error) => of_vault(error),
        // What a later release of the port refuses, this protocol cannot tell apart.
        _ => refusal(StatusCode::UNPROCESSABLE_ENTITY, &whole),
    }
}

/// How a failure of the vault, or a refused look-up, is answered. What failed within is told to nobody but the operator.
pub(crate) fn of_vault(error: &VaultError) -> Refusal {
    let refusal = |status, reason: &str| Refusal::new(status, error.code(), reason);
    match error {
        VaultError::Withdrawn { article, at, reason } => refusal(StatusCode::GONE, reason).with([
            ("source", json!(article.source())),
            ("identifier", json!(article.identifier())),
            ("at", json!(at.to_string())),
        ]),
        VaultError::KeyRefused { code: "key-unknown", why } => refusal(StatusCode::UNAUTHORIZED, why),
        VaultError::KeyRefused { why, .. } => refusal(StatusCode::FORBIDDEN, why),
        VaultError::DiskFull { .. } => {
            refusal(StatusCode::INSUFFICIENT_STORAGE, "no space is left on the vault's disk")
        }
        _ => refusal(StatusCode::INTERNAL_SERVER_ERROR, "the vault failed; its operator's log says how"),
    }
}

/// What a refused deposit was refused for. `None` where the answer is not one that a vault gives.
pub(crate) fn deposit_error(refusal: &Refusal) -> Option<DepositError> {
    let Refusal { status, body } = refusal;
    let (code, reason) = (text(body, "code")?, text(body, "reason")?.to_owned());
    let owned = |name| text(body, name).map(ToOwned::to_owned);
    Some(match (*status, code) {
        (StatusCode::FORBIDDEN, "source-inactive") => DepositError::SourceInactive { name: owned("source")? },
        (StatusCode::FORBIDDEN, "key-revoked") => DepositError::KeyRevoked { name: owned("key")? },
        (StatusCode::UNAUTHORIZED, "key-unknown") => DepositError::KeyUnknown,
        (StatusCode::FORBIDDEN, "source-not-permitted") => {
            DepositError::SourceNotPermitted { key: owned("key")?, name: owned("source")? }
        }
        (StatusCode::FORBIDDEN, "host-not-permitted") => {
            DepositError::HostNotPermitted { key: owned("key")?, host: owned("host")? }
        }
        (StatusCode::UNPROCESSABLE_ENTITY, "lab-mismatch") => {
            DepositError::LabMismatch { unit_is_lab: body.get("unit_is_lab")?.as_bool()? }
        }
        (StatusCode::CONFLICT, "version-superseded") => DepositError::Superseded {
            named: digest_or_null(body, "named").ok()?,
            last: digest_or_null(body, "last").ok()?,
        },
        (StatusCode::PAYLOAD_TOO_LARGE, _) => {
            MalformedUnit::TooLarge { part: "unit", bytes_max: UNIT_BYTES_MAX }.into()
        }
        (StatusCode::UNPROCESSABLE_ENTITY, code) => {
            DepositError::CheckFailed { code: code.to_owned(), reason }
        }
        _ => return None,
    })
}

/// What a refused look-up was refused for; `action` and `vault` are for the message. `None` as above.
pub(crate) fn vault_error(refusal: &Refusal, vault: &str) -> Option<VaultError> {
    let Refusal { status, body } = refusal;
    let (code, reason) = (text(body, "code")?, text(body, "reason")?.to_owned());
    Some(match (*status, code) {
        (StatusCode::GONE, _) => VaultError::Withdrawn {
            article: key_from_json(body)?,
            at: text(body, "at")?.parse::<Timestamp>().ok()?,
            reason,
        },
        (StatusCode::FORBIDDEN | StatusCode::UNAUTHORIZED, code) => VaultError::KeyRefused {
            code: match code {
                "key-revoked" => "key-revoked",
                "source-not-permitted" => "source-not-permitted",
                _ => "key-unknown",
            },
            why: reason,
        },
        (StatusCode::INSUFFICIENT_STORAGE, _) => VaultError::DiskFull {
            path: vault.into(),
            source: std::io::Error::new(std::io::ErrorKind::StorageFull, reason),
        },
        _ => return None,
    })
}

fn text<'a>(json: &'a Value, name: &str) -> Option<&'a str> {
    json.get(name)?.as_str()
}

/// A digest, or `null` where there is none; an error if it is neither.
fn digest_or_null(json: &Value, name: &str) -> Result<Option<Sha256>, ()> {
    match json.get(name) {
        Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => text.parse().map(Some).map_err(drop),
        _ => Err(()),
    }
}
