//! Thirty days of a busy source: articles appear, change and vanish, the list shifts while it is walked, servers fail now
//! and then, cron starts a pass every 15 minutes on one of two machines, and every hour something is killed.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use jiff::Timestamp;
use releve_ledger::{Ledger as _, State};
use releve_pass::End;

use crate::site::{Dice, List, Planned, Site};
use crate::world::{Boot, CRON, DAY, HOUR, MINUTE, World, noon, since_noon};

/// The last two days nothing new happens and nothing fails, so that whatever waits for its next try comes to it.
const BUSY_DAYS: u32 = 28;
const DAYS: u32 = 30;

fn seconds(dice: &mut Dice, length: Duration) -> Duration {
    Duration::from_secs(dice.below(length.as_secs()))
}

/// What the publisher does in these days.
fn plan(list: List, seed: u64) -> Site {
    let dice = &mut Dice::new(seed);
    let end = noon() + DAY * BUSY_DAYS;
    let mut articles = Vec::new();
    let mut id = 0;
    let mut publish = |articles: &mut Vec<Planned>, at: Timestamp| {
        id += 1;
        articles.push(Planned::new(id, at));
    };
    // Seven a day for two months, of which a part is older than the floor.
    for _ in 0..420 {
        publish(&mut articles, noon() - seconds(dice, DAY * 60));
    }
    // While the list is walked for the first time, articles before the place of the walk vanish and others come.
    for at in 1..20 {
        publish(&mut articles, noon() + Duration::from_secs(2 * at));
    }
    let mut newest: Vec<usize> = (0..420).collect();
    newest.sort_by_key(|at| std::cmp::Reverse(articles[*at].published));
    for (at, index) in newest.into_iter().take(20).enumerate() {
        articles[index].gone = Some(noon() + Duration::from_secs(3 + 2 * at as u64));
    }
    // Sixty a day.
    for day in 0..BUSY_DAYS {
        for _ in 0..60 {
            publish(&mut articles, noon() + DAY * day + MINUTE + seconds(dice, MINUTE * 1_439));
        }
    }
    for article in &mut articles {
        let from = article.published.max(noon() + MINUTE);
        for (in_a_hundred, within) in [(25, DAY * 2), (5, DAY * 20)] {
            let at = from + Duration::from_secs(1) + seconds(dice, within);
            if dice.below(100) < in_a_hundred && at < end {
                article.changed.push(at);
            }
        }
        article.changed.sort();
        article.changed.dedup();
        for (in_a_hundred, within) in [(1, MINUTE * 2), (2, HOUR), (3, DAY * 10)] {
            let at = from + seconds(dice, within);
            if article.gone.is_none() && dice.below(100) < in_a_hundred && at < end {
                article.gone = Some(at);
            }
        }
        // Whatever is taken down says nothing new afterwards.
        if let Some(gone) = article.gone {
            article.changed.retain(|changed| *changed < gone);
        }
    }
    Site { one_fails_of: 60, fails_until: end, seed, ..Site::new(list, articles) }
}

/// Returns how often a killed process was in a pass.
async fn play(world: &World, site: &Site, seed: u64) -> usize {
    let source = site.list.source();
    let dice = &mut Dice::new(seed ^ 1);
    let two = Boot::new("two");
    let mut running: Vec<(crate::world::Process, tokio::task::JoinHandle<releve_pass::Report>)> = Vec::new();
    let mut kills = 0;
    for hour in 0..24 * DAYS {
        let killed_in = dice.below(4);
        for quarter in 0..4_u32 {
            let jitter = seconds(dice, MINUTE);
            // The first one begins with the first walk, in which the list shifts.
            let start = if hour == 0 && quarter == 0 {
                Duration::ZERO
            } else {
                HOUR * hour + CRON * quarter + jitter
            };
            world.at(start).await;
            let process = if dice.below(10) == 0 { world.process_on(&two) } else { world.process() };
            let is_killed = hour < 24 * BUSY_DAYS && u64::from(quarter) == killed_in;
            let at_a_step = is_killed && dice.below(2) == 0;
            if at_a_step {
                process.dies_after(i64::try_from(1 + dice.below(400)).unwrap());
            }
            running.push((process.clone(), process.begin(&source, Timestamp::MAX)));
            if is_killed && !at_a_step {
                let within = if dice.below(4) == 0 { MINUTE * 14 } else { MINUTE / 2 };
                world.at(start + seconds(dice, within)).await;
            }
            let mut still = Vec::new();
            for (process, pass) in running {
                if is_killed && !at_a_step && !pass.is_finished() {
                    kills += 1;
                    process.kill(pass).await;
                } else if pass.is_finished() {
                    let Ok(report) = pass.await else {
                        kills += 1;
                        process.bury();
                        continue;
                    };
                    let is_fault =
                        matches!(report.end, End::OutOfOrder | End::LedgerFailed | End::IdentifiersDiffer);
                    assert!(!is_fault, "seed {seed}: {report:?}");
                } else {
                    still.push((process, pass));
                }
            }
            running = still;
        }
    }
    for (_, pass) in running {
        pass.await.unwrap();
    }
    kills
}

