//! What every vault does, whatever it is made of.

use std::collections::BTreeSet;
use std::thread;
use std::time::Duration;

use releve_proof::Sha256;

use super::{Specimen, TestClock, admission, read_at};
use crate::{
    Admission, ArticleKey, Clock, DepositError, DepositErrorKind, Outcome, Receipt, Since, Vault, Version,
};

/// Runs the whole suite. `open` makes an empty vault that checks against this and lives by this clock; it is
/// called once for each part.
///
/// Panics at the first thing that a vault must not do.
pub fn suite(open: &dyn Fn(Admission, Clock) -> Box<dyn Vault>) {
    for part in PARTS {
        let clock = TestClock::new();
        part(&*open(admission(), clock.clock()), &clock);
    }
}

const PARTS: [fn(&dyn Vault, &TestClock); 12] = [
    an_empty_vault_has_nothing,
    what_is_sealed_comes_back,
    the_same_again_seals_nothing,
    a_later_read_of_the_same_content_seals_nothing,
    versions_follow_on_one_another,
    asking_again_gets_the_same_answer_however_late,
    a_version_on_top_of_another_than_the_last_is_refused,
    what_fails_a_check_is_refused_for_good,
    the_instant_is_held_against_the_vaults_clock,
    what_comes_from_a_laboratory_stays_there,
    the_list_goes_on_where_it_stopped,
    of_racing_deposits_one_is_sealed,
];

fn seal(vault: &dyn Vault, specimen: &Specimen) -> Receipt {
    match vault.deposit(&specimen.unit()).unwrap() {
        Outcome::Sealed(receipt) => receipt,
        Outcome::AlreadySealed(receipt) => panic!("already sealed as {receipt:?}"),
    }
}

fn all(vault: &dyn Vault) -> Vec<Version> {
    vault.list(&Since::default(), 1_000).unwrap()
}

fn an_empty_vault_has_nothing(vault: &dyn Vault, _: &TestClock) {
    let key = ArticleKey::new("example", "1").unwrap();
    assert_eq!(vault.last_version(&key).unwrap(), None);
    assert_eq!(vault.versions(&key).unwrap(), []);
    assert_eq!(vault.with_identifier("1").unwrap(), []);
    assert_eq!(vault.at_address("https://www.example.org/articles/1").unwrap(), []);
    assert_eq!(vault.read(Sha256::of(b"")).unwrap(), None);
    assert_eq!(all(vault), []);
}

fn what_is_sealed_comes_back(vault: &dyn Vault, _: &TestClock) {
    let specimen = Specimen::new("1");
    let unit = specimen.unit();
    let receipt = seal(vault, &specimen);
    assert_eq!(receipt.digest, unit.digest());
    assert_eq!(receipt.received_at, read_at() + Duration::from_secs(1));

    let version = vault.last_version(&specimen.key()).unwrap().unwrap();
    assert_eq!(version.receipt, receipt);
    assert_eq!(version.number, 1);
    assert_eq!(version.previous, None);
    assert_eq!(version.address, specimen.address());
    assert_eq!(version.read_at, read_at());
    assert_eq!(version.bytes, unit.bytes().len() as u64);
    assert_eq!(vault.versions(&specimen.key()).unwrap(), std::slice::from_ref(&version));
    assert_eq!(vault.at_address(&specimen.address()).unwrap(), [specimen.key()]);
    assert_eq!(all(vault), [version]);

    let read = vault.read(receipt.digest).unwrap().unwrap();
    assert_eq!(read.bytes(), unit.bytes());
    assert_eq!(read.envelope(), specimen.envelope);
    assert_eq!(read.article().unwrap(), specimen.article());
    assert_eq!(read.proof(), &specimen.proof());
}

fn the_same_again_seals_nothing(vault: &dyn Vault, clock: &TestClock) {
    let specimen = Specimen::new("1");
    let first = seal(vault, &specimen);
    clock.set(read_at() + Duration::from_secs(60));
    assert_eq!(vault.deposit(&specimen.unit()).unwrap(), Outcome::AlreadySealed(first));
    assert_eq!(all(vault).len(), 1);
}

