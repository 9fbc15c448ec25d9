//! What is printed: for a terminal, which acts on some characters instead of showing them, and for a reader that may leave
//! before a command is over.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, ErrorKind, Write};

/// A writer of text, of which a terminal shows every character.
///
/// What a publisher wrote may move the cursor, colour what follows, or turn the direction of writing round. Characters that
/// do so are written as `\u001b`, the way JSON writes them, so that JSON stays what it was. Line breaks and tabs are
/// kept: see [`one_line`].
pub(crate) struct Shown<W> {
    inner: W,
}

impl<W: Write> Shown<W> {
    /// Writes to `inner`.
    pub(crate) fn new(inner: W) -> Self {
        Self { inner }
    }

    /// Writes bytes as they are: for those who asked for bytes.
    pub(crate) fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.inner.write_all(bytes)
    }
}

impl<W: Write> Write for Shown<W> {
    /// Takes whole characters: whoever writes text here, writes strings.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        let shown = escape(&text, |char| is_acted_upon(char) && !matches!(char, '\n' | '\t'));
        self.inner.write_all(shown.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Text that is part of a line: what a publisher wrote must not pass for another line of ours.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    escape(text, is_acted_upon)
}

/// Control characters (C0, DEL, C1), line and paragraph separators, and what embeds, overrides or isolates a direction of
/// writing. The marks for left-to-right and right-to-left act on nothing but themselves, and Arabic and Hebrew need them.
fn is_acted_upon(char: char) -> bool {
    char.is_control() || matches!(char, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn escape(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for char in text.chars() {
        if is_escaped(char) {
            // Writing to a string cannot fail.
            let _ = write!(shown, "\\u{:04x}", u32::from(char));
        } else {
            shown.push(char);
        }
    }
    Cow::Owned(shown)
}

/// A writer that goes on in silence once nobody reads it any more: what a command does, and its exit code, do not depend on
/// that.
pub(crate) struct WhileRead<W> {
    inner: W,
    is_read: bool,
}

impl<W: Write> WhileRead<W> {
    /// Writes to `inner` as long as it is read.
    pub(crate) fn new(inner: W) -> Self {
        Self { inner, is_read: true }
    }

    fn attempt<T>(&mut self, unread: T, write: impl FnOnce(&mut W) -> io::Result<T>) -> io::Result<T> {
        if !self.is_read {
            return Ok(unread);
        }
        match write(&mut self.inner) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.is_read = false;
                Ok(unread)
            }
            // What the system says does not say of what: a disk may be full that nobody thinks of.
            written => written.map_err(|error| {
                io::Error::new(error.kind(), format!("cannot write to standard output: {error}"))
            }),
        }
    }
}

impl<W: Write> Write for WhileRead<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.attempt(bytes.len(), |inner| inner.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.attempt((), W::flush)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, shown: &str, on_a_line: &str) {
        let mut out = Shown::new(Vec::new());
        write!(out, "{text}").unwrap();
        assert_eq!(String::from_utf8(out.inner).unwrap(), shown);
        assert_eq!(one_line(text), on_a_line);
    }

    #[test]
    fn what_a_terminal_would_act_on_is_spelled_out() {
        for (text, shown) in [
            ("plain, Größe, 新聞, \u{1f5de}", "plain, Größe, 新聞, \u{1f5de}"),
            ("\u{1b}[31mred\u{1b}]0;title\u{7}", "\\u001b[31mred\\u001b]0;title\\u0007"),
            ("\u{9b}31m \u{90}q\u{9c}", "\\u009b31m \\u0090q\\u009c"),
            ("over\rwritten \u{8}\u{7f}", "over\\u000dwritten \\u0008\\u007f"),
            ("a\u{202e}txt.exe\u{202c}", "a\\u202etxt.exe\\u202c"),
            ("a\u{2066}b\u{2069}\u{2028}", "a\\u2066b\\u2069\\u2028"),
            // Marks that Arabic and Hebrew need.
            ("\u{200f}שלום\u{200e}", "\u{200f}שלום\u{200e}"),
        ] {
            check(text, shown, shown);
        }
        check("one\ntwo\tthree", "one\ntwo\tthree", "one\\u000atwo\\u0009three");
    }

    #[test]
    fn json_means_the_same_when_it_is_shown() {
        let value = serde_json::json!({ "text": "\\\u{9b}1m\u{202e}\u{1b}\n" });
        let mut out = Shown::new(Vec::new());
        serde_json::to_writer(&mut out, &value).unwrap();
        assert!(out.inner.is_ascii());
        assert_eq!(serde_json::from_slice::<serde_json::Value>(&out.inner).unwrap(), value);
    }
}
