//! The public suite, on each adapter of this crate.

use std::sync::Arc;

use releve_fetch::suite::{HOST, Publisher};
use releve_fetch::{HttpsFetch, MemoryAnswer, MemoryFetch, fetch_suite};
use releve_lab::{Host, Reply};

use crate::support::{Bench, Ticking};

mod https {
    use super::{Bench, HOST, Host, HttpsFetch, Publisher, Reply, fetch_suite};

    impl Publisher for Bench {
        type Fetch = HttpsFetch;

        fn start() -> Self {
            Self::with(Host::new(HOST))
        }

        fn fetch(&self) -> &HttpsFetch {
            &self.fetch
        }

        fn put(&self, url: &str, status: u16, headers: &[(&str, &str)], body: &[u8]) {
            let target = url.strip_prefix("https://www.example.test").unwrap();
            let reply = Reply::status(status).header("Content-Type", "text/html").body(body);
            let reply = headers.iter().fold(reply, |reply, (name, value)| reply.header(name, *value));
            self.lab.put(HOST, target, reply).unwrap();
        }

        fn requests(&self) -> usize {
            self.lab.requests().len()
        }
    }

    fetch_suite!(Bench);
}

mod memory {
    use super::{Arc, MemoryAnswer, MemoryFetch, Publisher, Ticking, fetch_suite};

    struct Memory(MemoryFetch);

    impl Publisher for Memory {
        type Fetch = MemoryFetch;

        fn start() -> Self {
            Self(MemoryFetch::new(Arc::new(Ticking::from("2026-03-01T12:00:00Z"))))
        }

        fn fetch(&self) -> &MemoryFetch {
            &self.0
        }

        fn put(&self, url: &str, status: u16, headers: &[(&str, &str)], body: &[u8]) {
            let answer = MemoryAnswer::new(status, "text/html", body.to_vec());
            self.0.put(url, headers.iter().fold(answer, |answer, (name, value)| answer.header(name, value)));
        }

        fn requests(&self) -> usize {
            self.0.asked().len()
        }
    }

    fetch_suite!(Memory);
}
