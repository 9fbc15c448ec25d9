//! What a request is for.

use http::{Method, StatusCode, Uri};
use jiff::Timestamp;
use releve_deposit::{ArticleKey, Since};
use releve_proof::Sha256;
use url::form_urlencoded;

use crate::wire::{PAGE_COUNT_MAX, ROOT, Refusal};

/// What can be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Route {
    /// `PUT /v1/deposits/{digest}`
    Deposit(Sha256),
    /// `GET /v1/deposits/{digest}`
    Read(Sha256),
    /// `GET /v1/deposits?after=…&received_from=…&source=…&count=…`
    List { from: Since, count: usize },
    /// `GET /v1/versions?source=…&identifier=…`
    Versions(ArticleKey),
    /// `GET /v1/versions/last?source=…&identifier=…`
    LastVersion(ArticleKey),
    /// `GET /v1/articles?identifier=…` or `?address=…`
    Articles(Query),
    /// `GET /v1/takes?source=…`
    Takes(String),
    /// `GET /v1/vault`
    Head,
}

/// Which articles are looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Query {
    Identifier(String),
    Address(String),
}

impl Route {
    /// What is asked by this method at this address.
    pub(crate) fn of(method: &Method, uri: &Uri) -> Result<Self, Refusal> {
        let unknown = || Refusal::new(StatusCode::NOT_FOUND, "path-unknown", "a vault has nothing there");
        let rest = uri.path().strip_prefix(ROOT).ok_or_else(unknown)?;
        let segments: Vec<&str> = rest.split('/').collect();
        let resource = match *segments.as_slice() {
            ["deposits", digest] => Resource::Unit(digest),
            ["deposits"] => Resource::List,
            ["versions"] => Resource::Versions,
            ["versions", "last"] => Resource::LastVersion,
            ["articles"] => Resource::Articles,
            ["takes"] => Resource::Takes,
            ["vault"] => Resource::Vault,
            _ => return Err(unknown()),
        };
        let is_put = method == Method::PUT && matches!(resource, Resource::Unit(_));
        if !is_put && method != Method::GET {
            let reason = format!("it can be asked for with {} alone", Self::allowed(uri.path()));
            return Err(Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "method-not-allowed", &reason));
        }
        let mut query = Parameters::of(uri.query().unwrap_or_default());
        let route = match resource {
            Resource::Unit(digest) => {
                let digest = digest.parse().map_err(|_| malformed("the path does not end with a digest"))?;
                if is_put { Self::Deposit(digest) } else { Self::Read(digest) }
            }
            Resource::List => {
                let from = Since {
                    sequence: query.parsed("after")?.unwrap_or_default(),
                    received_at: query.parsed::<Timestamp>("received_from")?,
                    source: query.take("source"),
                };
                Self::List { from, count: query.parsed("count")?.unwrap_or(PAGE_COUNT_MAX) }
            }
            Resource::Versions => Self::Versions(query.article()?),
            Resource::LastVersion => Self::LastVersion(query.article()?),
            Resource::Articles => Self::Articles(match (query.take("identifier"), query.take("address")) {
                (Some(identifier), None) => Query::Identifier(identifier),
                (None, Some(address)) => Query::Address(address),
                _ => return Err(malformed("either `identifier` or `address` has to be given")),
            }),
            Resource::Takes => {
                Self::Takes(query.take("source").ok_or_else(|| malformed("`source` has to be given"))?)
            }
            Resource::Vault => Self::Head,
        };
        query.finish()?;
        Ok(route)
    }

    /// The path, as it may be written down.
    pub(crate) fn path(&self) -> String {
        match self {
            Self::Deposit(digest) | Self::Read(digest) => format!("{ROOT}deposits/{digest}"),
            Self::List { .. } => format!("{ROOT}deposits"),
            Self::Versions(_) => format!("{ROOT}versions"),
            Self::LastVersion(_) => format!("{ROOT}versions/last"),
            Self::Articles(_) => format!("{ROOT}articles"),
            Self::Takes(_) => format!("{ROOT}takes"),
            Self::Head => format!("{ROOT}vault"),
        }
    }

    /// The methods that are allowed at a path that a vault has.
    pub(crate) fn allowed(path: &str) -> &'static str {
        if path.starts_with("/v1/deposits/") { "GET, PUT" } else { "GET" }
    }
}

enum Resource<'a> {
    Unit(&'a str),
    List,
    Versions,
    LastVersion,
    Articles,
    Takes,
    Vault,
}

fn malformed(reason: &str) -> Refusal {
    Refusal::new(StatusCode::BAD_REQUEST, "request-malformed", reason)
}

/// A query's parameters, each of which is used once.
struct Parameters(Vec<(String, String)>);

impl Parameters {
    fn of(query: &str) -> Self {
        Self(form_urlencoded::parse(query.as_bytes()).into_owned().collect())
    }

    fn take(&mut self, name: &str) -> Option<String> {
        let at = self.0.iter().position(|(given, _)| given == name)?;
        Some(self.0.swap_remove(at).1)
    }

    fn parsed<T: std::str::FromStr>(&mut self, name: &str) -> Result<Option<T>, Refusal> {
        let wrong = |_| malformed(&format!("the parameter `{name}` cannot be read"));
        self.take(name).map(|value| value.parse().map_err(wrong)).transpose()
    }

    fn article(&mut self) -> Result<ArticleKey, Refusal> {
        let (Some(source), Some(identifier)) = (self.take("source"), self.take("identifier")) else {
            return Err(malformed("`source` and `identifier` have to be given"));
        };
        ArticleKey::new(source, identifier).map_err(|error| malformed(&error.to_string()))
    }

    /// Refuses what is unknown or given twice: it was meant to say something.
    fn finish(self) -> Result<(), Refusal> {
        if self.0.is_empty() { Ok(()) } else { Err(malformed("a parameter is unknown here, or given twice")) }
    }
}
