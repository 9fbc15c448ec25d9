//! A folder with a configuration, a lab beside it, and the binary run on both.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use flate2::read::MultiGzDecoder;
use releve_lab::{Host, Lab, Reply};
use serde_json::Value;
use tempfile::TempDir;

pub(crate) const AGENT: &str = "Example/1 (+https://example.org; contact@example.org)";

/// A connector's folder, and the publishers that it can reach.
pub(crate) struct Sandbox {
    pub(crate) dir: TempDir,
    pub(crate) lab: Lab,
}

/// What a run of the binary printed, and its exit code.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    pub(crate) fn of(output: &Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Asserts on the exit code, and shows everything where it is another.
    pub(crate) fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:#?}");
        self
    }
}

impl Sandbox {
    pub(crate) fn new(hosts: impl IntoIterator<Item = Host>) -> Self {
        let lab = Lab::start().unwrap();
        for host in hosts {
            lab.add(host).unwrap();
        }
        let dir = TempDir::new().unwrap();
        fs::create_dir(dir.path().join("sources")).unwrap();
        let sandbox = Self { dir, lab };
        sandbox.write("releve.toml", &format!("user_agent = {AGENT:?}\n"));
        sandbox.at_clock("+0s");
        sandbox
    }

    /// One source of pages with a feed, under the name `example`.
    pub(crate) fn of_pages(host: Host) -> Self {
        let sandbox = Self::new([host]);
        sandbox.write("sources/example.toml", PAGES);
        sandbox
    }

    /// Sets the lab's clock off.
    pub(crate) fn at_clock(&self, offset: &str) {
        self.lab.write_files(self.dir.path(), Some(offset)).unwrap();
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = releve();
        command.current_dir(self.dir.path()).args(["--lab", "lab.toml"]).args(args);
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        Ran::of(&self.command(args).output().unwrap())
    }

    pub(crate) fn spawn(&self, args: &[&str]) -> Child {
        self.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// A pass over all sources, and the report of the only one.
    pub(crate) fn pass(&self) -> Value {
        let ran = self.run(&["pass", "--json"]);
        assert!(ran.code <= 1, "{ran:#?}");
        ran.json()[0].clone()
    }

    /// Host and target of every request so far.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.lab.requests().iter().map(|asked| format!("{}{}", asked.host, asked.target())).collect()
    }

    /// Source, identifier and digest of the envelope of every sealed unit; each once.
    pub(crate) fn sealed(&self) -> BTreeSet<(String, String)> {
        let mut sealed = BTreeSet::new();
        for record in self.records("conversion") {
            let json: Value = serde_json::from_str(record.split("\r\n\r\n").nth(1).unwrap()).unwrap();
            let text = |name: &str| json[name].as_str().unwrap().to_owned();
            let key = (format!("{}:{}", text("source"), text("identifier")), json["content"].to_string());
            assert!(sealed.insert(key), "sealed twice: {json}");
        }
        sealed
    }

    /// The WARC records of this type, as text.
    pub(crate) fn records(&self, kind: &str) -> Vec<String> {
        let mut records = Vec::new();
        let Ok(segments) = fs::read_dir(self.path("vault/segments")) else { return records };
        for segment in segments {
            let bytes = fs::read(segment.unwrap().path()).unwrap();
            let mut text = Vec::new();
            MultiGzDecoder::new(bytes.as_slice()).read_to_end(&mut text).unwrap();
            let text = String::from_utf8_lossy(&text).into_owned();
            records.extend(
                text.split("WARC/1.1\r\n")
                    .filter(|record| record.contains(&format!("WARC-Type: {kind}\r\n")))
                    .map(ToOwned::to_owned),
            );
        }
        records
    }

    /// Every file in the folder with its content; what is compressed is unpacked.
    pub(crate) fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files = Vec::new();
        collect(self.dir.path(), &mut files);
        files
    }
}

fn collect(folder: &Path, files: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
            continue;
        }
        let mut bytes = fs::read(&path).unwrap();
        if path.extension().is_some_and(|extension| extension == "gz") {
            let packed = std::mem::take(&mut bytes);
            MultiGzDecoder::new(packed.as_slice()).read_to_end(&mut bytes).unwrap();
        }
        files.push((path, bytes));
    }
}

pub(crate) fn releve() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_releve"));
    command.env_remove("RELEVE_LOG").stdin(Stdio::null());
    command
}

/// A source of pages whose identifier stands in the feed and on the page.
pub(crate) const PAGES: &str = r#"
name = "example"
hosts = ["www.example.test"]
necessary_parameters = ["id"]

[trigger]
feed = "https://www.example.test/feed.xml"

[article]
by = "page"

[identifier]
trigger = "guid"
article = "meta[name=article-id]"
"#;

/// The same, where the address stands for the identifier.
pub(crate) const ADDRESSES: &str = r#"
name = "example"
identifier = "address"
hosts = ["www.example.test"]
necessary_parameters = ["id"]

[trigger]
feed = "https://www.example.test/feed.xml"

[article]
by = "page"
"#;

/// A host under `www.example.test` without a robots.txt.
pub(crate) fn example() -> Host {
    Host::new("www.example.test").at("/robots.txt", Reply::status(404))
}

/// A feed that announces these: identifier, address, date of modification.
pub(crate) fn feed<'a>(items: impl IntoIterator<Item = (&'a str, &'a str)>) -> Reply {
    let mut text = String::from("<rss version='2.0'><channel>");
    for (identifier, address) in items {
        let link = address.replace('&', "&amp;");
        write!(text, "<item><guid isPermaLink='false'>{identifier}</guid><link>{link}</link></item>")
            .unwrap();
    }
    Reply::ok("application/rss+xml", text + "</channel></rss>")
}

/// An article's page with this identifier.
pub(crate) fn article(identifier: &str) -> Reply {
    Reply::ok("text/html; charset=utf-8", article_html(identifier))
}

pub(crate) fn article_html(identifier: &str) -> String {
    format!(
        "<!doctype html><html lang=en><meta name=article-id content='{identifier}'><title>On {identifier}</title>\
         <article><h1>On {identifier}</h1><p>The town council met on Tuesday evening to talk about {identifier}, and for \
         once everybody stayed until the end of the meeting.</p><p>What was decided will be known to all before the \
         year is over, said the mayor, who did not want to be quoted on {identifier} any further.</p></article></html>"
    )
}
