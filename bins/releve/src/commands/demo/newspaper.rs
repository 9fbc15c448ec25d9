//! Three invented newspapers at one harbour, one for each way to read an article.

use anyhow::Result;
use releve_lab::{Answer, Asked, Host, Lab, Reply};

/// What the lab file is called.
pub(crate) const LAB_FILE: &str = "lab.toml";

/// The credential of the third newspaper's CMS. It opens nothing outside this process.
const TOKEN: &str = "not-a-secret-of-anybody";

/// The demo's configuration.
pub(crate) const CONNECTOR_FILE: &str = "releve.toml";

/// What the first line of a demo's configuration is, and of no other's: such a folder may be used again.
pub(crate) const MARK: &str = "# Written by `releve demo`, anew at each run.";

/// The files of the demo's folder: name and content.
pub(crate) const CONFIGURATION: [(&str, &str); 5] = [
    (
        CONNECTOR_FILE,
        "# Written by `releve demo`, anew at each run.\nuser_agent = \"ReleveDemo/1 (+https://example.org/bot; bot@example.org)\"\n",
    ),
    ("token", "not-a-secret-of-anybody\n"),
    (
        "sources/courier.toml",
        r#"# By its pages: an RSS feed announces, each article is read at its own address.
name = "courier"
hosts = ["www.harbour-courier.test"]

[trigger]
feed = "https://www.harbour-courier.test/feed.xml"

[article]
by = "page"

[identifier]
trigger = "guid"
article = "meta[name=article-id]"
"#,
    ),
    (
        "sources/hafenkurier.toml",
        r#"# By a public API: WordPress.
name = "hafenkurier"
hosts = ["www.hafenkurier.test"]
preset = "wordpress"
"#,
    ),
    (
        "sources/correo.toml",
        r#"# By the publisher's CMS, with a credential and agreed fields.
name = "correo"
hosts = ["www.correo-del-puerto.test", "cms.correo-del-puerto.test"]

[trigger]
feed = "https://www.correo-del-puerto.test/atom.xml"

[article]
by = "cms-api"
address = "https://cms.correo-del-puerto.test/items/articles/{id}?fields=id,title,lead,authors,published,language,body"
access = { header = "Authorization", prefix = "Bearer ", from_file = "token" }

[article.fields]
headline = "/data/title"
standfirst = "/data/lead"
authors = { at = "/data/authors", each = "" }
published = "/data/published"
language = "/data/language"
body = { at = "/data/body", format = "html" }

[identifier]
trigger = { at = "id", pattern = "^urn:correo:(.+)$" }
article = "/data/id"
"#,
    ),
];

/// Puts the three on loopback.
pub(crate) fn start() -> Result<Lab> {
    let lab = Lab::start()?;
    for host in [courier(), hafenkurier(), correo(), cms()] {
        lab.add(host)?;
    }
    Ok(lab)
}

fn page(html: &'static str) -> Reply {
    Reply::ok("text/html; charset=utf-8", html)
}

fn json(text: &'static str) -> Reply {
    Reply::ok("application/json; charset=utf-8", text)
}

fn courier() -> Host {
    Host::new("www.harbour-courier.test")
        .at("/robots.txt", Reply::ok("text/plain", "User-agent: *\nDisallow: /members/\n"))
        .at("/feed.xml", Reply::ok("application/rss+xml; charset=utf-8", include_str!("courier.xml")))
        .at("/2026/lighthouse", page(include_str!("lighthouse.html")))
        .at("/2026/ferry-timetable", page(include_str!("ferry.html")))
        .at("/2026/market-hall", page(include_str!("market.html")))
        // The old bridge was announced and is gone: the answer is a plain 404.
        .at("/members/interview", page("<p>Nobody who keeps to robots.txt has ever read this."))
}

fn hafenkurier() -> Host {
    Host::new("www.hafenkurier.test")
        .at("/robots.txt", Reply::ok("text/plain", "User-agent: *\nDisallow: /wp-admin/\n"))
        .otherwise(|asked: &Asked| -> Answer {
            match path(asked) {
                "/wp-json/wp/v2/posts" => {
                    json(include_str!("hafenkurier.json")).header("X-WP-TotalPages", "1").into()
                }
                "/wp-json/wp/v2/posts/7" => json(include_str!("moewen.json")).into(),
                "/wp-json/wp/v2/posts/8" => json(include_str!("kran.json")).into(),
                _ => Reply::status(404).into(),
            }
        })
}

/// The target without its query.
fn path(asked: &Asked) -> &str {
    asked.target().split('?').next().unwrap_or_default()
}

fn correo() -> Host {
    Host::new("www.correo-del-puerto.test")
        .at("/robots.txt", Reply::status(404))
        .at("/atom.xml", Reply::ok("application/atom+xml; charset=utf-8", include_str!("correo.xml")))
}

/// The CMS answers whoever has the credential.
fn cms() -> Host {
    Host::new("cms.correo-del-puerto.test").at("/robots.txt", Reply::status(404)).otherwise(
        |asked: &Asked| -> Answer {
            if asked.header("authorization") != Some(&format!("Bearer {TOKEN}")) {
                return Reply::status(403).into();
            }
            match path(asked) {
                "/items/articles/mercado-12" => json(include_str!("mercado.json")).into(),
                "/items/articles/biblioteca-13" => json(include_str!("biblioteca.json")).into(),
                _ => Reply::status(403).into(),
            }
        },
    )
}
