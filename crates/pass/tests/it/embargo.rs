//! Articles under embargo (R41). The trigger says of it; the sitemaps list the articles all the same.

use std::sync::Arc;

use releve_ledger::State;
use releve_source::Source;

use crate::site::{List, Site};
use crate::world::{CRON, DAY, HOUR, MINUTE, World, noon};

const LIST: List = List::Sitemaps;

/// Four articles, and what the feed says of the embargo of the third.
fn world(embargo: &[(u32, &str)]) -> (World, Arc<Site>, Arc<Source>) {
    let world = World::new();
    let mut site = Site::with_articles(LIST, 4);
    let said = embargo.iter().map(|(minute, until)| (noon() + MINUTE * *minute, (*until).to_owned()));
    site.articles[2].embargo = said.collect();
    let site = site.open(&world);
    (world, site, LIST.source_with("embargo = { field = \"n:embargo\" }"))
}

#[tokio::test(start_paused = true)]
async fn r41_an_article_under_embargo_is_read_after_it_is_lifted_whatever_lists_it() {
    let (world, site, source) = world(&[(0, "2026-03-02T13:00:00Z")]);
    let reports = world.passes(&source, (0..96 * 2).map(|quarter| CRON * quarter)).await;
    assert_eq!((reports[0].tally.sealed, reports[0].tally.embargoed), (3, 1));
    // The walk has found its address in the sitemap.
    assert_eq!(world.asked(LIST.entrance()).len(), 2);
    let read = world.asked("/a/3");
    assert_eq!(read.len(), 1);
    assert!(read[0] >= DAY + HOUR && read[0] < DAY + HOUR + CRON, "{read:?}");
    assert_eq!(world.check_sealed(&site).len(), 4);
}

#[tokio::test(start_paused = true)]
async fn r41_an_embargo_that_comes_while_an_article_waits_holds() {
    // The first read fails; before the next one there is an embargo.
    let (world, _, source) = world(&[(5, "2026-03-01T18:00:00Z")]);
    world.publisher.put(&LIST.article(3), releve_fetch::MemoryAnswer::new(503, "text/plain", ""));
    world.passes(&source, (0..96).map(|quarter| CRON * quarter)).await;
    let read: Vec<_> = world.asked("/a/3");
    assert!(read[0] < MINUTE && read[1] >= 6 * HOUR, "{read:?}");
    // The passes that it waited for are no failures: after the embargo it is tried as often as another.
    assert!(read[3] < read[1] + 3 * CRON, "{read:?}");
}

#[tokio::test(start_paused = true)]
async fn r41_an_embargo_without_a_complete_instant_holds_until_the_trigger_says_otherwise() {
    for until in ["2026-03-01T18:00:00", "2026-03-01", "tomorrow", ""] {
        // It holds too when the feed has moved on, and while the sitemap lists the article.
        let (world, site, source) = world(&[(0, until)]);
        world.passes(&source, (0..40).map(|quarter| CRON * quarter)).await;
        let mut moved_on = Site::clone(&site);
        moved_on.announced = 1;
        moved_on.open(&world);
        world.passes(&source, (40..96 * 3).map(|quarter| CRON * quarter)).await;
        assert!(world.asked("/a/3").is_empty(), "{until:?}");
        assert_eq!(world.entry("3").refusal.unwrap().code, "embargo-incomplete");
    }
}

#[tokio::test(start_paused = true)]
async fn r41_an_embargo_that_is_lifted_early_is_over() {
    let (world, _, source) =
        world(&[(0, "2026-05-01T12:00:00Z"), (60, "2026-03-01T12:30:00Z"), (10_000, "")]);
    world.passes(&source, (0..10).map(|quarter| CRON * quarter)).await;
    let read = world.asked("/a/3");
    assert!(read.len() == 1 && read[0] >= HOUR && read[0] < HOUR + MINUTE, "{read:?}");
    assert_eq!(world.entry("3").state, State::Sealed);
}

/// Of what the list has nobody can tell whether it is under embargo while the trigger cannot be read.
#[tokio::test(start_paused = true)]
async fn r41_the_list_is_not_walked_before_the_trigger_is_read() {
    let (world, site, source) = world(&[(0, "2026-03-01T13:00:00Z")]);
    world
        .publisher
        .put("https://www.example.org/feed", releve_fetch::MemoryAnswer::new(503, "text/plain", ""));
    world.passes(&source, (0..6).map(|minute| MINUTE * 5 * minute)).await;
    assert!(world.asked(LIST.entrance()).is_empty());
    let feed = site.sound_answer("https://www.example.org/feed", noon() + HOUR).unwrap();
    world.publisher.put("https://www.example.org/feed", feed);
    world.passes(&source, (2..6).map(|quarter| CRON * quarter)).await;
    assert!(world.asked("/a/3").iter().all(|at| *at >= HOUR));
    assert_eq!(world.check_sealed(&site).len(), 4);
}

#[tokio::test(start_paused = true)]
async fn r41_no_kill_has_an_article_read_under_embargo() {
    for looks in 1.. {
        let (world, site, source) = world(&[(0, "2026-03-01T12:40:00Z")]);
        let process = world.process();
        process.dies_after(looks);
        let survived = process.pass(&source, jiff::Timestamp::MAX).await.is_some();
        world.passes(&source, [1, 2, 16, 17, 31, 46, 61].map(|minute| MINUTE * minute)).await;
        let read = world.asked("/a/3");
        assert!(read.iter().all(|at| *at >= 40 * MINUTE) && !read.is_empty(), "{looks}: {read:?}");
        assert_eq!(world.check_sealed(&site).len(), 4, "{looks}");
        if survived {
            break;
        }
    }
}