fn a_later_read_of_the_same_content_seals_nothing(vault: &dyn Vault, clock: &TestClock) {
    let first = seal(vault, &Specimen::new("1"));
    let later = read_at() + Duration::from_secs(3600);
    clock.set(later);
    // Another envelope and instant, the same structured text and descriptor; whatever it names as the version
    // before.
    let mut again =
        Specimen { read_at: later, envelope: b"<p>The text of 1.".to_vec(), ..Specimen::new("1") };
    assert_eq!(vault.deposit(&again.unit()).unwrap(), Outcome::AlreadySealed(first));
    again.previous = Some(first.digest);
    assert_eq!(vault.deposit(&again.unit()).unwrap(), Outcome::AlreadySealed(first));
    assert_eq!(all(vault).len(), 1);
}

fn versions_follow_on_one_another(vault: &dyn Vault, _: &TestClock) {
    let one = seal(vault, &Specimen::new("1"));
    let two = seal(vault, &Specimen::new("1").saying("Corrected.").after(one.digest));
    // What was said before is said again: that is a third version, not the first.
    let three = seal(vault, &Specimen::new("1").after(two.digest));
    let versions = vault.versions(&Specimen::new("1").key()).unwrap();
    let seen: Vec<_> =
        versions.iter().map(|version| (version.number, version.previous, version.receipt)).collect();
    assert_eq!(seen, [(1, None, one), (2, Some(one.digest), two), (3, Some(two.digest), three)]);
    assert!(one.sequence < two.sequence && two.sequence < three.sequence);
    assert_eq!(vault.read(two.digest).unwrap().unwrap().previous(), Some(one.digest));
    // The same identifier at another source is another article.
    let other = Specimen { source: "other".to_owned(), ..Specimen::new("1") };
    seal(vault, &other);
    let keys = [Specimen::new("1").key(), other.key()];
    assert_eq!(vault.at_address(&other.address()).unwrap(), keys);
    assert_eq!(vault.with_identifier("1").unwrap(), keys);
    assert_eq!(vault.with_identifier("01").unwrap(), []);
}

fn asking_again_gets_the_same_answer_however_late(vault: &dyn Vault, clock: &TestClock) {
    let specimen = Specimen::new("1");
    let one = seal(vault, &specimen);
    let two = seal(vault, &Specimen::new("1").saying("Corrected.").after(one.digest));
    // A month later, with another version on top: it is still the unit that was sealed then.
    clock.set(read_at() + Duration::from_secs(30 * 24 * 60 * 60));
    assert_eq!(vault.deposit(&specimen.unit()).unwrap(), Outcome::AlreadySealed(one));
    assert_eq!(vault.last_version(&specimen.key()).unwrap().unwrap().receipt, two);
    assert_eq!(all(vault).len(), 2);
}

fn a_version_on_top_of_another_than_the_last_is_refused(vault: &dyn Vault, _: &TestClock) {
    let nothing = Sha256::of(b"");
    let refused = |specimen: &Specimen, expected: Option<Sha256>| {
        let error = vault.deposit(&specimen.unit()).unwrap_err();
        assert_eq!(error.kind(), DepositErrorKind::Superseded, "{error}");
        match error {
            DepositError::Superseded { named, last } => {
                assert_eq!((named, last), (specimen.previous, expected));
            }
            other => panic!("{other}"),
        }
    };
    refused(&Specimen::new("1").after(nothing), None);
    let one = seal(vault, &Specimen::new("1"));
    refused(&Specimen::new("1").saying("Corrected."), Some(one.digest));
    refused(&Specimen::new("1").saying("Corrected.").after(nothing), Some(one.digest));
    assert_eq!(all(vault).len(), 1);
}

