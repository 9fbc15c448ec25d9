//! Percent escapes in one spelling.

/// Writes escapes in upper case and decodes those of unreserved characters (RFC 3986, section 6.2.2).
///
/// An unreserved character stays escaped where decoding it would complete an escape with a lone `%`
/// before it: `%%34%31` must not become `%41`, which means something else.
pub(crate) fn normalise(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    // How many characters of a possible escape the output ends with that did not come from one.
    let mut pending = 0_u8;
    let mut rest = bytes;
    while let Some((&first, tail)) = rest.split_first() {
        if let Some((byte, after)) = escape(rest) {
            let completes = pending > 0 && byte.is_ascii_hexdigit();
            if is_unreserved(byte) && !completes {
                out.push(char::from(byte));
            } else {
                out.push('%');
                out.push(hex_digit(byte >> 4));
                out.push(hex_digit(byte & 0xf));
            }
            pending = 0;
            rest = after;
        } else {
            pending = match (pending, first) {
                (_, b'%') => 1,
                (1, digit) if digit.is_ascii_hexdigit() => 2,
                _ => 0,
            };
            // Everything the URL standard serialises is ASCII.
            out.push(char::from(first));
            rest = tail;
        }
    }
    out
}

/// Decodes as a form does (`+` is a space); `None` where the bytes are no UTF-8.
pub(crate) fn form_decode(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        if let Some((byte, after)) = escape(rest) {
            out.push(byte);
            rest = after;
        } else {
            out.push(if first == b'+' { b' ' } else { first });
            rest = tail;
        }
    }
    String::from_utf8(out).ok()
}

/// Encodes as a form does, so that a name has one spelling.
pub(crate) fn form_encode(text: &str) -> String {
    let encoded: String = url::form_urlencoded::byte_serialize(text.as_bytes()).collect();
    normalise(&encoded)
}

fn escape(bytes: &[u8]) -> Option<(u8, &[u8])> {
    let [b'%', high, low, rest @ ..] = bytes else {
        return None;
    };
    Some((hex_value(*high)? << 4 | hex_value(*low)?, rest))
}

fn hex_value(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

fn hex_digit(nibble: u8) -> char {
    char::from(if nibble < 10 { b'0' + nibble } else { b'A' + nibble - 10 })
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}
