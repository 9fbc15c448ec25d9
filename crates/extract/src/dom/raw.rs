//! The text of elements that hold no tags, found without the tokenizer, which looks at each of its bytes and gives its lines one by one.

use memchr::{memchr_iter, memchr2};

/// How long the text is that `rest` begins with, in an element of this name (lower case) whose text is raw or a program's. `None` where only the
/// tokenizer can tell, or changes characters.
pub(super) fn length(rest: &str, name: &str, is_kept: bool) -> Option<usize> {
    let bytes = rest.as_bytes();
    let mut has_comment = false;
    let mut end = bytes.len();
    for at in memchr_iter(b'<', bytes) {
        let after = &bytes[at + 1..];
        match after.first() {
            Some(b'/') if is_tag(&after[1..], name) => {
                end = at;
                break;
            }
            Some(b'!') => has_comment |= after.starts_with(b"!--"),
            // In what looks like a comment, a program may hold a program with its end tag.
            Some(b's' | b'S') if has_comment && name == "script" && is_tag(after, name) => return None,
            _ => {}
        }
    }
    let is_as_written = !is_kept || memchr2(b'\r', b'\0', &bytes[..end]).is_none();
    is_as_written.then_some(end)
}

/// Whether this is the name in a tag of the element; what follows it must end it.
fn is_tag(bytes: &[u8], name: &str) -> bool {
    let own = bytes.get(..name.len());
    own.is_some_and(|own| own.eq_ignore_ascii_case(name.as_bytes()))
        && bytes
            .get(name.len())
            .is_none_or(|byte| matches!(byte, b'\t' | b'\n' | b'\x0c' | b'\r' | b' ' | b'/' | b'>'))
}
