//! A second reading of RFC 9309, slow and plain: nothing is compiled, every rule is tried, every match is
//! looked for at every position. It shares no code with the crate, so that a mistake would have to be made
//! twice.
#![allow(dead_code, reason = "not every test target needs all of it")]

/// A file taken apart into lines: number, key and value of each that has them.
pub(crate) struct Reading(Vec<(u32, String, Vec<u8>)>);

impl Reading {
    pub(crate) fn of(file: &[u8]) -> Self {
        Self(lines(file))
    }

    /// Whether `agent` may read `path`, and the line that says so, by the group that names it or else (unless
    /// `only_named`) the general one.
    pub(crate) fn judge(&self, agent: &str, only_named: bool, path: &str) -> (bool, Option<u32>) {
        let Self(lines) = self;
        if path == "/robots.txt" {
            return (true, None);
        }
        let is_named = |name: &str| name.eq_ignore_ascii_case(agent);
        let has_group = lines.iter().any(|(_, key, value)| key == "user-agent" && is_named(&token(value)));
        if only_named && !has_group {
            return (true, None);
        }
        let path = comparable(path.as_bytes(), false);
        let (mut applies, mut in_run) = (false, false);
        let mut decided: Option<(usize, bool, u32)> = None;
        for (number, key, value) in lines {
            match key.as_str() {
                "user-agent" => {
                    if !in_run {
                        applies = false;
                    }
                    in_run = true;
                    applies |= if has_group { is_named(&token(value)) } else { is_general(value) };
                }
                "allow" | "disallow" => {
                    in_run = false;
                    let pattern = comparable(value, true);
                    if applies && !value.is_empty() && matches(&pattern, &path) {
                        let allow = key == "allow";
                        let length = pattern.len();
                        if decided.is_none_or(|(best, allowed, _)| (length, allow) > (best, allowed)) {
                            decided = Some((length, allow, *number));
                        }
                    }
                }
                _ => {}
            }
        }
        decided.map_or((true, None), |(_, allow, number)| (allow, Some(number)))
    }

    /// The tokens that the file's User-agent lines name, and the values of its rules.
    pub(crate) fn names_and_patterns(&self) -> (Vec<String>, Vec<Vec<u8>>) {
        let (mut names, mut patterns) = (vec![], vec![]);
        for (_, key, value) in &self.0 {
            match key.as_str() {
                "user-agent" if !token(value).is_empty() => names.push(token(value)),
                "allow" | "disallow" => patterns.push(value.clone()),
                _ => {}
            }
        }
        (names, patterns)
    }
}

fn lines(file: &[u8]) -> Vec<(u32, String, Vec<u8>)> {
    let mut bytes = file;
    for mark in [0xEF, 0xBB, 0xBF] {
        match bytes.first() {
            Some(&first) if first == mark => bytes = &bytes[1..],
            _ => break,
        }
    }
    let mut whole = vec![vec![]];
    let mut position = 0;
    while position < bytes.len() && position < 512_000 {
        match bytes[position] {
            b'\r' if bytes.get(position + 1) == Some(&b'\n') => {
                whole.push(vec![]);
                position += 1;
            }
            b'\n' | b'\r' => whole.push(vec![]),
            byte => whole.last_mut().unwrap().push(byte),
        }
        position += 1;
    }
    if bytes.len() > 512_000 && !matches!(bytes[512_000], b'\n' | b'\r') {
        whole.pop();
    }
    let mut lines = vec![];
    for (index, mut line) in whole.into_iter().enumerate() {
        line.truncate(16_663);
        let end = line.iter().position(|&byte| byte == b'#' || byte == 0).unwrap_or(line.len());
        line.truncate(end);
        let line = strip(&line);
        let has_colon = line.contains(&b':');
        let separator = |byte: &u8| if has_colon { *byte == b':' } else { b" \t".contains(byte) };
        let Some(at) = line.iter().position(separator) else { continue };
        let (key, value) = (strip(&line[..at]), strip(&line[at + 1..]));
        if !has_colon && value.iter().any(|byte| b" \t".contains(byte)) {
            continue;
        }
        let key = String::from_utf8_lossy(&key).to_ascii_lowercase();
        for (known, spellings) in [
            ("user-agent", "user-agent,useragent,user agent"),
            ("allow", "allow"),
            ("disallow", "disallow,dissallow,dissalow,disalow,diasllow,disallaw"),
        ] {
            if spellings.split(',').any(|spelling| key.starts_with(spelling)) {
                lines.push((u32::try_from(index).unwrap() + 1, known.to_owned(), value.clone()));
            }
        }
    }
    lines
}

fn strip(text: &[u8]) -> Vec<u8> {
    let is_space = |byte: &u8| b" \t\n\x0b\x0c\r".contains(byte);
    let Some(begin) = text.iter().position(|byte| !is_space(byte)) else { return vec![] };
    let end = text.iter().rposition(|byte| !is_space(byte)).unwrap();
    text[begin..=end].to_vec()
}

fn token(value: &[u8]) -> String {
    let letters = value.iter().take_while(|byte| byte.is_ascii_alphabetic() || b"-_".contains(byte));
    letters.map(|&byte| char::from(byte)).collect()
}

fn is_general(value: &[u8]) -> bool {
    value.first() == Some(&b'*') && strip(&value[1..]).len() < value[1..].len().max(1)
}

/// An octet, or a sign of the pattern language.
#[derive(Clone, Copy, PartialEq)]
enum Sign {
    Octet(u8),
    AnyRun,
    End,
}

fn comparable(text: &[u8], is_pattern: bool) -> Vec<Sign> {
    let mut signs = vec![];
    let mut position = 0;
    while position < text.len() {
        let byte = text[position];
        let escape = text.get(position + 1..position + 3).and_then(|digits| {
            let digits = std::str::from_utf8(digits).ok().filter(|text| !text.contains('+'))?;
            u8::from_str_radix(digits, 16).ok()
        });
        let is_last = position + 1 == text.len();
        let is_unreserved = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        let mut escaped = |byte: u8| signs.extend(format!("%{byte:02X}").bytes().map(Sign::Octet));
        match (byte, escape) {
            (b'%', Some(octet)) => {
                position += 2;
                if is_unreserved(octet) || b"*$".contains(&octet) {
                    signs.push(Sign::Octet(octet));
                } else {
                    escaped(octet);
                }
            }
            (b'*', _) if is_pattern => signs.push(Sign::AnyRun),
            (b'$', _) if is_pattern && is_last => signs.push(Sign::End),
            _ if is_unreserved(byte) || b"%:/?#[]@!$&'()*+,;=".contains(&byte) => {
                signs.push(Sign::Octet(byte));
            }
            _ => escaped(byte),
        }
        position += 1;
    }
    signs
}

/// Follows every position of the path that the pattern read so far can have come to.
fn matches(pattern: &[Sign], path: &[Sign]) -> bool {
    let mut reached = vec![false; path.len() + 1];
    reached[0] = true;
    for &sign in pattern {
        let mut next = vec![false; reached.len()];
        match sign {
            Sign::AnyRun => {
                let first = reached.iter().position(|&is_reached| is_reached);
                next[first.unwrap_or(reached.len())..].fill(true);
            }
            Sign::End => *next.last_mut().unwrap() = *reached.last().unwrap(),
            Sign::Octet(_) => {
                for (position, &octet) in path.iter().enumerate() {
                    next[position + 1] = reached[position] && sign == octet;
                }
            }
        }
        reached = next;
    }
    reached.contains(&true)
}
