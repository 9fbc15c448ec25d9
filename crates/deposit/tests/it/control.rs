//! What the operator decides, and what it changes.

use std::path::Path;

use releve_deposit::testing::{HOST, Specimen};
use releve_deposit::{
    ConnectorKey, Decision, DepositError, DepositErrorKind, LocalVault, Outcome, Permission, Since, Unit,
    Vault as _, VaultError, Withdrawal, reindex,
};
use releve_redirect_policy::AdmittedHosts;
use rusqlite::Connection;

use crate::tools::{assert_clean, clock, open, options, seal, sealed_bytes};

fn permission(source: &str, hosts: &[&str]) -> Permission {
    Permission { source: source.to_owned(), hosts: AdmittedHosts::parse(hosts).unwrap() }
}

#[track_caller]
fn refused(vault: &LocalVault, unit: &Unit) -> (DepositErrorKind, String) {
    let error = vault.deposit(unit).unwrap_err();
    (error.kind(), error.code().to_owned())
}

#[test]
fn r39_an_inactive_sources_deposits_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let vault = open(folder.path());
    let receipt = seal(&vault, &Specimen::new("1"));
    let before = sealed_bytes(folder.path());

    assert!(vault.control().deactivate_source("example").unwrap());
    assert!(!vault.control().deactivate_source("example").unwrap());
    let expected = (DepositErrorKind::EndsPass, "source-inactive".to_owned());
    assert_eq!(refused(&vault, &Specimen::new("2").unit()), expected);
    assert_eq!(vault.takes("example").unwrap_err().code(), "source-inactive", "and may be asked beforehand");
    vault.takes("other").unwrap();
    // Another process learns of it at its next deposit; and not even what is sealed already is answered for.
    assert_eq!(refused(&open(folder.path()), &Specimen::new("1").unit()), expected);
    // Other sources go on.
    let other = Specimen { source: "other".to_owned(), ..Specimen::new("1") };
    seal(&vault, &other);
    // What is sealed stays as it is, bit for bit, and is still shown.
    assert_eq!(&sealed_bytes(folder.path())[..before.len()], before);
    assert_eq!(vault.read(receipt.digest).unwrap().unwrap(), Specimen::new("1").unit());
    assert_clean(folder.path(), 2);

    assert!(vault.control().activate_source("example").unwrap());
    assert!(!vault.control().activate_source("example").unwrap());
    seal(&vault, &Specimen::new("2"));
}

#[test]
fn r39_every_deposit_under_a_revoked_key_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let vault = open(folder.path());
    let control = vault.control();
    let key = control.create_key("north", &[permission("example", &[HOST])]).unwrap().unwrap();
    assert_eq!(control.create_key("north", &[]).unwrap(), None, "a name is given once");
    let north = vault.under_key(&key);
    seal(&north, &Specimen::new("1"));
    let before = sealed_bytes(folder.path());

    assert!(control.revoke_key("north").unwrap());
    assert!(!control.revoke_key("north").unwrap());
    let expected = (DepositErrorKind::EndsPass, "key-revoked".to_owned());
    assert_eq!(refused(&north, &Specimen::new("2").unit()), expected);
    assert_eq!(refused(&open(folder.path()).under_key(&key), &Specimen::new("1").unit()), expected);
    assert_eq!(control.create_key("north", &[]).unwrap(), None, "not even when it is revoked");
    assert_eq!(sealed_bytes(folder.path()), before, "bit for bit");
    assert_clean(folder.path(), 1);
}

#[test]
fn r39_a_key_that_is_revoked_while_a_deposit_waits_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let vault = open(folder.path());
    let key = vault.control().create_key("north", &[permission("example", &[HOST])]).unwrap().unwrap();
    let lock = std::fs::File::open(folder.path().join("lock")).unwrap();
    lock.lock().unwrap();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| vault.under_key(&key).deposit(&Specimen::new("1").unit()));
        // Long enough for it to be checked and to stand before the lock; if not, it is refused all the
        // sooner.
        std::thread::sleep(std::time::Duration::from_millis(200));
        vault.control().revoke_key("north").unwrap();
        lock.unlock().unwrap();
        let error = waiting.join().unwrap().unwrap_err();
        assert!(matches!(error, DepositError::KeyRevoked { .. }), "{error}");
    });
}

