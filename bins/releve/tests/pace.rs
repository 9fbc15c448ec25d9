//! The pace under real processes in real time, as the server sees it. It stands apart from the other tests, so that
//! nothing else runs while it does.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, clippy::print_stdout, missing_docs)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use releve_lab::{Host, Lab, Reply};
use tempfile::TempDir;

/// Two minutes, as long as a disturbance of the machine is likely to be met.
const LENGTH: Duration = Duration::from_secs(120);

/// More articles than can be read in that time.
const ARTICLES: usize = 150;

fn host(name: &str) -> Host {
    let mut feed = String::from("<rss version='2.0'><channel>");
    for article in 0..ARTICLES {
        write!(feed, "<item><link>https://{name}/{article}</link></item>").unwrap();
    }
    feed.push_str("</channel></rss>");
    Host::new(name)
        .at("/robots.txt", Reply::status(404))
        .at("/feed.xml", Reply::ok("application/rss+xml", feed))
        .otherwise(|asked| {
            let text =
                format!("<h1>{0}</h1><p>The text of {0}, which is long enough to be one.", asked.target());
            Reply::ok("text/html", text).into()
        })
}

fn source(name: &str, host: &str) -> String {
    format!(
        "name = \"{name}\"\nhosts = [\"{host}\"]\nidentifier = \"address\"\n\
         trigger = {{ feed = \"https://{host}/feed.xml\" }}\narticle = {{ by = \"page\" }}\n"
    )
}

#[test]
fn r21_four_processes_and_three_sources_on_two_hosts_for_two_minutes() {
    let lab = Lab::start().unwrap();
    for name in ["a.example.test", "b.example.test"] {
        lab.add(host(name)).unwrap();
    }
    let dir = TempDir::new().unwrap();
    fs::create_dir(dir.path().join("sources")).unwrap();
    fs::write(
        dir.path().join("releve.toml"),
        "user_agent = \"Example/1 (+https://example.org; x@example.org)\"\n",
    )
    .unwrap();
    for (name, host) in [("one", "a.example.test"), ("two", "a.example.test"), ("three", "b.example.test")] {
        fs::write(dir.path().join(format!("sources/{name}.toml")), source(name, host)).unwrap();
    }
    lab.write_files(dir.path(), None).unwrap();
    let spawn = |args: &[&str]| -> Child {
        Command::new(env!("CARGO_BIN_EXE_releve"))
            .current_dir(dir.path())
            .args(["--lab", "lab.toml"])
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    };
    // The fourth finds every source at work, and takes over whichever loses its process on the way.
    let mut processes =
        [spawn(&["pass", "one"]), spawn(&["pass", "two"]), spawn(&["pass", "three"]), spawn(&["run"])];
    let began = Instant::now();
    sleep(LENGTH / 2);
    // One is killed wherever it is, and begun again at once.
    processes[0].kill().unwrap();
    processes[0].wait().unwrap();
    processes[0] = spawn(&["pass", "one"]);
    sleep(LENGTH.saturating_sub(began.elapsed()));
    let length = began.elapsed();
    for process in &mut processes {
        process.kill().unwrap();
        process.wait().unwrap();
    }

    let mut arrived: BTreeMap<String, Vec<Instant>> = BTreeMap::new();
    for asked in lab.requests() {
        arrived.entry(asked.host.clone()).or_default().push(asked.arrived);
    }
    assert_eq!(arrived.len(), 2);
    for (host, instants) in arrived {
        let least = instants.windows(2).map(|pair| pair[1] - pair[0]).min().unwrap();
        let share = instants.len() as f64 / length.as_secs_f64();
        println!("{host}: {} requests in {length:.1?}, none closer than {least:?}", instants.len());
        assert!(least >= Duration::from_secs(1), "{host}: {least:?}");
        assert!(share >= 0.97, "{host}: {:.1} % of what is possible", share * 100.0);
    }
}