async fn month(list: List, seed: u64) {
    let world = World::new();
    let site = plan(list, seed).open(&world);
    let kills = play(&world, &site, seed).await;
    let (end, asked) = (world.now(), world.publisher.asked());

    // No host is asked faster than once a second, nor by a robots.txt that is older than a day, nor the trigger more often
    // than every 15 minutes, over the whole time.
    world.check_pace_where(list.trigger(), |at| site.is_sound("https://www.example.org/robots.txt", at));
    let triggers = world.asked(list.trigger()).len();
    assert!(triggers <= 96 * DAYS as usize + 1, "seed {seed}: {triggers}");

    // What is sealed was public, and is sealed once.
    let sealed = world.check_sealed(&site);
    let by_address: BTreeMap<String, &Planned> =
        site.articles.iter().map(|article| (list.article(article.id), article)).collect();

    // What stayed public is sealed as it is now, and none that is older than the floor was looked for.
    let floor: Timestamp = "2026-01-15T00:00:00Z".parse().unwrap();
    // Of the revisions of an article the last one stays.
    let latest: BTreeMap<u64, usize> = sealed.iter().copied().collect();
    for article in &site.articles {
        let address = list.article(article.id);
        if article.published < floor && article.changed.is_empty() {
            assert!(asked.iter().all(|asked| asked.url != address), "seed {seed}: {article:?}");
        } else if article.is_public(end) && article.published >= floor {
            let last = latest.get(&article.id);
            assert_eq!(last, Some(&article.revision(end)), "seed {seed}: {article:?}");
        }
    }
    // What was read is sealed, but for what a kill took and what changed before it was read again.
    let mut taken = BTreeSet::new();
    for asked in &asked {
        let Some(article) = by_address.get(&asked.url) else { continue };
        let read = (article.id, article.revision(asked.sent_at));
        if article.is_public(asked.sent_at)
            && site.is_sound(&asked.url, asked.sent_at)
            && !sealed.contains(&read)
        {
            taken.insert(read);
        }
    }
    assert!(taken.len() <= kills / 10, "seed {seed}: {taken:?}");
    // What is not sealed is gone, and is asked for once a day at most by now.
    let counts = world.ledger.counts("example").unwrap();
    assert_eq!(counts.queued, 0, "seed {seed}");
    for entry in world.ledger.list("example", State::Refused, None, usize::MAX).unwrap() {
        let article = site.planned(entry.identifier.parse().unwrap());
        assert!(!article.is_public(end), "seed {seed}: {entry:?}");
    }

    // One walk a day, in which few files are read after the first.
    let listed: Vec<u64> = asked
        .iter()
        .filter(|asked| list.has(&asked.url))
        .map(|asked| since_noon(asked.sent_at).as_secs() / DAY.as_secs())
        .collect();
    let first = listed.iter().filter(|day| **day == 0).count();
    let (mut articles, mut gone, mut failed) = (0, 0, 0);
    for asked in &asked {
        let Some(article) = by_address.get(&asked.url) else { continue };
        articles += 1;
        if !site.is_sound(&asked.url, asked.sent_at) {
            failed += 1;
        } else if !article.is_public(asked.sent_at) {
            gone += 1;
        }
    }
    println!(
        "{list:?}, seed {seed}: {kills} kills, {} requests: {triggers} to the trigger, {} to the list ({first} on the first \
         day), {articles} to articles, of which {failed} failed and {gone} were for what is gone; {} versions of {} \
         articles sealed",
        asked.len(),
        listed.len(),
        sealed.len(),
        latest.len()
    );
    assert!(kills > 100, "seed {seed}: {kills}");
    // A kill may cost a read of the trigger; nothing else does.
    assert!(triggers + kills > 95 * DAYS as usize, "seed {seed}: {triggers} with {kills} kills");
    // The first walk goes to the floor. Each later one reads what is newer than 48 hours, and on to the first file or page
    // that is known as a whole: three or four requests.
    let days: BTreeSet<u64> = listed.iter().copied().collect();
    assert!(days.len() >= DAYS as usize - 1, "seed {seed}: {days:?}");
    assert!(listed.len() <= 4 * DAYS as usize + 10, "seed {seed}: {}", listed.len());
}

#[tokio::test(start_paused = true)]
async fn r09_r19_r21_r24_thirty_days_of_a_source_with_sitemaps() {
    for seed in [1, 2] {
        month(List::Sitemaps, seed).await;
    }
}

#[tokio::test(start_paused = true)]
async fn r09_r19_r21_r24_thirty_days_of_a_source_with_pages() {
    for seed in [3, 4] {
        month(List::Pages, seed).await;
    }
}
