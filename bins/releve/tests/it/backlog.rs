//! Walks over a backlog's list, seen from the publisher's server and from the queue.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use releve_lab::{Host, Reply};
use serde_json::Value;

use crate::support::{PAGES, Ran, Sandbox, article, example, feed};

/// The source of pages, whose list is a sitemap. The sitemap has no identifier, so an address stands for it until the
/// article is read.
fn with_sitemap(host: Host) -> Sandbox {
    let sandbox = Sandbox::of_pages(host);
    sandbox.write(
        "sources/example.toml",
        &format!(
            "{}backlog = \"absent\"\n\n[backlog]\nsitemap = \"https://www.example.test/sitemap.xml\"\nfloor = \"2020-01-01\"\n",
            PAGES.trim_start()
        ),
    );
    sandbox
}

/// A sitemap of these: address and date.
fn sitemap<'a>(entries: impl IntoIterator<Item = (&'a str, &'a str)>) -> Reply {
    let mut text = String::from("<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>");
    for (path, date) in entries {
        write!(text, "<url><loc>https://www.example.test/{path}</loc><lastmod>{date}</lastmod></url>")
            .unwrap();
    }
    Reply::ok("application/xml", text + "</urlset>")
}

fn index<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Reply {
    let mut text = String::from("<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>");
    for (path, date) in files {
        write!(
            text,
            "<sitemap><loc>https://www.example.test/{path}</loc><lastmod>{date}</lastmod></sitemap>"
        )
        .unwrap();
    }
    Reply::ok("application/xml", text + "</sitemapindex>")
}

/// A newspaper of three years, one file each.
fn newspaper() -> Host {
    example()
        .at("/feed.xml", feed([("new", "https://www.example.test/new")]))
        .at(
            "/sitemap.xml",
            index([("2023.xml", "2023-12-31"), ("2025.xml", "2025-12-31"), ("2024.xml", "2024-12-31")]),
        )
        .at("/2023.xml", sitemap([("23-a", "2023-02-01"), ("23-b", "2023-03-01")]))
        .at("/2024.xml", sitemap([("24-a", "2024-02-01"), ("old", "2019-12-31")]))
        .at("/2025.xml", sitemap([("25-a", "2025-02-01"), ("25-b", "2025-03-01"), ("new", "2025-12-31")]))
        .otherwise(|asked| article(asked.target().trim_start_matches('/')).into())
}

fn targets(sandbox: &Sandbox) -> Vec<String> {
    sandbox.lab.requests().iter().map(|asked| asked.target().to_owned()).collect()
}

fn lists(sandbox: &Sandbox) -> Vec<String> {
    let mut targets = targets(sandbox);
    targets.retain(|target| target.contains(".xml") && target != "/feed.xml");
    targets
}

#[test]
fn r08_the_list_is_walked_newest_first_and_what_it_has_is_read_like_what_is_announced() {
    let sandbox = with_sitemap(newspaper());
    let report = sandbox.pass();
    assert_eq!(
        (&report["end"], &report["found"], &report["sealed"]),
        (&"done".into(), &5.into(), &6.into()),
        "{report}"
    );
    assert_eq!(
        targets(&sandbox),
        [
            "/robots.txt",
            "/feed.xml",
            // What the trigger announces goes first, then the list, which opens no article; then what it has, newest first.
            "/new",
            "/sitemap.xml",
            "/2025.xml",
            "/2024.xml",
            "/2023.xml",
            "/25-b",
            "/25-a",
            "/24-a",
            "/23-b",
            "/23-a"
        ]
    );
    // An article that the trigger announced under its identifier is not another one under its address.
    assert_eq!(sandbox.sealed().len(), 6);
    let gaps = sandbox.lab.requests();
    assert!(gaps.windows(2).all(|pair| (pair[1].arrived - pair[0].arrived).as_secs_f64() >= 1.0));
    let status = sandbox.run(&["backlog", "example"]).expect(0);
    assert!(status.stdout.contains("reached the floor date"), "{status:?}");
    assert!(status.stdout.contains("1 before the floor"), "{status:?}");
}