fn what_fails_a_check_is_refused_for_good(vault: &dyn Vault, _: &TestClock) {
    let specimen = Specimen::new("1");
    let unit = specimen.forged(|proof| {
        let other = Sha256::of(b"another envelope").to_string();
        proof["envelope"]["sha256"] = other.clone().into();
        proof["received"]["sha256"] = other.into();
    });
    let error = vault.deposit(&unit).unwrap_err();
    assert_eq!((error.kind(), error.code()), (DepositErrorKind::Refused, "digest-differs"));
    assert_eq!(all(vault), []);
    assert_eq!(vault.last_version(&specimen.key()).unwrap(), None);
}

fn the_instant_is_held_against_the_vaults_clock(vault: &dyn Vault, clock: &TestClock) {
    let week = Duration::from_secs(7 * 24 * 60 * 60);
    let millisecond = Duration::from_millis(1);
    for (now, code) in [
        (read_at() - millisecond, Some("read-after-receipt")),
        (read_at() + week + millisecond, Some("read-too-long-ago")),
        (read_at() + week, None),
    ] {
        clock.set(now);
        let result = vault.deposit(&Specimen::new("1").unit());
        assert_eq!(result.err().map(|error| error.code().to_owned()).as_deref(), code, "{now}");
    }
    clock.set(read_at());
    seal(vault, &Specimen::new("2"));
}

fn what_comes_from_a_laboratory_stays_there(vault: &dyn Vault, _: &TestClock) {
    let specimen = Specimen { lab: true, ..Specimen::new("1") };
    let error = vault.deposit(&specimen.unit()).unwrap_err();
    assert_eq!((error.kind(), error.code()), (DepositErrorKind::EndsPass, "lab-mismatch"));
    assert_eq!(all(vault), []);
}

fn the_list_goes_on_where_it_stopped(vault: &dyn Vault, clock: &TestClock) {
    let minute = Duration::from_secs(60);
    let receipts: Vec<Receipt> = (0..5)
        .map(|number| {
            clock.set(read_at() + minute * number);
            let source = if number % 2 == 0 { "even" } else { "odd" };
            seal(vault, &Specimen { source: source.to_owned(), ..Specimen::new(&number.to_string()) })
        })
        .collect();
    let list = |since: Since, count_max| -> Vec<String> {
        let versions = vault.list(&since, count_max).unwrap();
        versions.iter().map(|version| version.key.identifier().to_owned()).collect()
    };
    let after = |sequence| Since { sequence, ..Since::default() };
    assert_eq!(list(after(0), 2), ["0", "1"]);
    assert_eq!(list(after(receipts[1].sequence), 2), ["2", "3"]);
    assert_eq!(list(after(receipts[3].sequence), 2), ["4"]);
    assert_eq!(list(after(receipts[4].sequence), 2), [""; 0]);
    assert_eq!(list(Since { source: Some("odd".to_owned()), ..after(0) }, 9), ["1", "3"]);
    assert_eq!(list(Since { received_at: Some(read_at() + minute * 3), ..after(0) }, 9), ["3", "4"]);
    assert_eq!(list(after(0), 0), [""; 0]);
}

fn of_racing_deposits_one_is_sealed(vault: &dyn Vault, _: &TestClock) {
    let same = Specimen::new("same").unit();
    let outcomes: Vec<(Outcome, Outcome)> = thread::scope(|scope| {
        let racers: Vec<_> = (0..8)
            .map(|number| {
                let same = &same;
                scope.spawn(move || {
                    let own = Specimen::new(&number.to_string()).unit();
                    (vault.deposit(same).unwrap(), vault.deposit(&own).unwrap())
                })
            })
            .collect();
        racers.into_iter().map(|racer| racer.join().unwrap()).collect()
    });
    let sealed = outcomes.iter().filter(|(same, _)| matches!(same, Outcome::Sealed(_))).count();
    assert_eq!(sealed, 1);
    let receipts: BTreeSet<u64> = outcomes.iter().map(|(same, _)| same.receipt().sequence).collect();
    assert_eq!(receipts.len(), 1, "all have the one receipt");
    let own: BTreeSet<u64> = outcomes.iter().map(|(_, own)| own.receipt().sequence).collect();
    assert_eq!(own.len(), 8);
    assert_eq!(all(vault).len(), 9);
}
