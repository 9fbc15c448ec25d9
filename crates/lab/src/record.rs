use std::time::Instant;

use jiff::Timestamp;

/// A request as it came.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Asked {
    /// The host of the lab that was asked.
    pub host: String,
    /// The server name that the client sent in its handshake.
    pub server_name: Option<String>,
    /// Which connection it came over, counted from 1 over all hosts of the lab.
    pub connection: u64,
    /// Whether the TLS session was one resumed from an earlier connection.
    pub resumed: bool,
    /// The exact bytes of the head, with the empty line that ends it.
    pub head: Vec<u8>,
    /// When the first byte of it was read.
    pub arrived: Instant,
    /// The same moment by the wall clock.
    pub arrived_at: Timestamp,
}

impl Asked {
    /// The request method, or nothing where the first line is no request line.
    pub fn method(&self) -> &str {
        self.word(0)
    }

    /// The request target: path and query as they came.
    pub fn target(&self) -> &str {
        self.word(1)
    }

    /// The headers as they came, in their order: names with their own capitals, values without surrounding blanks.
    pub fn headers(&self) -> Vec<(&str, &str)> {
        self.text()
            .split("\r\n")
            .skip(1)
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name, value.trim()))
            .collect()
    }

    /// The value of the first header of this name, capitals disregarded.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers().into_iter().find(|(given, _)| given.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    fn word(&self, index: usize) -> &str {
        self.text().split("\r\n").next().and_then(|line| line.split(' ').nth(index)).unwrap_or_default()
    }

    /// The head as text, up to the first byte that is no UTF-8.
    fn text(&self) -> &str {
        match std::str::from_utf8(&self.head) {
            Ok(text) => text,
            Err(error) => self
                .head
                .get(..error.valid_up_to())
                .and_then(|valid| std::str::from_utf8(valid).ok())
                .unwrap_or_default(),
        }
    }
}