#[test]
fn r19_the_next_walk_comes_after_24_hours_and_r09_ends_where_everything_is_known() {
    let sandbox = with_sitemap(newspaper());
    sandbox.pass();
    // A pass that is due before the walk is asks for no list.
    sandbox.at_clock("+1h");
    sandbox.pass();
    assert_eq!(lists(&sandbox).len(), 4);
    // The last 48 hours hold nothing here, and all of the newest file is known.
    sandbox.at_clock("+25h");
    let report = sandbox.pass();
    assert_eq!(report["walk"]["end"], "Known", "{report}");
    assert_eq!(lists(&sandbox)[4..], ["/sitemap.xml", "/2025.xml"]);
}

#[test]
fn r10_a_walk_that_was_killed_goes_on_from_its_place_and_loses_nothing() {
    let undisturbed = with_sitemap(newspaper());
    undisturbed.pass();
    let killed: Vec<_> = (3..8)
        .map(|requests| {
            std::thread::spawn(move || {
                let sandbox = with_sitemap(newspaper());
                let mut child = sandbox.spawn(&["pass"]);
                let began = Instant::now();
                while targets(&sandbox).len() < requests {
                    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", targets(&sandbox));
                    sleep(Duration::from_millis(5));
                }
                sleep(Duration::from_millis([0, 10, 40][requests % 3]));
                child.kill().unwrap();
                child.wait().unwrap();
                let report = sandbox.pass();
                assert_eq!(report["end"], "done", "{report}");
                (lists(&sandbox), sandbox.sealed(), requests)
            })
        })
        .collect();
    for killed in killed {
        let (lists, sealed, requests) = killed.join().unwrap();
        assert_eq!(sealed, undisturbed.sealed(), "killed after {requests} requests");
        // A file that was under way is asked for once more; what was behind it never again.
        assert!(lists.len() <= 5, "{lists:?}");
    }
}

#[test]
fn a_walk_that_only_looks_queues_nothing() {
    let sandbox = with_sitemap(newspaper());
    let ran = sandbox.run(&["backlog", "example", "--dry-run"]).expect(0);
    assert!(ran.stdout.contains("6 would be queued, 0 are known already"), "{ran:?}");
    assert_eq!(targets(&sandbox), ["/robots.txt", "/sitemap.xml", "/2025.xml", "/2024.xml", "/2023.xml"]);
    let status = sandbox.run(&["status", "--json"]).json();
    assert_eq!(status[0]["queued"], 0);
    assert_eq!(status[0]["backlog"]["walk"], "never");
    // Nor does it make the walk of the next pass another one.
    assert_eq!(sandbox.pass()["found"], 5);
    let ran = sandbox.run(&["backlog", "example", "--dry-run", "--json"]).expect(0);
    let last: serde_json::Value = serde_json::from_str(ran.stdout.lines().last().unwrap()).unwrap();
    assert_eq!((&last["new"], &last["known"]), (&0.into(), &6.into()));
    let held = sandbox.run(&["backlog", "elsewhere"]);
    assert_eq!(held.code, 2, "{held:?}");
}

#[test]
fn r35_a_list_that_robots_txt_forbids_is_not_read_and_the_articles_are() {
    let robots = Reply::ok("text/plain", "User-agent: *\nDisallow: /sitemap.xml\n");
    let sandbox = with_sitemap(newspaper().at("/robots.txt", robots));
    let report = sandbox.pass();
    assert_eq!((&report["sealed"], &report["found"]), (&1.into(), &0.into()), "{report}");
    assert_eq!(lists(&sandbox), [""; 0]);
    assert_eq!(report["refusals"][0]["code"], "robots-disallowed");
}

#[test]
fn r08_the_sitemaps_that_robots_txt_names_are_the_entrance() {
    let robots = Reply::ok(
        "text/plain",
        "Sitemap: https://www.example.test/2025.xml\nSitemap: https://elsewhere.test/x.xml\n",
    );
    let sandbox = with_sitemap(newspaper().at("/robots.txt", robots));
    let text = std::fs::read_to_string(sandbox.path("sources/example.toml")).unwrap();
    let text = text.replace("\"https://www.example.test/sitemap.xml\"", "\"robots\"");
    sandbox.write("sources/example.toml", &text);
    let ran = Ran::expect(sandbox.run(&["pass", "--json"]), 1);
    assert_eq!(ran.json()[0]["found"], 2, "{ran:?}");
    assert_eq!(lists(&sandbox), ["/2025.xml"]);
}

