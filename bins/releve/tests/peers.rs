//! The real binary against real publishers' software: WordPress, Hugo, Jekyll and Directus behind nginx, on loopback.
//!
//! The environment variable `RELEVE_PEERS` names the folder with `up.sh` and `down.sh`, which start and end them.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, clippy::print_stdout, missing_docs)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

const AGENT: &str = "Example/1 (+https://example.org; contact@example.org)";
const HOSTS: [(&str, &str); 4] = [
    ("directus.peers.test", "127.0.1.43"),
    ("wordpress.peers.test", "127.0.1.47"),
    ("hugo.peers.test", "127.0.1.42"),
    ("jekyll.peers.test", "127.0.1.50"),
];

const NAMES: [&str; 4] = ["wordpress", "hugo", "jekyll", "directus"];

/// WordPress by its REST API.
const REST: &str = "name = \"wp-rest\"\nhosts = [\"wordpress.peers.test\"]\npreset = \"wordpress\"\nbacklog = { floor = \"2000-01-01\" }\n";

/// WordPress by its pages. A guid of its feed is `…/?p=ID` for most posts and the permalink for others: there is no
/// identifier in it.
const PAGES: &str = r#"
name = "wp-pages"
hosts = ["wordpress.peers.test"]
trigger = { feed = "https://wordpress.peers.test/feed/" }
article = { by = "page" }

[identifier]
trigger = "absent"
article = { at = "link[rel=shortlink]@href", pattern = "[?&]p=([0-9]+)$" }
"#;

/// WordPress with a credential, without which it shows nobody what an editor sees. Two articles are enough.
fn cms(name: &str, token: &str) -> String {
    format!(
        r#"
name = "{name}"
hosts = ["wordpress.peers.test"]

[trigger]
list = "https://wordpress.peers.test/wp-json/wp/v2/posts?_fields=id,link&per_page=2"
items = ""
address = "/link"

[article]
by = "cms-api"
address = "https://wordpress.peers.test/wp-json/wp/v2/posts/{{id}}?context=edit&_fields=id,title,content"
access = {{ header = "Authorization", prefix = "Basic ", from_file = "{token}" }}

[article.fields]
headline = "/title/rendered"
body = {{ at = "/content/rendered", format = "html" }}

[identifier]
trigger = "/id"
article = "/id"
"#
    )
}

/// A site whose generator gives articles no identifier.
fn generated(name: &str, feed: &str) -> String {
    format!(
        "name = \"{name}\"\nhosts = [\"{name}.peers.test\"]\nidentifier = \"address\"\n\
         trigger = {{ feed = \"https://{name}.peers.test/{feed}\" }}\narticle = {{ by = \"page\" }}\n"
    )
}

/// The same with its sitemap, which has sections and tags too.
fn generated_with_sitemap(name: &str, feed: &str, sitemap: &str, article_path: &str) -> String {
    format!(
        "article_path = '{article_path}'\n{}\n[backlog]\nsitemap = {sitemap:?}\nfloor = \"2000-01-01\"\n",
        generated(name, feed)
    )
}

/// WordPress by its pages and its sitemap, in which an address stands for the identifier.
fn pages_with_sitemap() -> String {
    let pages = PAGES.replace("wp-pages", "wp-sitemap");
    format!(
        "article_path = '^/-?[0-9]{{4}}/'\n{pages}backlog = \"absent\"\n\n[backlog]\n\
         sitemap = \"https://wordpress.peers.test/wp-sitemap.xml\"\nfloor = \"2000-01-01\"\n"
    )
}

/// Directus, whose token sees drafts too: list and article ask for what is published.
const DIRECTUS: &str = r#"
name = "directus"
hosts = ["directus.peers.test"]

[trigger]
list = "https://directus.peers.test/items/articles?filter[status][_eq]=published&fields=id,date_updated&sort=-date_updated,id&limit=5"
items = "/data"
modified = "/date_updated"

[article]
by = "cms-api"
address = "https://directus.peers.test/items/articles/{id}?fields=id,title,body,published_at"
access = { header = "Authorization", prefix = "Bearer ", from_file = "directus-token", also_for = ["trigger", "backlog"] }
agreement = "the peers' own"

[article.fields]
headline = "/data/title"
published = "/data/published_at"
body = { at = "/data/body", format = "html" }

[identifier]
trigger = "/id"
backlog = "/id"
article = "/data/id"

[backlog]
list = "https://directus.peers.test/items/articles?filter[status][_eq]=published&fields=id,published_at&sort=-published_at,id&limit=10&page={page}"
items = "/data"
published = "/published_at"
floor = "2000-01-01"
"#;

struct Peers {
    scripts: PathBuf,
    dir: PathBuf,
}

