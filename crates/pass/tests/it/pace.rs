//! How far passes get in their time, and that nobody is left waiting for ever.

use std::time::Duration;

use releve_fetch::MemoryAnswer;
use releve_pass::End;

use crate::site::{List, Planned, Site};
use crate::world::{CRON, DAY, HOUR, MINUTE, World, gaps, noon, since_noon};

/// Articles that are older than the beginning, one every five minutes.
fn backlog(list: List, count: u32) -> Site {
    let age = |id: u32| MINUTE * (5 * id);
    Site::new(list, (1..=count).map(|id| Planned::new(u64::from(id), noon() - age(id))).collect())
}

#[tokio::test(start_paused = true)]
async fn r21_a_backlog_of_5000_articles_is_read_at_the_rate_that_is_promised() {
    let world = World::new();
    let mut site = backlog(List::Pages, 5_000);
    let (new, comes) = (5_001, MINUTE * 40);
    site.articles.push(Planned::new(new, noon() + comes));
    site.open(&world);
    let source = List::Pages.source();
    let mut passes = 0;
    while world.vault.all().len() < 5_001 {
        // What is due begins at once, as the daemon has it.
        world.at(CRON * passes).await;
        passes += 1;
        let report = world.pass(&source).await;
        assert!(matches!(report.end, End::TimeUp | End::Done), "{report:?}");
    }
    world.check_pace(List::Pages.trigger());
    let asked = world.publisher.asked();
    let took = since_noon(asked.last().unwrap().sent_at);
    let rate = (asked.len() - 1) as f64 / took.as_secs_f64();
    println!("{passes} passes, {} requests in {took:?}: {:.1} % of one a second", asked.len(), 100.0 * rate);
    assert!(rate >= 0.97, "{rate}");
    // One request an article, and few besides.
    assert!(asked.len() < 5_001 + 70, "{}", asked.len());
    // Meanwhile the trigger is read as ever, and what it announces goes first.
    let triggers = world.asked(List::Pages.trigger());
    assert!(gaps(&triggers).iter().all(|gap| *gap < CRON + MINUTE), "{triggers:?}");
    let read = world.asked(&List::Pages.article(new));
    assert!(read.len() == 1 && read[0] < comes + CRON + MINUTE, "{read:?}");
}

/// A publisher under load names a wait: every pass until then ends without a request, and what was left is read afterwards.
#[tokio::test(start_paused = true)]
async fn r21_a_host_that_asks_for_fifty_minutes_gets_them_and_nothing_is_lost() {
    let world = World::new();
    let site = Site::with_articles(List::Sitemaps, 5);
    let publisher = site.clone();
    world.publisher.answer_with(move |url, now| {
        if url.ends_with("/a/3") && now < noon() + MINUTE {
            return Some(MemoryAnswer::new(503, "text/html", "busy").header("retry-after", "3000"));
        }
        publisher.answer(url, now)
    });
    let source = List::Sitemaps.source();
    let reports = world.passes(&source, (0..8).map(|quarter| CRON * quarter)).await;
    let ends: Vec<End> = reports.iter().map(|report| report.end).collect();
    assert_eq!(ends[..3], [End::TimeUp; 3], "{ends:?}");
    world.check_pace(List::Sitemaps.trigger());
    assert_eq!(world.check_sealed(&site).len(), 5);
    let asked: Vec<Duration> =
        world.publisher.asked().iter().map(|asked| since_noon(asked.sent_at)).collect();
    let busy = world.asked("/a/3")[0];
    let next = asked.iter().find(|at| **at > busy).unwrap();
    let waited = next.saturating_sub(busy);
    assert!(waited >= MINUTE * 50 && waited < MINUTE * 50 + CRON, "{waited:?}");
}

#[tokio::test(start_paused = true)]
async fn a_pass_of_14_minutes_ends_in_time_and_the_next_goes_on() {
    let world = World::new();
    backlog(List::Pages, 2_000).open(&world);
    let source = List::Pages.source();
    let mut quarter = 0;
    while world.vault.all().len() < 2_000 {
        assert!(quarter < 4, "{}", world.vault.all().len());
        world.at(CRON * quarter).await;
        let until = world.now() + MINUTE * 14;
        let report = world.process().pass(&source, until).await.unwrap();
        assert!(world.now() <= until, "{:?}", world.now());
        assert!(matches!(report.end, End::TimeUp | End::Done), "{report:?}");
        quarter += 1;
    }
    world.check_pace(List::Pages.trigger());
    // The walk, which was through after the first pass, was not begun again.
    assert_eq!(world.asked(List::Pages.entrance()).len(), 1);
}