/// What may not be asked for takes no turn, so nothing slows down a list that names much of it.
#[test]
fn r40_a_list_of_files_at_other_hosts_is_done_with_at_once() {
    let elsewhere = |n: usize| format!("<sitemap><loc>https://elsewhere.test/lists/{n}.xml</loc></sitemap>");
    let text = format!("<sitemapindex>{}</sitemapindex>", (0..20_000).map(elsewhere).collect::<String>());
    let host = example().at("/feed.xml", feed([])).at("/sitemap.xml", Reply::ok("application/xml", text));
    let sandbox = with_sitemap(host);
    let began = Instant::now();
    let report = sandbox.pass();
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    assert_eq!(report["walk"]["refused"][0]["count"], 20_000, "{report}");
    assert_eq!(targets(&sandbox), ["/robots.txt", "/feed.xml", "/sitemap.xml"]);
}

/// While a robots.txt cannot be had nobody knows which sitemaps it names, so the walk waits for it and not for the next day.
#[test]
fn r36_a_robots_txt_that_cannot_be_had_puts_the_walk_off_to_the_next_pass() {
    let lists = Host::new("lists.example.test").at("/s.xml", sitemap([("a", "2025-01-01")]));
    let sandbox = Sandbox::new([
        example().at("/feed.xml", feed([])).at("/a", article("a")),
        lists.at("/robots.txt", Reply::status(503)),
    ]);
    let text = PAGES.trim_start().replace("test\"]", "test\", \"lists.example.test\"]");
    sandbox.write(
        "sources/example.toml",
        &format!("{text}backlog = \"absent\"\n\n[backlog]\nsitemap = \"robots\"\n"),
    );
    let report = sandbox.pass();
    assert_eq!(report["refusals"][0]["code"], "robots-server-error", "{report}");
    assert_eq!(report["walk"]["end"], Value::Null, "{report}");
    let looked = sandbox.run(&["backlog", "example", "--dry-run"]).expect(1);
    assert!(looked.stdout.contains("cannot be read now: robots-server-error"), "{looked:?}");

    let robots = "Sitemap: https://lists.example.test/s.xml\n";
    sandbox.lab.put("lists.example.test", "/robots.txt", Reply::ok("text/plain", robots)).unwrap();
    sandbox.at_clock("+16m");
    let report = sandbox.pass();
    assert_eq!((&report["found"], &report["walk"]["end"]), (&1.into(), &"ListEnd".into()), "{report}");
}

/// Whoever looks at night sees that a list was not read whole, and that no walk has reached the floor.
#[test]
fn r09_a_walk_with_gaps_is_said_to_be_one() {
    let broken = newspaper().at("/2024.xml", Reply::ok("text/xml", "<!doctype html><title>Sorry</title>"));
    let sandbox = with_sitemap(broken);
    sandbox.pass();
    let status = sandbox.run(&["status"]).stdout;
    assert!(status.contains("the list was not read whole"), "{status}");
    let stand = sandbox.run(&["backlog", "example"]).stdout;
    assert!(stand.contains("with 1 gap;") && stand.contains("sitemap-is-html"), "{stand}");
    assert!(stand.contains("not reached by any walk yet"), "{stand}");
    let reason = sandbox.run(&["explain", "sitemap-is-html"]).expect(0).stdout;
    assert!(reason.contains("no sitemap"), "{reason}");
}