impl Peers {
    /// Starts them afresh, side by side.
    fn up(scripts: &Path) -> Self {
        let dir = std::env::temp_dir().join("releve-peers");
        // WordPress first: two package installations at once would wait for each other's lock.
        for name in NAMES {
            let mut command = Command::new("bash");
            command.arg(scripts.join("up.sh")).arg(name).env("PEERS_DIR", &dir);
            // Of itself it forbids everything; a publisher that has agreed to be read allows its API.
            command.env("ROBOTS_TXT", "User-agent: *\nDisallow: /admin/\n");
            // A machine that runs tests is busy, and no reason to refuse requests.
            command.env("PRESSURE_LIMITER_ENABLED", "false");
            if matches!(name, "wordpress" | "directus") {
                command.arg("--fresh");
            }
            let output = command.stdin(Stdio::null()).output().unwrap();
            assert!(output.status.success(), "{name}: {output:?}");
        }
        let peers = Self { scripts: scripts.to_owned(), dir };
        peers.forget_requests();
        peers
    }

    fn forget_requests(&self) {
        for name in NAMES {
            fs::write(self.dir.join(name).join("run/nginx-access.log"), "").unwrap();
        }
    }

    fn ca(&self) -> PathBuf {
        self.dir.join("lib/tls/ca.pem")
    }

    fn password(&self) -> String {
        fs::read_to_string(self.dir.join("wordpress/run/app-password")).unwrap().trim().to_owned()
    }