/// Where a robots.txt is too old before the next turn comes, every other turn goes to it.
#[tokio::test(start_paused = true)]
async fn r21_a_crawl_delay_of_13_hours_starves_neither_trigger_nor_articles() {
    let world = World::new();
    let mut site = Site::with_articles(List::Sitemaps, 12);
    site.robots = "User-agent: *\nCrawl-delay: 46800\n".to_owned();
    site.open(&world);
    let source = List::Sitemaps.source();
    // One after the other: a start that finds the lock held does nothing.
    while world.age() < DAY * 30 {
        let started = world.age();
        world.pass(&source).await;
        world.at(started.max(world.age()) + CRON).await;
    }
    world.check_pace(List::Sitemaps.trigger());
    assert!(gaps(&world.asked("")).iter().all(|gap| *gap >= 13 * HOUR));
    let (triggers, sealed) = (world.asked(List::Sitemaps.trigger()).len(), world.vault.all().len());
    assert!(triggers >= 8 && sealed >= 8, "{triggers} {sealed}");
}

/// Two requests an hour are all there is. They go to trigger and articles in turn, whatever starts the passes.
#[tokio::test(start_paused = true)]
async fn r21_a_crawl_delay_of_30_minutes_starves_neither_trigger_nor_articles() {
    for budget in [None, Some(MINUTE * 14)] {
        let world = World::new();
        let mut site = Site::with_articles(List::Sitemaps, 12);
        site.robots = "User-agent: *\nCrawl-delay: 1800\n".to_owned();
        site.articles
            .extend((13..=60).map(|id| Planned::new(id, noon() + HOUR * u32::try_from(id).unwrap())));
        site.open(&world);
        let source = List::Sitemaps.source();
        let mut running = Vec::new();
        for quarter in 0..96 * 3 {
            world.at(CRON * quarter).await;
            let until = budget.map_or(jiff::Timestamp::MAX, |budget| world.now() + budget);
            let (process, source) = (world.process(), source.clone());
            running.push(tokio::spawn(async move {
                let report = process.begin(&source, until).await.unwrap();
                let length = report.finished_at.duration_since(report.started_at);
                (Duration::try_from(length).unwrap(), report)
            }));
        }
        let asked = world.publisher.asked();
        for pair in asked.windows(2) {
            let gap = pair[1].sent_at.duration_since(pair[0].sent_at);
            assert!(gap.as_secs() >= 1_800, "{gap:?}");
        }
        world.check_pace(List::Sitemaps.trigger());
        // Nearly all of the 144 turns are used.
        assert!(asked.len() > 120, "{}", asked.len());
        let read = world.asked(List::Sitemaps.trigger()).len();
        let articles = asked.iter().filter(|asked| asked.url.contains("/a/")).count();
        println!("{budget:?}: {} requests, {read} to the trigger, {articles} to articles", asked.len());
        assert!(read >= 40 && articles >= 40, "{read} {articles}");
        for pass in running {
            // Whoever waits does so for no longer than until the trigger is due again, and then lets others work.
            let (length, report) = pass.await.unwrap();
            let most = budget.unwrap_or(HOUR + MINUTE);
            assert!(length <= most, "{length:?} {report:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn r22_an_unreachable_robots_txt_is_tried_again_after_15_minutes_and_an_old_one_serves_a_day() {
    let world = World::new();
    Site::with_articles(List::Sitemaps, 3).open(&world);
    let source = List::Sitemaps.source();
    world
        .publisher
        .put("https://www.example.org/robots.txt", releve_fetch::MemoryAnswer::new(503, "text/plain", ""));
    world.passes(&source, (0..59).map(|minute| MINUTE * minute)).await;
    let asked = world.asked("/robots.txt");
    assert_eq!(asked.len(), world.publisher.asked().len());
    assert_eq!(asked.iter().map(Duration::as_secs).collect::<Vec<_>>(), [0, 900, 1_800, 2_700]);
    world
        .publisher
        .put("https://www.example.org/robots.txt", releve_fetch::MemoryAnswer::new(404, "text/plain", ""));
    world.passes(&source, (4..96 * 3).map(|quarter| CRON * quarter)).await;
    world.check_pace(List::Sitemaps.trigger());
    let days = world.asked("/robots.txt").len() - 4;
    assert_eq!(days, 3, "{:?}", world.asked("/robots.txt"));
    assert_eq!(world.vault.all().len(), 3);
    assert!(gaps(&world.asked("/feed")).iter().all(|gap| *gap < DAY));
}
