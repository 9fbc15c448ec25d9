use std::fmt;
use std::str::FromStr;

use serde_json::Value;

/// A JSON Pointer (RFC 6901): `/data/title`, `/items/0/id`.
///
/// ```
/// use releve_extract::Pointer;
///
/// let pointer: Pointer = "/data/0/a~1b".parse()?;
/// let document = serde_json::json!({"data": [{"a/b": "found"}]});
/// assert_eq!(pointer.get(&document).and_then(|value| value.as_str()), Some("found"));
/// assert!("data/title".parse::<Pointer>().is_err());
/// # Ok::<(), releve_extract::PointerError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pointer(Box<str>);

/// Why a text is no JSON Pointer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointerError {
    text: Box<str>,
    what: &'static str,
}

impl Pointer {
    /// The pointer as it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What the pointer leads to.
    pub fn get<'a>(&self, document: &'a Value) -> Option<&'a Value> {
        document.pointer(&self.0)
    }

    /// The pointer one level below, at this key.
    #[must_use]
    pub fn key(&self, key: &str) -> Self {
        Self(format!("{}/{}", self.0, key.replace('~', "~0").replace('/', "~1")).into())
    }

    /// The pointer one level below, at this index.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        Self(format!("{}/{index}", self.0).into())
    }

    /// The pointer that follows this one and then `rest`.
    #[must_use]
    pub fn then(&self, rest: &Self) -> Self {
        Self(format!("{}{}", self.0, rest.0).into())
    }
}

impl FromStr for Pointer {
    type Err = PointerError;

    fn from_str(text: &str) -> Result<Self, PointerError> {
        let error = |what| PointerError { text: text.into(), what };
        if !text.is_empty() && !text.starts_with('/') {
            return Err(error("it does not begin with `/`"));
        }
        // A tilde stands for nothing by itself: `~0` is a tilde, `~1` a slash.
        if text.split('~').skip(1).any(|after| !after.starts_with(['0', '1'])) {
            return Err(error("`~` is followed by neither 0 nor 1"));
        }
        Ok(Self(text.into()))
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for PointerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a JSON Pointer: {}", self.text, self.what)
    }
}

impl std::error::Error for PointerError {}