/// What was left out under an earlier configuration may stand behind what is known: the next walk goes all the way.
#[test]
fn r09_a_configuration_that_takes_more_is_walked_to_the_floor_again() {
    let list =
        |day: &str| sitemap([(format!("news-{day}").as_str(), day), (format!("talk-{day}").as_str(), day)]);
    let host = newspaper()
        .at("/2025.xml", sitemap([("news-25", "2025-03-01")]))
        .at("/2024.xml", list("2024-03-01"))
        .at("/2023.xml", list("2023-03-01"));
    let sandbox = with_sitemap(host);
    let text = std::fs::read_to_string(sandbox.path("sources/example.toml")).unwrap();
    let taking = |path: &str| {
        sandbox.write("sources/example.toml", &format!("article_path = \"^/{path}-\"\n{text}"));
    };
    taking("news");
    assert_eq!(sandbox.pass()["found"], 3);
    taking("(news|talk)");
    let stand = sandbox.run(&["backlog", "example"]).stdout;
    assert!(stand.contains("not reached by any walk yet under this configuration"), "{stand}");
    sandbox.at_clock("+25h");
    let report = sandbox.pass();
    assert_eq!((&report["found"], &report["walk"]["end"]), (&2.into(), &"ListEnd".into()), "{report}");
    sandbox.at_clock("+50h");
    assert_eq!(sandbox.pass()["walk"]["end"], "Known");
}

/// What is said of a source that nobody asks anything for promises nothing.
#[test]
fn r39_the_stand_of_an_inactive_source_promises_nothing() {
    let sandbox = with_sitemap(newspaper().otherwise(|_| Reply::status(500).into()));
    let text = std::fs::read_to_string(sandbox.path("sources/example.toml")).unwrap();
    let inactive = format!("active = false\n{text}");
    sandbox.write("sources/example.toml", &inactive);
    let stand = sandbox.run(&["backlog", "example"]).stdout;
    assert!(stand.starts_with("source       inactive") && !stand.contains("the next pass"), "{stand}");
    sandbox.write("sources/example.toml", &text);
    sandbox.pass();
    assert!(sandbox.run(&["backlog", "example"]).stdout.contains("all is read by"));
    sandbox.write("sources/example.toml", &inactive);
    let stand = sandbox.run(&["backlog", "example"]).stdout;
    assert!(stand.starts_with("source       inactive") && !stand.contains("all is read by"), "{stand}");
}

/// An article that stands on two files of a list is queued once, and counted once.
#[test]
fn a_walk_that_only_looks_counts_an_article_once() {
    let host =
        newspaper().at("/2023.xml", sitemap([("23-a", "2023-02-01"), ("25-a?utm_source=x", "2023-03-01")]));
    let ran = with_sitemap(host).run(&["backlog", "example", "--dry-run"]).expect(0);
    assert!(ran.stdout.contains("5 would be queued, 0 are known already"), "{ran:?}");
    assert_eq!(ran.stdout.matches("/25-a").count(), 2, "{ran:?}");
}

/// Somebody sits before a walk that only looks, and is not left waiting for a host that wants to be left alone.
#[test]
fn a_walk_that_only_looks_does_not_wait_for_hours() {
    let busy = Reply::status(429).header("Retry-After", "7200");
    let sandbox = with_sitemap(newspaper().at("/2025.xml", busy));
    let began = Instant::now();
    let ran = sandbox.run(&["backlog", "example", "--dry-run"]).expect(1);
    assert!(ran.stderr.contains("left alone for more than an hour"), "{ran:?}");
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    assert_eq!(targets(&sandbox), ["/robots.txt", "/sitemap.xml", "/2025.xml"]);
    let explained = sandbox.run(&["explain", "https://www.example.test/2024.xml"]).stdout;
    assert!(explained.contains("next turn"), "{explained}");
}

/// The most memory that a process has had so far, in KiB.
fn peak(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.trim().trim_end_matches(" kB").parse().ok()
}