#[test]
fn a_key_reaches_to_its_sources_and_hosts_alone() {
    let folder = tempfile::tempdir().unwrap();
    let vault = open(folder.path());
    let control = vault.control();
    let key =
        |name: &str, permissions: &[Permission]| control.create_key(name, permissions).unwrap().unwrap();
    let here = key("here", &[permission("other", &["cms.example.org"]), permission("example", &[HOST])]);
    let elsewhere = key("elsewhere", &[permission("example", &["cms.example.org", "www.example.org:8443"])]);
    let nowhere = key("nowhere", &[]);
    let unknown: ConnectorKey = "0".repeat(64).parse().unwrap();
    let takes = |key: &ConnectorKey, source: &str| {
        vault.under_key(key).takes(source).map_err(|error| error.code().to_owned())
    };
    assert_eq!(takes(&here, "example"), Ok(()));
    assert_eq!(takes(&elsewhere, "example"), Ok(()), "as far as it depends on the source");
    assert_eq!(takes(&elsewhere, "other"), Err("source-not-permitted".to_owned()));
    assert_eq!(takes(&unknown, "example"), Err("key-unknown".to_owned()));

    let unit = Specimen::new("1").unit();
    let refused = |key: &ConnectorKey| refused(&vault.under_key(key), &unit);
    assert_eq!(refused(&elsewhere), (DepositErrorKind::Refused, "host-not-permitted".to_owned()));
    assert_eq!(refused(&nowhere), (DepositErrorKind::EndsPass, "source-not-permitted".to_owned()));
    assert_eq!(refused(&unknown), (DepositErrorKind::EndsPass, "key-unknown".to_owned()));
    assert!(matches!(vault.under_key(&here).deposit(&unit).unwrap(), Outcome::Sealed(_)));
}

#[test]
fn a_key_is_known_by_itself_alone() {
    let folder = tempfile::tempdir().unwrap();
    let vault = open(folder.path());
    let control = vault.control();
    let north = control.create_key("north", &[permission("example", &[HOST])]).unwrap().unwrap();
    let south = control.create_key("south", &[]).unwrap().unwrap();
    control.revoke_key("south").unwrap();
    let keys = control.keys().unwrap();
    assert_eq!(control.key(&north).unwrap().as_ref(), keys.first());
    assert_eq!(control.key(&south).unwrap().as_ref(), keys.last(), "a revoked one is found too");
    assert_eq!(control.key(&"0".repeat(64).parse().unwrap()).unwrap(), None);
}

#[test]
fn a_key_is_shown_once_and_kept_as_a_hash() {
    let folder = tempfile::tempdir().unwrap();
    let vault = open(folder.path());
    let key = vault.control().create_key("north", &[permission("example", &[HOST])]).unwrap().unwrap();
    assert!(!format!("{key:?}").contains(key.secret()));
    assert_eq!(key.secret().parse::<ConnectorKey>().unwrap(), key);
    drop(vault);
    let holds_key = |path: &Path| {
        let bytes = std::fs::read(path).unwrap();
        bytes.windows(key.secret().len()).any(|window| window == key.secret().as_bytes())
    };
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        assert!(path.is_dir() || !holds_key(&path), "{}", path.display());
    }
    let error = "not a key".parse::<ConnectorKey>().unwrap_err();
    assert!(!error.to_string().contains("not a key."));
}

