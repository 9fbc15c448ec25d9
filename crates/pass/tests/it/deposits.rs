//! What becomes of reads and deposits that fail (R23, R24).

use std::sync::Arc;
use std::time::Duration;

use releve_deposit::testing::Specimen;
use releve_deposit::{DepositError, Vault as _};
use releve_fetch::MemoryAnswer;
use releve_ledger::State;
use releve_pass::End;
use releve_source::Source;

use crate::site::{List, Site, page};
use crate::world::{CRON, DAY, HOUR, MINUTE, Offered, World, disk_failed, gaps, source};

const LIST: List = List::Sitemaps;

const WORDPRESS: &str = r#"
    name = "example"
    hosts = ["www.example.org"]
    preset = "wordpress"
"#;

fn world(articles: u64) -> (World, Arc<Source>) {
    let world = World::new();
    Site::with_articles(LIST, articles).open(&world);
    (world, LIST.source())
}

/// How often each article was offered in a row, in order.
fn offers(offered: &[Offered]) -> Vec<usize> {
    offered.chunk_by(|one, other| one.identifier == other.identifier).map(<[_]>::len).collect()
}

fn server_error() -> MemoryAnswer {
    MemoryAnswer::new(503, "text/plain", "")
}

fn check_failed() -> DepositError {
    DepositError::CheckFailed { code: "chain-untrusted".to_owned(), reason: "no such root".to_owned() }
}

#[tokio::test(start_paused = true)]
async fn r23_a_failed_read_waits_for_the_next_pass() {
    let (world, source) = world(3);
    world.publisher.put(&LIST.article(2), server_error());
    // cron every minute: what failed waits for the next pass that is due, not for the next start.
    let reports = world.passes(&source, (0..15).map(|minute| MINUTE * minute)).await;
    assert_eq!((reports[0].tally.sealed, reports[0].tally.refused), (2, 1));
    assert_eq!(world.asked("/a/2").len(), 1);
    world.publisher.put(&LIST.article(2), MemoryAnswer::new(200, "text/html", page(2, 0)));
    world.passes(&source, [CRON]).await;
    assert_eq!(world.asked("/a/2").len(), 2);
    assert_eq!(world.entry("2").state, State::Sealed);
}

#[tokio::test(start_paused = true)]
async fn a_reference_that_makes_no_address_is_refused_under_its_own() {
    let world = World::new();
    let site = Site::with_articles(List::Pages, 1);
    world.publisher.answer_with(move |url, now| {
        if !url.ends_with(List::Pages.trigger()) {
            return site.answer(url, now);
        }
        let list = r#"[
            {"id": 1, "link": "https://www.example.org/a/1", "date_gmt": "2026-03-01T11:00:00"},
            {"id": "two", "link": "https://www.example.org/a/two", "date_gmt": "2026-03-01T10:00:00"}
        ]"#;
        Some(MemoryAnswer::new(200, "application/json", list))
    });
    let report = world.pass(&source(WORDPRESS)).await;
    assert_eq!(report.tally.sealed, 1, "{report:?}");
    let [refused] = report.refusals.as_slice() else { panic!("{report:?}") };
    assert_eq!((refused.reference.as_str(), refused.code.as_str()), ("two", "identifier-unfit"));
    // Not that of the article before it.
    assert_eq!(refused.address, "https://www.example.org/a/two");
}

#[tokio::test(start_paused = true)]
async fn r23_a_failed_deposit_is_offered_again_with_the_bytes_held() {
    let (world, source) = world(2);
    world.vault.fails(|_, _, before| (before < 2).then(disk_failed));
    let report = world.pass(&source).await;
    assert_eq!((report.end, report.tally.sealed, report.tally.not_deposited), (End::Done, 2, 0));
    let offered = world.vault.offered();
    assert_eq!(offers(&offered), [3, 1]);
    // One read, of which the same bytes are offered, a second later and two seconds after that.
    assert_eq!(world.asked("/a/2").len(), 1);
    assert!(offered[..3].iter().all(|offer| offer.read_at == offered[0].read_at));
    let pauses: Vec<_> = offered[..3].windows(2).map(|pair| pair[1].at.duration_since(pair[0].at)).collect();
    assert_eq!(pauses.iter().map(jiff::SignedDuration::as_secs).collect::<Vec<_>>(), [1, 2]);
}