/// A million addresses, as many to a file as sitemaps.org allows, in the forms in which they come: as they are, packed,
/// and packed for the way. The bound is the one of the whole process, with the allocator that operators have.
#[test]
fn r08_a_million_addresses_are_walked_in_64_mib() {
    let files = 20;
    let entry = |file: usize, number: usize| {
        let day = number % 28 + 1;
        format!(
            "<url><loc>https://www.example.test/{file}/an-article-with-a-title-of-some-length-{number}</loc>\
             <lastmod>{}-03-{day:02}T12:00:00+01:00</lastmod><changefreq>never</changefreq></url>\n",
            file + 2006
        )
    };
    let names: Vec<String> = (0..files).map(|file| format!("{file}.xml")).collect();
    let dates: Vec<String> = (0..files).map(|file| format!("{}-03-28", file + 2006)).collect();
    let mut host = example()
        .at("/feed.xml", feed([]))
        .at("/sitemap.xml", index(names.iter().map(String::as_str).zip(dates.iter().map(String::as_str))));
    for (file, name) in names.iter().enumerate() {
        let entries: String = (0..50_000).map(|number| entry(file, number)).collect();
        let text = format!("<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{entries}</urlset>");
        let reply = match file % 3 {
            0 => Reply::ok("application/xml", text),
            1 => Reply::ok("application/gzip", gzip(&text)),
            _ => Reply::ok("application/xml", "").coded("gzip", gzip(&text)),
        };
        host = host.at(&format!("/{name}"), reply);
    }
    let sandbox = with_sitemap(host);
    let source = std::fs::read_to_string(sandbox.path("sources/example.toml")).unwrap();
    sandbox.write("sources/example.toml", &source.replace("2020-01-01", "2000-01-01"));
    let mut child = sandbox.spawn(&["pass", "--json"]);
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        most = most.max(peak(child.id()).unwrap_or_default());
        if lists(&sandbox).len() == 1 + files && targets(&sandbox).len() > 3 + files {
            // The list is walked, and the first of its articles is asked for.
            child.kill().unwrap();
        }
        sleep(Duration::from_millis(20));
    }
    let status = sandbox.run(&["status", "--json"]).json();
    assert_eq!(status[0]["backlog"]["report"]["entries"], 50_000 * files, "{status}");
    println!("{most} KiB at most");
    assert!((1..64 * 1024).contains(&most), "{most} KiB");
}

/// Whoever answers so is not asked for a day.
fn busy() -> Reply {
    Reply::status(429).header("Retry-After", "86400")
}

/// A newspaper whose magazine is at a host of its own.
fn with_magazine(newspaper: Host, magazine: Host) -> Sandbox {
    let sandbox =
        Sandbox::new([newspaper.at("/feed.xml", feed([])), magazine.at("/robots.txt", Reply::status(404))]);
    sandbox.write(
        "sources/example.toml",
        &format!(
            "{}backlog = \"absent\"\n\n[backlog]\nsitemap = \"https://www.example.test/sitemap.xml\"\n",
            PAGES.trim_start().replace("test\"]", "test\", \"magazine.example.test\"]")
        ),
    );
    sandbox
}

#[test]
fn r23_a_host_that_asks_to_be_left_alone_keeps_nobody_from_what_is_at_another() {
    let list = "<urlset>\
        <url><loc>https://magazine.example.test/x</loc><lastmod>2025-03-01</lastmod></url>\
        <url><loc>https://magazine.example.test/y</loc><lastmod>2025-02-01</lastmod></url>\
        <url><loc>https://www.example.test/a</loc><lastmod>2025-01-01</lastmod></url></urlset>";
    let newspaper = example().at("/sitemap.xml", Reply::ok("application/xml", list)).at("/a", article("a"));
    let sandbox =
        with_magazine(newspaper, Host::new("magazine.example.test").at("/x", busy()).at("/y", busy()));
    let report = sandbox.pass();
    assert_eq!((&report["sealed"], &report["end"]), (&1.into(), &"time-up".into()), "{report}");
    let asked = sandbox.asked();
    assert!(asked.contains(&"magazine.example.test/x".to_owned()), "{asked:?}");
    assert!(!asked.contains(&"magazine.example.test/y".to_owned()), "{asked:?}");
    // Nobody would know else why it is not read.
    let detail = report["detail"].as_str().unwrap_or_default();
    assert!(detail.starts_with("magazine.example.test is asked for nothing before"), "{report}");
}

