//! The `Link` header (RFC 8288), as far as it says what comes next.

/// The target of the first link of this page whose relation is `next`, as it stands. One with an `anchor` says what comes
/// after something else (section 3.2).
///
/// ```text
/// <https://www.example.org/list?page=2>; rel="next", <…>; rel="last"
/// ```
pub(crate) fn next(header: &str) -> Option<&str> {
    let mut rest = header;
    loop {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        let (target, after) = rest.strip_prefix('<')?.split_once('>')?;
        let (is_next, after) = parameters(after);
        if is_next {
            return Some(target.trim());
        }
        rest = after;
    }
}

/// Reads the parameters of one link: whether its relation is `next`, and what follows after it.
fn parameters(mut rest: &str) -> (bool, &str) {
    // Of several `rel` the first counts (section 3.3).
    let mut relation = None;
    let mut is_of_this_page = true;
    loop {
        rest = rest.trim_start();
        let Some(after) = rest.strip_prefix(';') else { break };
        let after = after.trim_start();
        let name_end = after.find(['=', ';', ',']).unwrap_or(after.len());
        let (name, after) = after.split_at(name_end);
        let (value, after) = match after.strip_prefix('=') {
            Some(after) => value(after.trim_start()),
            None => ("", after),
        };
        let name = name.trim_end();
        if name.eq_ignore_ascii_case("rel") && relation.is_none() {
            relation = Some(value);
        }
        // An empty one is a reference to the page itself.
        is_of_this_page &= !name.eq_ignore_ascii_case("anchor") || value.trim().is_empty();
        rest = after;
    }
    let is_next = relation.is_some_and(|value: &str| {
        value.split_ascii_whitespace().any(|relation| relation.eq_ignore_ascii_case("next"))
    });
    (is_next && is_of_this_page, rest)
}

/// A token or a quoted string without its quotes, and what follows.
fn value(text: &str) -> (&str, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        return text.split_at(text.find([';', ',']).unwrap_or(text.len()));
    };
    let mut is_escaped = false;
    let end = quoted.find(|c| {
        let is_end = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_end
    });
    match end {
        Some(end) => (&quoted[..end], &quoted[end + 1..]),
        None => (quoted, ""),
    }
}
