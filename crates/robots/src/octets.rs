//! The form in which paths and patterns are compared, octet by octet (RFC 9309, 2.2.2 and 2.2.3).

/// Stands for the end of a path. It cannot occur in one, since the octet 0 is percent-encoded, so a pattern
/// that ends in `$` is a pattern that ends in `END`, and anchoring needs no case of its own.
pub(crate) const END: u8 = 0;

/// Stands for any run of octets in a pattern. It cannot be one of them either.
pub(crate) const STAR: u8 = 1;

/// Appends `path` (without its fragment) in comparable form and closes it with [`END`].
pub(crate) fn push_path(path: &str, into: &mut Vec<u8>) {
    let path = path.as_bytes();
    let path = memchr::memchr(b'#', path).map_or(path, |at| &path[..at]);
    if path.first() != Some(&b'/') {
        into.push(b'/');
    }
    push_octets(path, b'*', into);
    into.push(END);
}

/// Appends a pattern in comparable form.
pub(crate) fn push_pattern(pattern: &[u8], into: &mut Vec<u8>) {
    match pattern.split_last() {
        Some((b'$', head)) => {
            push_octets(head, STAR, into);
            into.push(END);
        }
        _ => push_octets(pattern, STAR, into),
    }
}

/// Appends `bytes` in comparable form, `star` for each star: escapes of unreserved characters are undone, and
/// those of `*` and `$`, which are how a pattern writes them literally. Other escapes get upper-case digits,
/// and what RFC 3986 does not let stand is encoded.
fn push_octets(bytes: &[u8], star: u8, into: &mut Vec<u8>) {
    into.reserve(bytes.len() + 2);
    let mut rest = bytes;
    loop {
        let plain = rest.iter().position(|&byte| CLASSES[usize::from(byte)] != Class::Plain);
        let (plain, tail) = rest.split_at(plain.unwrap_or(rest.len()));
        into.extend_from_slice(plain);
        let Some((&byte, tail)) = tail.split_first() else { return };
        rest = tail;
        match CLASSES[usize::from(byte)] {
            Class::Plain => into.push(byte),
            Class::Star => into.push(star),
            Class::Encode => push_encoded(byte, into),
            Class::Percent => match escaped(tail) {
                None => into.push(b'%'),
                Some(octet) => {
                    rest = &tail[2..];
                    if is_unreserved(octet) || matches!(octet, b'*' | b'$') {
                        into.push(octet);
                    } else {
                        push_encoded(octet, into);
                    }
                }
            },
        }
    }
}

/// The octet that two hexadecimal digits at the beginning of `tail` stand for.
fn escaped(tail: &[u8]) -> Option<u8> {
    let &[high, low, ..] = tail else { return None };
    Some(hex_value(high)? << 4 | hex_value(low)?)
}

fn push_encoded(octet: u8, into: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let digits = [DIGITS[usize::from(octet >> 4)], DIGITS[usize::from(octet & 15)]];
    into.extend_from_slice(&[b'%', digits[0], digits[1]]);
}

fn hex_value(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

/// RFC 3986, 2.3.
const fn is_unreserved(octet: u8) -> bool {
    octet.is_ascii_alphanumeric() || matches!(octet, b'-' | b'.' | b'_' | b'~')
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Unreserved or reserved: stands for itself.
    Plain,
    Star,
    Percent,
    Encode,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Encode; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        classes[byte as usize] = match byte {
            b'*' => Class::Star,
            b'%' => Class::Percent,
            // RFC 3986, 2.2: the reserved characters but for the star.
            b':' | b'/' | b'?' | b'#' | b'[' | b']' | b'@' | b'!' | b'$' | b'&' | b'\'' | b'(' | b')'
            | b'+' | b',' | b';' | b'=' => Class::Plain,
            _ if is_unreserved(byte) => Class::Plain,
            _ => Class::Encode,
        };
        byte += 1;
    }
    classes
};