#[tokio::test(start_paused = true)]
async fn r23_a_deposit_is_offered_three_times_at_most_and_read_again_in_the_next_pass() {
    let (world, source) = world(1);
    world.vault.fails(|_, _, before| (before < 3).then(disk_failed));
    let reports = world.passes(&source, [Duration::ZERO, MINUTE, CRON]).await;
    assert_eq!(reports.iter().map(|report| report.tally.not_deposited).collect::<Vec<_>>(), [1, 0, 0]);
    assert_eq!(offers(&world.vault.offered()), [4]);
    assert_eq!(world.asked("/a/1").len(), 2);
    assert_eq!(world.vault.all().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn r23_a_refusal_that_would_come_again_is_not_repeated() {
    let (world, source) = world(3);
    world.vault.fails(|_, unit, _| (unit.key().identifier() == "2").then(check_failed));
    let report = world.pass(&source).await;
    assert_eq!((report.end, report.tally.sealed, report.tally.not_deposited), (End::Done, 2, 1));
    assert_eq!(offers(&world.vault.offered()), [1, 1, 1]);
    assert_eq!(world.entry("2").refusal.unwrap().code, "chain-untrusted");
}

#[tokio::test(start_paused = true)]
async fn r23_a_revoked_key_and_an_inactive_source_end_the_pass() {
    let closed: [fn() -> DepositError; 2] = [
        || DepositError::KeyRevoked { name: "reader".to_owned() },
        || DepositError::SourceInactive { name: "example".to_owned() },
    ];
    for error in closed {
        let (world, source) = world(5);
        world.vault.fails(move |_, _, before| (before == 1).then(error));
        let report = world.pass(&source).await;
        assert_eq!((report.end, report.tally.sealed), (End::VaultClosed, 1));
        // Nothing is asked of the publisher after it, neither article nor list.
        let asked = world.publisher.asked();
        assert_eq!(asked.last().unwrap().url, LIST.article(4));
        assert_eq!(offers(&world.vault.offered()), [1, 1]);
    }
}

#[tokio::test(start_paused = true)]
async fn r24_ten_failed_deposits_in_a_row_stop_the_pass() {
    let (world, source) = world(9);
    world.vault.fails(|_, _, _| Some(disk_failed()));
    let report = world.pass(&source).await;
    assert_eq!(report.end, End::DepositsFail);
    assert_eq!(offers(&world.vault.offered()), [3, 3, 3, 1]);
    assert_eq!(world.publisher.asked().len(), 2 + 4);
    // The next pass begins anew, and counts anew.
    world.passes(&source, [CRON]).await;
    assert_eq!(world.vault.offered().len(), 20);
}

#[tokio::test(start_paused = true)]
async fn r24_a_failed_read_does_not_count_and_a_success_resets() {
    let (world, source) = world(12);
    for id in [11, 9, 7] {
        world.publisher.put(&LIST.article(id), server_error());
    }
    // Every tenth attempt succeeds; failed reads lie between.
    world.vault.fails(|_, _, before| (before % 10 != 9).then(disk_failed));
    let report = world.pass(&source).await;
    assert_eq!(report.end, End::Done);
    assert_eq!((report.tally.refused, report.tally.sealed, report.tally.not_deposited), (3, 2, 7));
    assert_eq!(offers(&world.vault.offered()), [3, 3, 3, 1, 3, 3, 3, 1, 3]);
}

#[tokio::test(start_paused = true)]
async fn a_deposit_that_another_connector_overtook_is_offered_on_top_of_that_one() {
    let (world, source) = world(1);
    // Between our look at the last version and our offer somebody else seals one.
    world.vault.fails(|vault, unit, before| {
        if before == 0 {
            let other = Specimen { read_at: unit.read_at(), ..Specimen::new("1") }.saying("Something else.");
            vault.deposit(&other.unit()).unwrap();
        }
        None
    });
    let report = world.pass(&source).await;
    assert_eq!((report.end, report.tally.sealed, report.tally.new_versions), (End::Done, 1, 1));
    let (sealed, offered) = (world.vault.all(), world.vault.offered());
    assert_eq!(
        offered.iter().map(|offer| offer.previous).collect::<Vec<_>>(),
        [None, Some(sealed[0].receipt.digest)]
    );
    assert_eq!(sealed[1].previous, Some(sealed[0].receipt.digest));
    assert_eq!(world.entry("1").sealed.unwrap().receipt.sequence, sealed[1].receipt.sequence);
    assert_eq!(world.asked("/a/1").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_deposit_whose_answer_was_lost_is_sealed_once_and_put_on_record() {
    let (world, source) = world(1);
    world.vault.fails(|vault, unit, before| {
        (before == 0).then(|| {
            vault.deposit(unit).unwrap();
            disk_failed()
        })
    });
    let report = world.pass(&source).await;
    assert_eq!((report.end, report.tally.unchanged), (End::Done, 1));
    let sealed = world.vault.all();
    assert_eq!(sealed.len(), 1);
    assert_eq!(world.entry("1").sealed.unwrap().receipt.sequence, sealed[0].receipt.sequence);
    assert_eq!(world.entry("1").state, State::Sealed);
}

/// The lengths between the requests for an article, in minutes.
fn waits(world: &World, end: &str) -> Vec<u64> {
    gaps(&world.asked(end)).iter().map(|gap| gap.as_secs().div_ceil(60)).collect()
}

#[tokio::test(start_paused = true)]
async fn r23_what_fails_in_three_passes_waits_longer_each_time_and_is_given_up_after_30_days() {
    let (world, source) = world(2);
    world.publisher.put(&LIST.article(1), server_error());
    let quarters = |from: u32, to: u32| (96 * from..96 * to).map(|quarter| CRON * quarter);
    world.passes(&source, quarters(0, 40)).await;
    // Until the next pass, then twice as long each time, to a day; each ends with the next pass.
    let waited = waits(&world, "/a/1");
    let least = [15, 15, 30, 60, 120, 240, 480, 960].into_iter().chain(std::iter::repeat(1_440));
    assert!(waited.iter().zip(least).all(|(wait, least)| (least..=least + 16).contains(wait)), "{waited:?}");
    let last = *world.asked("/a/1").last().unwrap();
    assert!(last >= 30 * DAY && last < 31 * DAY + HOUR, "{last:?}");
    assert_eq!(world.entry("1").state, State::SetAside);

    // Once lifted it is tried as if it were new.
    assert!(releve_ledger::Ledger::retry(&world.ledger, "example", "1").unwrap());
    let before = world.asked("/a/1").len();
    world.passes(&source, quarters(40, 41)).await;
    assert_eq!(waits(&world, "/a/1")[before..before + 3], [15, 15, 45]);
    assert_eq!(world.entry("1").state, State::Refused);
}

#[tokio::test(start_paused = true)]
async fn r23_a_sealed_article_whose_new_version_cannot_be_read_is_given_up_as_well() {
    let world = World::new();
    let mut site = Site::with_articles(LIST, 1);
    // It changes long after it was sealed, and is gone before anybody reads what changed.
    site.articles[0].changed.push(crate::world::noon() + 40 * DAY);
    site.open(&world);
    let source = LIST.source();
    world.passes(&source, [Duration::ZERO]).await;
    assert_eq!(world.entry("1").state, State::Sealed);
    world.publisher.put(&LIST.article(1), MemoryAnswer::new(404, "text/html", ""));
    world.passes(&source, (96 * 40..96 * 80).map(|quarter| CRON * quarter)).await;
    let asked = world.asked("/a/1");
    let failed_for = asked.last().unwrap().saturating_sub(asked[1]);
    // By the length of its failures, not by how long it is known.
    assert!(failed_for >= 30 * DAY && failed_for < 31 * DAY + HOUR, "{failed_for:?}");
    assert_eq!(world.entry("1").state, State::SetAside);
    assert_eq!(world.vault.all().len(), 1);
}

/// A Retry-After holds. It does not lose an article for years, nor count for more than what a whole host may ask for.
#[tokio::test(start_paused = true)]
async fn r23_an_article_waits_as_long_as_its_server_asks_for_up_to_a_day() {
    let (world, source) = world(2);
    for (id, asked_for) in [(1, "7200"), (2, "99999999999")] {
        let answer = MemoryAnswer::new(404, "text/html", "").header("retry-after", asked_for);
        world.publisher.put(&LIST.article(id), answer);
    }
    world.passes(&source, (0..200).map(|quarter| CRON * quarter)).await;
    assert!(waits(&world, "/a/1")[..2].iter().all(|wait| (120..=136).contains(wait)));
    let waited = waits(&world, "/a/2");
    assert!(waited.len() == 2 && waited.iter().all(|wait| (1_440..=1_456).contains(wait)), "{waited:?}");
}
