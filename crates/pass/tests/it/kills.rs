//! Processes that are killed, at every step that there is.

use std::time::Duration;

use jiff::Timestamp;
use releve_fetch::MemoryAnswer;
use releve_ledger::{Counts, Ledger as _, State};

use crate::site::{List, Planned, Site};
use crate::world::{CRON, DAY, MINUTE, World, here, noon};

/// Kills a process at its every look at the clock, of which there is one before each of its effects, and lets others go on
/// from there: nothing is lost, nothing is sealed twice, and the publisher notices nothing of it.
async fn killed_everywhere(list: List) {
    let mut looks = 1;
    loop {
        let world = World::new();
        let mut site = Site::with_articles(list, 5);
        // One is older than the floor.
        site.articles[0].published = "2026-01-10T12:00:00Z".parse().unwrap();
        let site = site.open(&world);
        let source = list.source();
        let process = world.process();
        process.dies_after(looks);
        let report = process.pass(&source, Timestamp::MAX).await;
        world.passes(&source, [MINUTE, CRON, CRON * 2]).await;
        world.check_pace(list.trigger());
        assert_eq!(world.check_sealed(&site).len(), 5, "{looks}");
        let counts = world.ledger.counts("example").unwrap();
        assert_eq!(counts, Counts { sealed: 5, ..Counts::default() }, "{looks}");
        // What was read and not put on record is read once more, and no more.
        let asked = world.publisher.asked();
        let again = asked.iter().enumerate().filter(|(at, one)| {
            one.url.contains("/a/") && asked[..*at].iter().any(|before| before.url == one.url)
        });
        assert!(again.count() <= 1, "{looks}: {asked:?}");
        // The walk that was cut off goes on; no other one begins within the day.
        let entered = world.asked(list.entrance());
        assert!(entered.len() <= 2 && entered.iter().all(|at| *at < DAY), "{looks}: {entered:?}");
        assert!(world.ledger.walk("example").unwrap().unwrap().place.is_none(), "{looks}");
        if report.is_some() {
            println!("{list:?}: killed at {looks} looks");
            break;
        }
        looks += 1;
    }
    // Whoever changes how often a pass looks at the clock sees to it that it is still often enough.
    assert!(looks > 100, "{looks}");
}

/// A walk over six pages of a list that shifts under it: at every other second an article vanishes before its place, and now
/// and then one comes. It is killed at every step, and what stays public is found all the same.
#[tokio::test(start_paused = true)]
async fn r10_a_walk_over_a_list_that_shifts_loses_nothing_wherever_it_is_killed() {
    for looks in (1..300).step_by(2) {
        let world = World::new();
        let mut site = Site::with_articles(List::SmallPages, 30);
        for second in 0..12_u32 {
            let at = noon() + Duration::from_secs(2) * second;
            // The newest vanish first, of which the trigger's pages and the walk's first ones have the most.
            site.articles[29 - second as usize].gone = Some(at);
            if second % 3 == 0 {
                site.articles.push(Planned::new(u64::from(31 + second), at));
            }
        }
        let site = site.open(&world);
        let source = List::SmallPages.source();
        let process = world.process();
        process.dies_after(looks);
        let report = process.pass(&source, Timestamp::MAX).await;
        world.passes(&source, [MINUTE, CRON, CRON * 2]).await;
        world.check_pace(List::SmallPages.trigger());
        world.check_sealed(&site);
        let end = world.now();
        for article in site.articles.iter().filter(|article| article.is_public(end)) {
            let entry = world.ledger.entry("example", &article.id.to_string()).unwrap();
            let state = entry.map(|entry| entry.state);
            assert_eq!(state, Some(State::Sealed), "{looks}: {article:?}");
        }
        let walk = world.ledger.walk("example").unwrap().unwrap();
        assert!(walk.place.is_none(), "{looks}: {walk:?}");
        if report.is_some() {
            break;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn r10_a_pass_over_sitemaps_that_is_killed_anywhere_loses_nothing() {
    killed_everywhere(List::Sitemaps).await;
}

#[tokio::test(start_paused = true)]
async fn r10_a_pass_over_pages_that_is_killed_anywhere_loses_nothing() {
    killed_everywhere(List::Pages).await;
}

/// The place of a walk with thousands of files before it is long, so that it is not kept behind each of them. A pass that ends by
/// itself leaves it where it stands; one that is killed has some files asked for again.
#[tokio::test(start_paused = true)]
async fn r10_a_long_list_is_left_at_its_place_and_a_kill_costs_a_few_files() {
    let world = World::new();
    let file =
        |number: u32| format!("<sitemap><loc>{}</loc></sitemap>", here(&format!("/sitemap-{number}.xml")));
    let files: Vec<String> = (0..25_000).map(file).collect();
    let index = format!("<sitemapindex>{}</sitemapindex>", files.concat());
    world.publisher.answer_with(move |url, _| {
        let path = url.strip_prefix("https://www.example.org/")?;
        Some(match path {
            "robots.txt" => MemoryAnswer::new(404, "text/plain", ""),
            "feed" => MemoryAnswer::new(
                200,
                "application/atom+xml",
                r#"<feed xmlns="http://www.w3.org/2005/Atom"/>"#,
            ),
            "sitemap.xml" => MemoryAnswer::new(200, "application/xml", index.clone()),
            _ => {
                let number = path.strip_prefix("sitemap-")?.strip_suffix(".xml")?;
                let file =
                    format!("<urlset><url><loc>https://www.example.org/a/{number}</loc></url></urlset>");
                MemoryAnswer::new(200, "application/xml", file)
            }
        })
    });
    let source = List::Sitemaps.source();
    let kept = || {
        let report = world.ledger.walk("example").unwrap().unwrap().report.unwrap();
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        usize::try_from(report["requests"].as_u64().unwrap()).unwrap()
    };
    let asked = || world.asked(".xml").len();

    world.process().pass(&source, noon() + MINUTE).await.unwrap();
    assert_eq!((asked(), kept()), (58, 58));

    let mut lost = Vec::new();
    for killed in 1..=8 {
        world.at(CRON * killed).await;
        let process = world.process();
        process.dies_after(i64::from(150 + 17 * killed));
        assert!(process.pass(&source, Timestamp::MAX).await.is_none());
        lost.push(asked() - kept() - lost.iter().sum::<usize>());
    }
    assert!(asked() > 100 && lost.iter().all(|lost| *lost <= 5), "{lost:?}");
    assert!(lost.iter().sum::<usize>() > 0, "{lost:?}");

    world.at(CRON * 9).await;
    world.process().pass(&source, noon() + CRON * 9 + MINUTE).await.unwrap();
    assert_eq!(asked(), kept() + lost.iter().sum::<usize>());
    world.check_pace(List::Sitemaps.trigger());
}