#[test]
fn what_is_withdrawn_is_kept_and_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    let vault = open(folder.path());
    let specimen = Specimen::new("1");
    let one = seal(&vault, &specimen);
    seal(&vault, &Specimen::new("2"));
    let before = sealed_bytes(folder.path());

    assert!(vault.control().withdraw(&specimen.key(), "north", "the publisher asked for it").unwrap());
    assert!(!vault.control().withdraw(&specimen.key(), "south", "again").unwrap());
    for error in [vault.versions(&specimen.key()).unwrap_err(), vault.read(one.digest).unwrap_err()] {
        assert!(matches!(&error, VaultError::Withdrawn { .. }), "{error}");
        assert!(error.to_string().ends_with("the publisher asked for it"), "{error}");
    }
    let listed = |vault: &LocalVault| -> Vec<String> {
        let versions = vault.list(&Since::default(), 10).unwrap();
        versions.iter().map(|version| version.key.identifier().to_owned()).collect()
    };
    assert_eq!(listed(&vault), ["2"]);
    assert_eq!(
        vault.list(&Since::default(), 1).unwrap().len(),
        1,
        "a page is filled from behind what is hidden"
    );
    assert_eq!(vault.at_address(&specimen.address()).unwrap(), [specimen.key()]);
    // Interpretation: a withdrawal is of the article, so a later version is not shown either. It can be
    // deposited: whether a source is read at all is another decision (R39).
    let two = seal(&vault, &specimen.clone().saying("Corrected.").after(one.digest));
    assert!(vault.read(two.digest).is_err());
    assert_eq!(vault.last_version(&specimen.key()).unwrap().unwrap().receipt, two);
    assert_eq!(&sealed_bytes(folder.path())[..before.len()], before, "bit for bit");
    assert_clean(folder.path(), 3);

    // Everything that is sealed can still be checked, and the proof convinces as before.
    let sealed = vault.sealed_versions(&specimen.key()).unwrap();
    assert_eq!(sealed.len(), 2);
    assert!(sealed.iter().all(|version| vault.check(version).unwrap().accepted()));

    let decision = |by: &str, reason: &str| {
        let (by, reason) = (by.to_owned(), reason.to_owned());
        Decision { at: clock()(), by, reason }
    };
    let first = Withdrawal {
        key: specimen.key(),
        decision: decision("north", "the publisher asked for it"),
        lifted: None,
    };
    assert_eq!(vault.control().withdrawals().unwrap(), std::slice::from_ref(&first));
    assert!(vault.control().reinstate(&specimen.key(), "south", "it was another article").unwrap());
    assert!(!vault.control().reinstate(&specimen.key(), "south", "again").unwrap());
    assert_eq!(listed(&vault), ["1", "2", "1"]);
    // Both decisions stay on record, beside whatever is decided next.
    vault.control().withdraw(&specimen.key(), "north", "asked again").unwrap();
    let first = Withdrawal { lifted: Some(decision("south", "it was another article")), ..first };
    let second = Withdrawal { key: specimen.key(), decision: decision("north", "asked again"), lifted: None };
    assert_eq!(vault.control().withdrawals().unwrap(), [first, second]);
}

#[test]
fn decisions_survive_a_reindex() {
    let folder = tempfile::tempdir().unwrap();
    let vault = open(folder.path());
    let key = vault.control().create_key("north", &[permission("example", &[HOST])]).unwrap().unwrap();
    seal(&vault, &Specimen::new("1"));
    vault.control().deactivate_source("quiet").unwrap();
    vault.control().withdraw(&Specimen::new("1").key(), "north", "asked").unwrap();
    vault.control().revoke_key("north").unwrap();
    let state = |vault: &LocalVault| {
        let control = vault.control();
        (control.keys().unwrap(), control.inactive_sources().unwrap(), control.withdrawals().unwrap())
    };
    let before = state(&vault);
    drop(vault);
    std::fs::remove_file(folder.path().join("index.sqlite")).unwrap();
    reindex(folder.path(), &mut |_| {}).unwrap();
    let vault = open(folder.path());
    assert_eq!(state(&vault), before);
    assert_eq!(refused(&vault.under_key(&key), &Specimen::new("2").unit()).1, "key-revoked");
}

