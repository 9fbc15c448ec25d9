use std::fmt;

use crate::escapes::{form_decode, form_encode, normalise};
use crate::{HttpsUrl, NecessaryParameters, Refusal};

/// An address from which everything was taken that is not declared necessary.
///
/// It is what is requested, deposited and compared; two spellings of one address are equal here.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CanonicalUrl(HttpsUrl);

impl CanonicalUrl {
    /// The address, to request it.
    pub fn as_https(&self) -> &HttpsUrl {
        &self.0
    }

    /// The address, by value.
    pub fn into_https(self) -> HttpsUrl {
        self.0
    }

    /// The whole address.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl fmt::Display for CanonicalUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl AsRef<str> for CanonicalUrl {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

/// What an address became, and what was taken off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canonical {
    /// What is left.
    pub url: CanonicalUrl,
    /// What was taken off: the fragment, then the path from left to right, then the query.
    pub removed: Vec<Removed>,
}

/// One thing that was taken off an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Removed {
    /// A pair of the query.
    Parameter {
        /// Its name, decoded; where it is no UTF-8, as it was written.
        name: String,
        /// The whole pair as it was written.
        text: String,
    },
    /// A session identifier in the path: `;jsessionid=…` or a segment `(S(…))`, as it was written.
    PathParameter {
        /// As it was written, with the `;` where it had one.
        text: String,
    },
    /// The fragment, which is never sent anyway.
    Fragment {
        /// As it was written, without its `#`.
        text: String,
    },
}

impl fmt::Display for Removed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parameter { text, .. } => write!(f, "parameter {text}"),
            Self::PathParameter { text } => write!(f, "path parameter {text}"),
            Self::Fragment { text } => write!(f, "fragment #{text}"),
        }
    }
}

/// Makes of an address what is requested, deposited and compared, by the rule at the top of this crate.
///
/// `base` is what a relative address is resolved against: the feed or page it was found in. `keep` names the
/// parameters that stay.
pub fn canonicalise(
    address: &str,
    base: Option<&HttpsUrl>,
    keep: &NecessaryParameters,
) -> Result<Canonical, Refusal> {
    let (mut url, fragment) = HttpsUrl::parse(address, base)?;
    let mut removed = Vec::new();
    removed.extend(fragment.map(|text| Removed::Fragment { text }));

    // Taking a session identifier off can leave a dot segment (`/a/..;jsessionid=1/b`), which only
    // the parser resolves; that in turn can join what a new look must see. Each turn shortens the path.
    loop {
        let path = clean_path(url.path(), keep, &mut removed);
        if path == url.path() {
            break;
        }
        let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
        url = format!("https://{}{path}{query}", url.authority()).parse()?;
    }

    let query = clean_query(&url, keep, &mut removed);
    let url = format!("https://{}{}{query}", url.authority(), url.path()).parse()?;
    Ok(Canonical { url: CanonicalUrl(url), removed })
}

/// The path in canonical spelling without session identifiers.
fn clean_path(path: &str, keep: &NecessaryParameters, removed: &mut Vec<Removed>) -> String {
    let path = normalise(path);
    let mut segments = Vec::new();
    // The path begins with a slash: what stands before it is no segment.
    for segment in path.split('/').skip(1) {
        if is_aspnet_session(segment) {
            removed.push(Removed::PathParameter { text: segment.to_owned() });
            continue;
        }
        let mut parts = segment.split(';');
        let mut kept = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let name = part.split_once('=').map_or(part, |(name, _)| name);
            if is_session_name(name) && !keep.has_name(name) {
                removed.push(Removed::PathParameter { text: format!(";{part}") });
            } else {
                kept.push(';');
                kept.push_str(part);
            }
        }
        segments.push(kept);
    }
    format!("/{}", segments.join("/"))
}

/// The query in canonical spelling with its `?`, or nothing.
fn clean_query(url: &HttpsUrl, keep: &NecessaryParameters, removed: &mut Vec<Removed>) -> String {
    let mut query = String::new();
    for pair in pairs(url) {
        let kept = pair.name.as_deref().filter(|name| keep.has(name, pair.value.as_deref()));
        let Some(name) = kept else {
            let name = pair.name.unwrap_or_else(|| pair.text.to_owned());
            removed.push(Removed::Parameter { name, text: pair.text.to_owned() });
            continue;
        };
        query.push(if query.is_empty() { '?' } else { '&' });
        query.push_str(&form_encode(name));
        if let Some(value) = pair.value {
            query.push('=');
            query.push_str(&value);
        }
    }
    query
}

/// One pair of a query.
pub(crate) struct Pair<'a> {
    /// As it stands.
    text: &'a str,
    /// The name as a form decodes it; `None` where that is no UTF-8.
    pub(crate) name: Option<String>,
    /// The value in canonical spelling; `None` without `=`.
    pub(crate) value: Option<String>,
}

/// The pairs of a query, split at `&`; empty ones are none.
pub(crate) fn pairs(url: &HttpsUrl) -> impl Iterator<Item = Pair<'_>> {
    let query = url.query().unwrap_or_default();
    query.split('&').filter(|text| !text.is_empty()).map(|text| {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(normalise(value))),
            None => (text, None),
        };
        Pair { text, name: form_decode(name), value }
    })
}

/// `(S(…))`, `(A(…)S(…))` and so on: the state that ASP.NET writes into the path where it may set no cookie.
fn is_aspnet_session(segment: &str) -> bool {
    let inner = segment.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let Some(mut rest) = inner.filter(|inner| !inner.is_empty()) else {
        return false;
    };
    while !rest.is_empty() {
        let Some(after) = rest
            .strip_prefix(['A', 'F', 'S', 'X', 'a', 'f', 's', 'x'])
            .and_then(|rest| rest.strip_prefix('('))
            .and_then(|rest| rest.split_once(')'))
            .map(|(_, after)| after)
        else {
            return false;
        };
        rest = after;
    }
    true
}

/// Names under which servers write a session into the path: Java's, PHP's, ColdFusion's, classic ASP's and
/// the generic ones. Other matrix parameters may pick the article.
fn is_session_name(name: &str) -> bool {
    const NAMES: [&str; 8] =
        ["jsessionid", "phpsessid", "sessionid", "session_id", "sessid", "sid", "cfid", "cftoken"];
    let name = name.to_ascii_lowercase();
    NAMES.contains(&name.as_str()) || name.starts_with("aspsessionid")
}
