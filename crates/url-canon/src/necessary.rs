use std::collections::BTreeSet;

use crate::HttpsUrl;
use crate::canonical::pairs;

/// The parameters that stay: what a source declares necessary, nothing else.
///
/// ```
/// use releve_url_canon::{HttpsUrl, NecessaryParameters, canonicalise};
///
/// // The next page of a list keeps the parameters that the list's own address has.
/// let list: HttpsUrl = "https://www.example.org/api/articles?page=1".parse()?;
/// let keep = NecessaryParameters::none().with_names_of(&list);
/// let next = canonicalise("?page=2&token=x", Some(&list), &keep)?;
/// assert_eq!(next.url.as_str(), "https://www.example.org/api/articles?page=2");
/// # Ok::<(), releve_url_canon::Refusal>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NecessaryParameters {
    names: BTreeSet<String>,
    /// Name and value, `None` for one without `=`; the value in its canonical spelling.
    pairs: BTreeSet<(String, Option<String>)>,
}

impl NecessaryParameters {
    /// No parameter is necessary: the whole query goes.
    pub fn none() -> Self {
        Self::default()
    }

    /// Parameters with these names are necessary, whatever their value. Names are compared after decoding,
    /// byte for byte: `ID` is not `id`. An empty name declares nothing.
    pub fn new<I>(names: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        let names = names.into_iter().map(Into::into).filter(|name: &String| !name.is_empty());
        Self { names: names.collect(), pairs: BTreeSet::new() }
    }

    /// Keeps also every parameter whose name stands in `address`, whatever its value: for addresses met
    /// inside a list.
    #[must_use]
    pub fn with_names_of(mut self, address: &HttpsUrl) -> Self {
        let names = pairs(address).filter_map(|pair| pair.name);
        self.names.extend(names.filter(|name| !name.is_empty()));
        self
    }

    /// Keeps also every parameter that stands in `address` with the same value: for redirects, whose
    /// target may repeat what was asked and add nothing (R30).
    #[must_use]
    pub fn with_pairs_of(mut self, address: &HttpsUrl) -> Self {
        self.pairs.extend(pairs(address).filter_map(|pair| Some((pair.name?, pair.value))));
        self
    }

    /// Whether a parameter of this name is necessary whatever its value.
    pub fn has_name(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    pub(crate) fn has(&self, name: &str, value: Option<&str>) -> bool {
        self.has_name(name) || self.pairs.contains(&(name.to_owned(), value.map(str::to_owned)))
    }
}