/// `control.sqlite` as the first version of this program made it: withdrawals without who decided them.
const FORMAT_1: &str = "
    DROP TABLE withdrawal;
    CREATE TABLE withdrawal (
        source TEXT NOT NULL,
        identifier TEXT NOT NULL,
        reason TEXT NOT NULL,
        at INTEGER NOT NULL,
        until INTEGER
    ) STRICT;
    CREATE UNIQUE INDEX withdrawal_now ON withdrawal (source, identifier) WHERE until IS NULL;
    INSERT INTO withdrawal VALUES ('example', '1', 'a mistake', 1000, 2000), ('example', '1', 'asked', 3000, NULL);
    PRAGMA user_version = 1;
";

#[test]
fn what_an_earlier_version_kept_on_record_still_holds() {
    let folder = tempfile::tempdir().unwrap();
    let vault = open(folder.path());
    let key = vault.control().create_key("north", &[permission("example", &[HOST])]).unwrap().unwrap();
    let specimen = Specimen::new("1");
    seal(&vault, &specimen);
    vault.control().deactivate_source("quiet").unwrap();
    drop(vault);
    let control = || Connection::open(folder.path().join("control.sqlite")).unwrap();
    control().execute_batch(FORMAT_1).unwrap();

    // Two that open it at the same time do not get into each other's way.
    let vaults = std::thread::scope(|scope| {
        let opening = [(); 4].map(|()| scope.spawn(|| open(folder.path())));
        opening.map(|opening| opening.join().unwrap())
    });
    let [vault, ..] = &vaults;
    assert!(matches!(vault.versions(&specimen.key()).unwrap_err(), VaultError::Withdrawn { .. }));
    let withdrawals = vault.control().withdrawals().unwrap();
    let told =
        |decision: &Decision| (decision.at.as_millisecond(), decision.by.clone(), decision.reason.clone());
    let unknown = || "(not recorded)".to_owned();
    assert_eq!(told(&withdrawals[0].decision), (1000, unknown(), "a mistake".to_owned()));
    assert_eq!(told(withdrawals[0].lifted.as_ref().unwrap()), (2000, unknown(), unknown()));
    assert_eq!(told(&withdrawals[1].decision), (3000, unknown(), "asked".to_owned()));
    assert_eq!((withdrawals.len(), &withdrawals[1].lifted), (2, &None));
    assert!(vault.control().key(&key).unwrap().is_some());
    assert_eq!(vault.control().inactive_sources().unwrap().len(), 1);
    assert!(vault.control().reinstate(&specimen.key(), "south", "settled").unwrap());

    // As the later versions had it that still called it 1: nothing is to be done but to say so.
    let before = vault.control().withdrawals().unwrap();
    drop(vaults);
    control().pragma_update(None, "user_version", 1).unwrap();
    assert_eq!(open(folder.path()).control().withdrawals().unwrap(), before);

    // One of a later version is not touched.
    control().pragma_update(None, "user_version", 3).unwrap();
    let error = LocalVault::open(folder.path(), options()).err().unwrap();
    assert_eq!(error.code(), "vault-format-unknown");
}

#[test]
fn a_sequence_that_no_vault_comes_to_has_nothing_behind_it() {
    let folder = tempfile::tempdir().unwrap();
    let vault = open(folder.path());
    assert_eq!(vault.head().unwrap(), None);
    let receipt = seal(&vault, &Specimen::new("1"));
    assert_eq!(vault.head().unwrap(), Some((receipt.sequence, receipt.seal)));
    for source in [None, Some("example".to_owned())] {
        let since = Since { sequence: u64::MAX, source, ..Since::default() };
        assert_eq!(vault.list(&since, usize::MAX).unwrap(), []);
    }
    assert_eq!(vault.without_timestamp(u64::MAX, 10).unwrap(), []);
}
