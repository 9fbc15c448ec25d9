//! The form in which paths and patterns are compared, octet by octet (RFC 9309, 2.2.2 and 2.2.3).

/// Stands for the end of a path. It cannot occur in one, since the octet 0 is percent-encoded, so a pattern that ends
/// in `$` is a pattern that ends in `END`, and anchoring needs no case of its own.
pub(crate) const END: u8 = 0;

/// Stands for any run of octets in a pattern; a literal `*` is `%2A`.
pub(crate) const STAR: u8 = b'*';

/// Appends `path` (without its fragment) in comparable form and closes it with [`END`].
pub(crate) fn push_path(path: &str, into: &mut Vec<u8>) {
    let path = path.as_bytes();
    let path = memchr::memchr(b'#', path).map_or(path, |at| &path[..at]);
    if path.first() != Some(&b'/') {
        into.push(b'/');
    }
    push_octets(path, into, push_encoded);
    into.push(END);
}

/// Appends a pattern in comparable form and returns its length in octets, by which rules are ranked.
pub(crate) fn push_pattern(pattern: &[u8], into: &mut Vec<u8>) -> usize {
    let begin = into.len();
    let (pattern, is_anchored) = match pattern.split_last() {
        Some((b'$', head)) => (head, true),
        _ => (pattern, false),
    };
    let mut dollars = 0;
    push_octets(pattern, into, |special, into| {
        if special == b'*' {
            into.push(STAR);
        } else {
            dollars += 1;
            push_encoded(special, into);
        }
    });
    if is_anchored {
        into.push(END);
    }
    // A `$` that is no anchor stands for itself: it is compared as `%24`, and counts as the one octet it is.
    into.len() - begin - 2 * dollars
}

/// Appends `bytes` in comparable form: escapes of unreserved characters are undone, other escapes get upper-case digits,
/// and what RFC 3986 does not let stand is encoded. `*` and `$` are handed to `special`.
fn push_octets(bytes: &[u8], into: &mut Vec<u8>, mut special: impl FnMut(u8, &mut Vec<u8>)) {
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
            Class::Special => special(byte, into),
            Class::Encode => push_encoded(byte, into),
            Class::Percent => {
                let escaped = match *tail {
                    [high, low, ..] => hex_value(high).zip(hex_value(low)),
                    _ => None,
                };
                let Some((high, low)) = escaped else {
                    into.push(b'%');
                    continue;
                };
                rest = &tail[2..];
                let octet = high << 4 | low;
                if is_unreserved(octet) { into.push(octet) } else { push_encoded(octet, into) }
            }
        }
    }
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
    /// `*` and `$`: what they are depends on where they stand.
    Special,
    Percent,
    Encode,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Encode; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        classes[byte as usize] = match byte {
            b'*' | b'$' => Class::Special,
            b'%' => Class::Percent,
            // RFC 3986, 2.2: the reserved characters but for the two above.
            b':' | b'/' | b'?' | b'#' | b'[' | b']' | b'@' | b'!' | b'&' | b'\'' | b'(' | b')' | b'+'
            | b',' | b';' | b'=' => Class::Plain,
            _ if is_unreserved(byte) => Class::Plain,
            _ => Class::Encode,
        };
        byte += 1;
    }
    classes
};
