//! The key that an address is looked up by in an index of WARC files.
//!
//! There is no standard for it but the tools of the field, which all do as the Internet Archive's: the host's
//! labels from the last to the first, the rest in lower case, parameters in their order.

use std::fmt::Write as _;

use releve_url_canon::HttpsUrl;

/// The key of an address, as the `surt` package makes it.
///
/// Deviation: identifiers of a session are not taken out. A canonical address has none, unless the publisher's
/// server needs it.
pub(super) fn search_key(address: &HttpsUrl) -> String {
    let mut host = address.host();
    if let Some((label, rest)) = host.split_once('.')
        && label.strip_prefix("www").is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
    {
        host = rest;
    }
    let labels: Vec<&str> = host.rsplit('.').collect();
    let mut key = labels.join(",");
    if address.port() != 443 {
        let _ = write!(key, ":{}", address.port());
    }
    key.push(')');
    let (path, query) = match address.path_and_query().split_once('?') {
        Some((path, query)) => (path, query),
        None => (address.path_and_query(), ""),
    };
    key.push_str(&path_key(path));
    if !query.is_empty() {
        key.push('?');
        key.push_str(&query_key(query));
    }
    key
}

fn path_key(path: &str) -> String {
    let path = unescape(path);
    let mut kept: Vec<&[u8]> = Vec::new();
    let mut segments = path.split(|byte| *byte == b'/').skip(1).peekable();
    while let Some(segment) = segments.next() {
        match segment {
            b"." => {}
            b".." => drop(kept.pop()),
            // Empty ones too, but for one at the end, which is taken off below.
            b"" if segments.peek().is_some() => {}
            segment => kept.push(segment),
        }
    }
    if kept.last().is_some_and(|last| last.is_empty()) {
        kept.pop();
    }
    escape(&[b"/", kept.join(&b'/').as_slice()].concat()).to_ascii_lowercase()
}

fn query_key(query: &str) -> String {
    let query = escape(&unescape(query)).to_ascii_lowercase();
    let mut parameters: Vec<(&str, Option<&str>)> = query
        .split('&')
        .map(|parameter| match parameter.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (parameter, None),
        })
        .collect();
    parameters.sort_unstable();
    let parameters: Vec<String> = parameters
        .into_iter()
        .map(|(name, value)| value.map_or_else(|| name.to_owned(), |value| format!("{name}={value}")))
        .collect();
    parameters.join("&")
}

/// Undoes percent-encoding until there is none left to undo.
fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    loop {
        let mut undone = Vec::with_capacity(bytes.len());
        let mut rest = bytes.as_slice();
        while let Some((&byte, behind)) = rest.split_first() {
            let digit = |at: usize| behind.get(at).and_then(|byte| char::from(*byte).to_digit(16));
            if let (b'%', Some(high), Some(low)) = (byte, digit(0), digit(1)) {
                undone.extend(u8::try_from(high * 16 + low));
                rest = behind.get(2..).unwrap_or_default();
            } else {
                undone.push(byte);
                rest = behind;
            }
        }
        if undone.len() == bytes.len() {
            return undone;
        }
        bytes = undone;
    }
}

/// Percent-encodes what is not a visible ASCII character, and `#` and `%`.
fn escape(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for &byte in bytes {
        if byte.is_ascii_graphic() && !matches!(byte, b'#' | b'%') {
            text.push(char::from(byte));
        } else {
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::search_key;

    /// What `surt` 0.3.1 gives for the same addresses.
    #[test]
    fn keys_are_those_of_the_field() {
        for (address, key) in [
            ("https://www.example.org/", "org,example)/"),
            ("https://www2.example.org/A/B", "org,example)/a/b"),
            ("https://news.www.example.org/a/", "org,example,www,news)/a"),
            ("https://cms.example.org:8443/a", "org,example,cms:8443)/a"),
            ("https://example.org/a?c=2&b=1&b&b=", "org,example)/a?b&b=&b=1&c=2"),
            ("https://example.org/a?", "org,example)/a"),
            ("https://example.org//a///b//", "org,example)/a/b"),
            ("https://example.org/Gr%C3%B6%C3%9Fe", "org,example)/gr%c3%b6%c3%9fe"),
            ("https://example.org/a%2520b%2Fc", "org,example)/a%20b/c"),
            ("https://example.org/100%", "org,example)/100%25"),
            ("https://www.org/%2F", "org)/"),
            ("https://wwwx.example.org/a%2F..%2Fb", "org,example,wwwx)/b"),
            ("https://example.org/a?&&b=%2B&a=%20x", "org,example)/a?&&a=%20x&b=+"),
            ("https://example.org/a?Q=%26x%3Dy", "org,example)/a?q=&x=y"),
        ] {
            assert_eq!(search_key(&address.parse().unwrap()), key, "{address}");
        }
    }
}
