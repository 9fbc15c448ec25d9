//! Processes that are killed, at every step that there is.

use jiff::Timestamp;
use releve_ledger::{Counts, Ledger as _};

use crate::site::{List, Site};
use crate::world::{CRON, DAY, MINUTE, World};

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
        assert_eq!(world.check_sealed(&site), 5, "{looks}");
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

#[tokio::test(start_paused = true)]
async fn r10_a_pass_over_sitemaps_that_is_killed_anywhere_loses_nothing() {
    killed_everywhere(List::Sitemaps).await;
}

#[tokio::test(start_paused = true)]
async fn r10_a_pass_over_pages_that_is_killed_anywhere_loses_nothing() {
    killed_everywhere(List::Pages).await;
}
