//! When the trigger and the backlog are read (R18, R19, R20).

use std::time::Duration;

use crate::site::{List, Planned, Site};
use crate::world::{CRON, DAY, HOUR, MINUTE, World, gaps, noon, since_noon};

const LIST: List = List::Sitemaps;

/// Whole seconds.
fn secs(lengths: &[Duration]) -> Vec<u64> {
    lengths.iter().map(Duration::as_secs).collect()
}

#[tokio::test(start_paused = true)]
async fn r18_cron_every_minute_reads_the_trigger_every_15_minutes() {
    let world = World::new();
    Site::with_articles(LIST, 3).open(&world);
    let source = LIST.source();
    world.passes(&source, (0..=180).map(|minute| MINUTE * minute)).await;
    world.check_pace(LIST.trigger());
    // robots.txt goes first, and every read is 15 minutes after the one before.
    let read = world.asked(LIST.trigger());
    assert_eq!(secs(&read), (0..=12).map(|quarter| 1 + 900 * quarter).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn r18_cron_every_15_minutes_with_jitter_skips_no_turn() {
    // What a start comes too early by is waited for, so that each reads the trigger, however the jitter falls.
    for seed in 0..8 {
        let world = World::new();
        Site::with_articles(LIST, 3).open(&world);
        let source = LIST.source();
        let mut dice = crate::site::Dice::new(seed);
        // Thirty seconds early to thirty seconds late.
        let starts =
            (1..=96_u32).map(|quarter| MINUTE / 2 * (30 * quarter - 1) + Duration::from_secs(dice.below(61)));
        world.passes(&source, starts).await;
        world.check_pace(LIST.trigger());
        assert_eq!(world.asked(LIST.trigger()).len(), 96, "seed {seed}");
    }
}

#[tokio::test(start_paused = true)]
async fn r19_the_backlog_is_walked_at_the_first_pass_and_then_every_24_hours() {
    let world = World::new();
    Site::with_articles(LIST, 3).open(&world);
    let source = LIST.source();
    // Each pass is a process of its own: a start makes no walk due (R10).
    world.passes(&source, (0..96 * 4).map(|quarter| CRON * quarter)).await;
    let walked = world.asked(LIST.entrance());
    assert_eq!(walked.len(), 4, "{walked:?}");
    for gap in gaps(&walked) {
        assert!(gap >= DAY && gap < DAY + CRON + MINUTE, "{gap:?}");
    }
    assert!(walked[0] < MINUTE);
}

#[tokio::test(start_paused = true)]
async fn r19_a_pass_a_day_walks_every_day_however_much_the_trigger_announces() {
    // The walk comes after what the trigger announces. On a day that announces less than the day before its time is
    // not quite there, and the pass waits for it: the next one would come a day later.
    let world = World::new();
    let mut site = Site::with_articles(LIST, 30);
    site.articles.push(Planned::new(31, noon() + HOUR));
    site.articles.push(Planned::new(32, noon() + 2 * DAY - HOUR));
    site.open(&world);
    let source = LIST.source();
    world.passes(&source, (0..5).map(|day| DAY * day)).await;
    let walked = world.asked(LIST.entrance());
    assert_eq!(walked.len(), 5, "{walked:?}");
    assert!(gaps(&walked).iter().all(|gap| *gap >= DAY), "{walked:?}");
}

#[tokio::test(start_paused = true)]
async fn r20_the_last_48_hours_are_walked_again_and_the_rest_is_not() {
    let world = World::new();
    // Two months, each in a file of its own.
    let day = |day: u32| noon() - DAY * day;
    let mut site = Site::new(LIST, (1..=20).map(|id| Planned::new(u64::from(id), day(id + 2))).collect());
    // One of which the trigger says nothing appears on the second day, dated the day before.
    site.articles.push(Planned::new(21, noon() + Duration::from_secs(3)));
    site.announced = 0;
    site.open(&world);
    let source = LIST.source();
    world.passes(&source, (0..5).map(|day| DAY * day + MINUTE * day)).await;
    world.check_pace(LIST.trigger());
    assert_eq!(world.entry("21").seen_in, releve_ledger::SeenIn::Backlog);
    let all: Vec<_> = world.publisher.asked();
    let listed = |month: &str| -> Vec<u64> {
        let asked = all.iter().filter(|asked| asked.url.ends_with(month));
        asked.map(|asked| since_noon(asked.sent_at).as_secs() / 86_400).collect()
    };
    // The newer one every time. The older one at first and again when the newer had something new; later the newer one is
    // known as a whole and ends the walk.
    assert_eq!(listed("/sitemap.xml"), [0, 1, 2, 3, 4]);
    assert_eq!(listed("/sitemap-2026-03.xml"), [1, 2, 3, 4]);
    assert_eq!(listed("/sitemap-2026-02.xml"), [0, 1]);
}