#[test]
fn r10_a_list_at_a_host_that_asks_to_be_left_alone_goes_on_later_and_what_it_has_said_is_read() {
    let list = "<sitemapindex>\
        <sitemap><loc>https://www.example.test/2.xml</loc></sitemap>\
        <sitemap><loc>https://magazine.example.test/1.xml</loc></sitemap></sitemapindex>";
    let newspaper = example()
        .at("/sitemap.xml", Reply::ok("application/xml", list))
        .at("/2.xml", sitemap([("a", "2025-01-01")]))
        .at("/a", Reply::status(500));
    let magazine = Host::new("magazine.example.test").at("/1.xml", busy());
    let sandbox = with_magazine(newspaper, magazine);
    sandbox.pass();
    sandbox.lab.put("www.example.test", "/a", article("a")).unwrap();
    sandbox.at_clock("+16m");
    let report = sandbox.pass();
    assert_eq!((&report["sealed"], &report["end"]), (&1.into(), &"time-up".into()), "{report}");
    let stand = sandbox.run(&["backlog", "example"]).stdout;
    assert!(stand.contains("under way"), "{stand}");
}

/// Newspaper and magazine, whose list has these at both hosts.
fn list_of_both(magazine: Host) -> Sandbox {
    let files = [
        "magazine.example.test/3.xml",
        "www.example.test/2.xml",
        "magazine.example.test/1.xml",
        "www.example.test/0.xml",
    ];
    let files = files.map(|file| format!("<sitemap><loc>https://{file}</loc></sitemap>")).concat();
    let newspaper = example()
        .at("/sitemap.xml", Reply::ok("application/xml", format!("<sitemapindex>{files}</sitemapindex>")))
        .at("/2.xml", sitemap([("a", "2025-03-01")]))
        .at("/0.xml", sitemap([("b", "2025-01-01")]))
        .otherwise(|asked| article(asked.target().trim_start_matches('/')).into());
    with_magazine(newspaper, magazine)
}

#[test]
fn r10_a_list_at_a_host_that_asks_to_be_left_alone_keeps_nobody_from_what_is_at_another() {
    let sandbox = list_of_both(Host::new("magazine.example.test").otherwise(|_| busy().into()));
    let report = sandbox.pass();
    assert_eq!((&report["sealed"], &report["end"]), (&2.into(), &"time-up".into()), "{report}");
    let detail = report["detail"].as_str().unwrap_or_default();
    assert!(detail.starts_with("magazine.example.test is asked for nothing before"), "{report}");
    let asked = sandbox.asked();
    assert_eq!(
        asked.iter().filter(|asked| asked.starts_with("magazine.example.test/")).count(),
        2,
        "{asked:?}"
    );
    let stand = sandbox.run(&["backlog", "example"]).stdout;
    assert!(stand.contains("under way") && stand.contains("out-of-time ("), "{stand}");
    // A pass later nothing is asked for: what is left is at that host.
    sandbox.at_clock("+16m");
    assert_eq!(sandbox.pass()["end"], "time-up");
    assert_eq!(sandbox.asked().len(), asked.len() + 1, "the trigger alone");
    assert_eq!(sandbox.run(&["explain", "out-of-time"]).code, 0);
}

/// A file that redirects to such a host was asked for itself, and is no more often than any that fails.
#[test]
fn r09_a_file_that_redirects_to_a_host_that_cannot_be_asked_is_asked_for_three_times() {
    for robots in [404, 500] {
        let list = sitemap([]).body(
            "<sitemapindex><sitemap><loc>https://www.example.test/1.xml</loc></sitemap></sitemapindex>",
        );
        let newspaper = example()
            .at("/sitemap.xml", list)
            .at("/1.xml", Reply::redirect(302, "https://magazine.example.test/1.xml"));
        let sandbox = with_magazine(newspaper, Host::new("magazine.example.test").at("/1.xml", busy()));
        sandbox.lab.put("magazine.example.test", "/robots.txt", Reply::status(robots)).unwrap();
        for clock in ["+0m", "+16m", "+32m", "+48m", "+64m"] {
            sandbox.at_clock(clock);
            sandbox.pass();
        }
        let asked = sandbox.asked();
        assert_eq!(asked.iter().filter(|asked| *asked == "www.example.test/1.xml").count(), 3, "{asked:?}");
        let stand = sandbox.run(&["backlog", "example"]).stdout;
        assert!(stand.contains("with 1 gap;"), "{stand}");
    }
}