    /// What nginx logged, by publisher.
    fn log(&self) -> BTreeMap<&'static str, Vec<Value>> {
        let lines = |name: &str| {
            let path = self.dir.join(name).join("run/nginx-access.log");
            let text = fs::read_to_string(path).unwrap();
            // The test's own requests bear another name.
            let ours = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
            ours.filter(|line| line["user_agent"] == AGENT).collect()
        };
        NAMES.into_iter().map(|name| (name, lines(name))).collect()
    }

    fn requests(&self) -> usize {
        self.log().values().map(Vec::len).sum()
    }

    /// A request of the newsroom to WordPress.
    fn newsroom(&self, method: &str, path: &str, body: &str) -> Value {
        let output = Command::new("curl")
            .args(["--silent", "--show-error", "--fail", "--request", method, "--cacert"])
            .arg(self.ca())
            .args(["--resolve", "wordpress.peers.test:443:127.0.1.47", "--header"])
            .arg(format!("Authorization: {}", self.password()))
            .args(["--header", "Content-Type: application/json", "--data", body])
            .arg(format!("https://wordpress.peers.test/wp-json/wp/v2/{path}"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{method} {path}: {output:?}");
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

impl Drop for Peers {
    fn drop(&mut self) {
        for name in NAMES {
            let mut down = Command::new("bash");
            down.arg(self.scripts.join("down.sh")).arg(name).env("PEERS_DIR", &self.dir).stdin(Stdio::null());
            drop(down.output());
        }
    }
}

struct Folder(TempDir);

impl Folder {
    fn new(peers: &Peers, sources: &[(&str, String)]) -> Self {
        let folder = Self(TempDir::new().unwrap());
        fs::create_dir(folder.0.path().join("sources")).unwrap();
        folder.write("releve.toml", &format!("user_agent = {AGENT:?}\n"));
        folder.write("token", peers.password().trim_start_matches("Basic "));
        folder.write("wrong", "YWRtaW46bm90IHRoZSBwYXNzd29yZA==");
        folder.write("directus-token", "lab-reader-token");
        for (name, text) in sources {
            folder.write(&format!("sources/{name}.toml"), text);
        }
        folder.at_clock(peers, "+0s");
        folder
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).unwrap();
    }

    fn at_clock(&self, peers: &Peers, offset: &str) {
        let mut text = format!("root = {:?}\nclock = {offset:?}\n\n[hosts]\n", peers.ca().to_str().unwrap());
        for (name, ip) in HOSTS {
            writeln!(text, "{name:?} = \"{ip}:443\"").unwrap();
        }
        self.write("lab.toml", &text);
    }

    fn releve(&self, args: &[&str]) -> (i32, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_releve"))
            .current_dir(self.0.path())
            .args(["--lab", "lab.toml"])
            .args(args)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        print!("{}", String::from_utf8_lossy(&output.stderr));
        (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
    }

    /// A pass over all sources; the report of each by its name.
    fn pass(&self) -> BTreeMap<String, Value> {
        let (code, text) = self.releve(&["pass", "--json"]);
        assert!(code <= 1, "{code}: {text}");
        let reports: Vec<Value> = serde_json::from_str(&text).unwrap();
        reports.into_iter().map(|report| (report["source"].as_str().unwrap().to_owned(), report)).collect()
    }

    fn show(&self, reference: &str) -> Value {
        let (code, text) = self.releve(&["show", reference, "--json"]);
        assert_eq!(code, 0, "{reference}: {text}");
        let shown: Vec<Value> = serde_json::from_str(&text).unwrap();
        shown.into_iter().next().unwrap()
    }
}

fn total(reports: &BTreeMap<String, Value>, count: &str) -> u64 {
    reports.values().map(|report| report[count].as_u64().unwrap()).sum()
}

/// R21, R25, R26, R33 as the publisher's own log shows them.
fn check_logs(peers: &Peers, names: &[&str]) {
    for (name, lines) in peers.log().into_iter().filter(|(name, _)| names.contains(name)) {
        assert!(!lines.is_empty(), "{name}");
        assert_eq!(lines[0]["request"], "GET /robots.txt HTTP/1.1", "{name}");
        for line in &lines {
            assert_eq!(line["accept_encoding"], "identity", "{line}");
            for header in [
                "cookie",
                "referer",
                "connection_header",
                "if_none_match",
                "if_modified_since",
                "accept_language",
            ] {
                assert_eq!(line[header], "", "{header}: {line}");
            }
        }
        for pair in lines.windows(2) {
            let gap = pair[1]["t"].as_f64().unwrap() - pair[0]["t"].as_f64().unwrap();
            assert!(gap >= 1.0, "{name}: {gap} s between {} and {}", pair[0]["request"], pair[1]["request"]);
        }
    }
}

#[test]
fn real_publishers() {
    let Some(scripts) = std::env::var_os("RELEVE_PEERS").map(PathBuf::from) else {
        assert!(std::env::var_os("CI").is_none(), "RELEVE_PEERS is not set");
        println!("skipped: RELEVE_PEERS is not set");
        return;
    };
    let peers = Peers::up(&scripts);
    triggers(&peers);
    peers.forget_requests();
    backlogs(&peers);
}

/// What is announced is read, once, and again when it has changed.
fn triggers(peers: &Peers) {
    let folder = Folder::new(
        peers,
        &[
            ("rest", REST.to_owned()),
            ("pages", PAGES.to_owned()),
            ("cms", cms("wp-cms", "token")),
            ("wrong", cms("wp-wrong", "wrong")),
            ("hugo", generated("hugo", "index.xml")),
            ("jekyll", generated("jekyll", "feed.xml")),
        ],
    );

    // What WordPress itself says is public.
    let all = peers.newsroom("GET", "posts?per_page=100&status=publish&_fields=id,content,slug,date_gmt", "");
    let posts = all.as_array().unwrap();
    let is_protected = |post: &&Value| post["content"]["protected"] == true;
    let public: BTreeSet<String> =
        posts.iter().filter(|post| !is_protected(post)).map(|post| post["id"].to_string()).collect();
    assert_eq!((posts.iter().filter(is_protected).count(), public.len()), (1, 29));

    let first = folder.pass();
    println!("{first:#?}");
    assert_eq!(first["wp-rest"]["sealed"], 29);
    assert_eq!(first["wp-rest"]["refused"], 1, "the protected one");
    assert_eq!(first["wp-pages"]["sealed"], 10);
    assert_eq!(first["wp-cms"]["sealed"], 2);
    assert_eq!((&first["wp-wrong"]["sealed"], &first["wp-wrong"]["refused"]), (&0.into(), &2.into()));
    assert_eq!(first["wp-wrong"]["refusals"][0]["code"], "status-401");
    for name in ["hugo", "jekyll"] {
        assert_eq!(first[name]["sealed"], first[name]["announced"], "{name}");
        assert!(first[name]["sealed"].as_u64().unwrap() >= 10, "{name}");
    }
    for id in &public {
        let shown = folder.show(&format!("wp-rest:{id}"));
        assert_eq!(shown["article"]["identifier"], id.as_str());
        assert!(!shown["article"]["content"]["body"]["blocks"].as_array().unwrap().is_empty(), "{shown}");
    }
    // The undated one has no date, and nobody gave it one.
    let undated = posts.iter().find(|post| post["slug"] == "nota-sin-fecha").unwrap();
    let shown = folder.show(&format!("wp-rest:{}", undated["id"]));
    assert!(shown["article"]["content"]["descriptor"]["published"].is_null(), "{shown}");

    // A pass that is not due asks nothing at all.
    let before = peers.requests();
    folder.at_clock(peers, "+1m");
    assert_eq!(total(&folder.pass(), "read"), 0);
    assert_eq!(peers.requests(), before);

    // One that is due reads the triggers, no article again but those that a wrong password kept from being read, and
    // seals nothing.
    folder.at_clock(peers, "+16m");
    let second = folder.pass();
    assert_eq!((total(&second, "read"), total(&second, "sealed")), (0, 0), "{second:#?}");
    assert_eq!(peers.requests(), before + first.len() + 2);

    // An edit becomes a second version; what was trashed before it was read seals nothing.
    let edited = public.iter().next_back().unwrap();
    peers.newsroom(
        "POST",
        &format!("posts/{edited}"),
        r#"{"content":"<p>Corrected: the bridge was built in 1911, not in 1921, as many readers have told us.</p>"}"#,
    );
    let draft = r#"{"title":"Never","content":"<p>Never.</p>","status":"publish"}"#;
    let trashed = peers.newsroom("POST", "posts", draft)["id"].to_string();
    peers.newsroom("DELETE", &format!("posts/{trashed}"), "{}");
    folder.at_clock(peers, "+32m");
    let third = folder.pass();
    assert_eq!(
        (&third["wp-rest"]["sealed"], &third["wp-rest"]["new_versions"]),
        (&1.into(), &1.into()),
        "{third:#?}"
    );
    let shown = folder.show(&format!("wp-rest:{edited}"));
    assert_eq!(shown["versions"].as_array().unwrap().len(), 2);
    assert!(shown["article"].to_string().contains("1911"));

    let (code, verified) = folder.releve(&["verify"]);
    assert_eq!(code, 0, "{verified}");
    check_logs(peers, &["wordpress", "hugo", "jekyll"]);
}

/// The addresses of the generators' sites at which an article stands.
const HUGO_ARTICLES: &str = "^/posts/[^/]+/$";
const JEKYLL_ARTICLES: &str = "/[0-9]{4}/[0-9]{2}/[0-9]{2}/[^/]+[.]html$";

/// Every published article is found once and none that is not public, also while the newsroom is at work.
fn backlogs(peers: &Peers) {
    let folder = Folder::new(
        peers,
        &[
            ("rest", REST.to_owned()),
            ("wp-sitemap", pages_with_sitemap()),
            (
                "hugo",
                generated_with_sitemap(
                    "hugo",
                    "index.xml",
                    "https://hugo.peers.test/sitemap.xml",
                    HUGO_ARTICLES,
                ),
            ),
            ("jekyll", generated_with_sitemap("jekyll", "feed.xml", "robots", JEKYLL_ARTICLES)),
            ("directus", DIRECTUS.to_owned()),
        ],
    );
    let new = r#"{"title":"Published meanwhile","content":"<p>While the list was walked this was published, and everybody could read it.</p>","status":"publish"}"#;
    let going = r#"{"title":"Taken down meanwhile","content":"<p>While the list was walked this was taken down again.</p>","status":"publish"}"#;
    let going = peers.newsroom("POST", "posts", going)["id"].to_string();
    let first = std::thread::scope(|scope| {
        let newsroom = scope.spawn(|| {
            std::thread::sleep(std::time::Duration::from_secs(4));
            let new = peers.newsroom("POST", "posts", new)["id"].to_string();
            peers.newsroom("POST", &format!("posts/{going}"), r#"{"status":"draft"}"#);
            new
        });
        let first = folder.pass();
        (first, newsroom.join().unwrap())
    });
    let (first, new) = first;
    println!("{first:#?}");

    let public = peers.newsroom("GET", "posts?per_page=100&status=publish&_fields=id,content", "");
    let public: BTreeSet<String> = public
        .as_array()
        .unwrap()
        .iter()
        .filter(|post| post["content"]["protected"] != true)
        .map(|post| post["id"].to_string())
        .collect();
    // What was published while the first pass ran is found by the one that follows, whose walk is not due.
    folder.at_clock(peers, "+16m");
    let second = folder.pass();
    println!("{second:#?}");
    assert!(public.contains(&new) && !public.contains(&going));
    for source in ["wp-rest", "wp-sitemap"] {
        for id in &public {
            assert_eq!(folder.show(&format!("{source}:{id}"))["article"]["identifier"], id.as_str());
        }
        let sealed =
            [&first, &second].iter().map(|pass| pass[source]["sealed"].as_u64().unwrap()).sum::<u64>();
        // What was taken down may have been read before that.
        let known = u64::try_from(public.len()).unwrap();
        assert!((known..=known + 1).contains(&sealed), "{source}: {sealed} of {known}");
    }
    for name in ["hugo", "jekyll"] {
        // 29 that are public, and one behind a password, which a generator does not know: it is public there.
        assert_eq!(first[name]["sealed"], 30, "{name}");
        assert_eq!(first[name]["walk"]["gaps"], Value::Array(Vec::new()), "{name}");
    }
    assert_eq!((&first["directus"]["sealed"], &first["directus"]["refused"]), (&29.into(), &0.into()));

    // A day later the walk comes again, finds nothing that it does not know, and reads no article again.
    folder.at_clock(peers, "+25h");
    let third = folder.pass();
    assert_eq!((total(&third, "found"), total(&third, "read")), (0, 0), "{third:#?}");

    let (code, verified) = folder.releve(&["verify"]);
    assert_eq!(code, 0, "{verified}");
    check_logs(peers, &NAMES);
}