/// A host that is gone holds up neither the list's files at others, nor the next walk.
#[test]
fn r19_a_host_whose_robots_txt_cannot_be_had_does_not_hold_up_the_next_walk() {
    let sandbox = list_of_both(Host::new("magazine.example.test"));
    sandbox.lab.put("magazine.example.test", "/robots.txt", Reply::status(500)).unwrap();
    let walked = |clock: &str| {
        sandbox.at_clock(clock);
        let before = sandbox.asked().len();
        let report = sandbox.pass();
        let mut asked = sandbox.asked().split_off(before);
        asked.retain(|asked| {
            asked.starts_with("magazine") || asked.contains(".xml") && !asked.contains("feed")
        });
        let end = report["walk"]["end"].clone();
        (asked.into_iter().map(|asked| asked.replace(".example.test", "")).collect::<Vec<_>>(), end)
    };
    let whole =
        ["www/sitemap.xml", "magazine/robots.txt", "www/2.xml", "www/0.xml"].map(str::to_owned).to_vec();
    assert_eq!(walked("+0m"), (whole.clone(), Value::Null));
    assert_eq!(walked("+16m"), (vec!["magazine/robots.txt".to_owned()], Value::Null));
    assert_eq!(walked("+25h"), (vec!["magazine/robots.txt".to_owned()], "ListEnd".into()));
    let stand = sandbox.run(&["backlog", "example"]).stdout;
    assert!(stand.contains("with 2 gaps") && stand.contains("robots-server-error"), "{stand}");
    assert_eq!(walked("+1530m"), (whole, Value::Null));
}

/// The trigger stays due all the time that its host asks to be left alone.
#[test]
fn r21_a_daemon_rests_while_a_host_is_left_alone() {
    let sandbox = Sandbox::of_pages(
        example().at("/feed.xml", feed([("a", "https://www.example.test/a")])).at("/a", busy()),
    );
    sandbox.pass();
    sandbox.at_clock("+16m");
    let mut child =
        sandbox.command(&["run"]).env("RELEVE_LOG", "info").stderr(Stdio::piped()).spawn().unwrap();
    sleep(Duration::from_secs(3));
    child.kill().unwrap();
    let told = Ran::of(&child.wait_with_output().unwrap()).stderr;
    assert_eq!(told.matches("the time is up").count(), 1, "{told}");
    let report = sandbox.pass();
    let detail = report["detail"].as_str().unwrap_or_default();
    assert!(detail.starts_with("www.example.test is asked for nothing before"), "{report}");
}

fn gzip(text: &str) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(text.as_bytes()).unwrap();
    packed.finish().unwrap()
}

#[test]
fn r10_a_host_that_is_down_for_an_hour_does_not_use_up_the_walk() {
    let names = ["1.xml", "2.xml", "3.xml", "4.xml", "5.xml", "6.xml"];
    let host = names.iter().fold(
        newspaper().at("/sitemap.xml", index(names.iter().map(|name| (*name, "2025-12-31")))),
        |host, name| host.at(&format!("/{name}"), Reply::status(503)),
    );
    let sandbox = with_sitemap(host);
    for clock in ["+0m", "+16m", "+32m", "+48m"] {
        sandbox.at_clock(clock);
        let before = lists(&sandbox).len();
        let report = sandbox.pass();
        assert_eq!(report["walk"]["end"], serde_json::Value::Null, "{report}");
        assert_eq!(report["refusals"][0]["code"], "status-5xx", "{report}");
        // What answers with errors is not asked for everything that there is.
        assert!(lists(&sandbox).len() - before <= 5, "{:?}", lists(&sandbox));
        let stand = sandbox.run(&["backlog", "example"]).stdout;
        assert!(stand.contains("status-5xx (") && stand.contains("a later pass asks again"), "{stand}");
    }
    for (number, name) in names.iter().enumerate() {
        let path = format!("25-{number}");
        sandbox
            .lab
            .put("www.example.test", &format!("/{name}"), sitemap([(path.as_str(), "2025-02-01")]))
            .unwrap();
    }
    sandbox.at_clock("+64m");
    let report = sandbox.pass();
    assert_eq!((&report["walk"]["gaps"], &report["found"]), (&serde_json::json!([]), &6.into()), "{report}");
}
