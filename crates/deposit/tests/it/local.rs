//! Opening, segments, sets of roots, and what is refused.

use std::fs;
use std::path::Path;
use std::thread;

use releve_deposit::testing::{Specimen, TestClock, admission, roots};
use releve_deposit::{
    Admission, DepositError, DepositErrorKind, LocalOptions, LocalVault, MalformedUnit, Outcome, Since,
    Vault as _, VaultError,
};
use releve_proof::{RootSet, Sha256};

use crate::tools::{assert_clean, open, open_small, options, seal, segment, verified};

fn lab() -> LocalOptions {
    LocalOptions { admission: Admission { lab: true, ..admission() }, ..options() }
}

#[track_caller]
fn refused(result: Result<LocalVault, VaultError>) -> (String, String) {
    let error = result.err().unwrap();
    (error.code().to_owned(), error.to_string())
}

#[test]
fn a_vault_that_cannot_be_opened_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let (code, text) = refused(LocalVault::open(path, options()));
    assert_eq!(code, "vault-missing");
    assert!(text.contains(path.to_str().unwrap()), "{text}");

    drop(open(path));
    let vault_json = path.join("vault.json");
    let good = fs::read_to_string(&vault_json).unwrap();
    for (text, code) in [
        ("not json".to_owned(), "vault-invalid"),
        ("{}".to_owned(), "vault-invalid"),
        (good.replace("\"format\": 1", "\"format\": 2"), "vault-format-unknown"),
        // A later format may look any way it likes, apart from saying that it is one.
        ("{\"format\": 7, \"shards\": 12}".to_owned(), "vault-format-unknown"),
        (good.replace("\"lab\": false", "\"lab\": \"no\""), "vault-invalid"),
        (good.replace('}', ", \"more\": 1}"), "vault-invalid"),
    ] {
        assert_ne!(text, good);
        fs::write(&vault_json, &text).unwrap();
        assert_eq!(refused(LocalVault::open(path, options())).0, code, "{text}");
        assert_eq!(refused(LocalVault::open_or_create(path, options())).0, code, "{text}");
    }
    fs::write(&vault_json, good).unwrap();
    drop(open(path));

    fs::remove_file(path.join("control.sqlite")).unwrap();
    for _ in 0..2 {
        let (code, text) = refused(LocalVault::open(path, options()));
        assert_eq!(code, "vault-invalid");
        assert!(text.contains("restore it from a copy"), "{text}");
        // The second time it is empty.
        fs::write(path.join("control.sqlite"), "").unwrap();
    }
    fs::write(path.join("control.sqlite"), "no database".repeat(100)).unwrap();
    let (code, text) = refused(LocalVault::open(path, options()));
    assert_eq!(code, "vault-invalid");
    assert!(text.contains("damaged") && text.contains("restore it from a copy"), "{text}");
}

#[test]
fn an_index_that_is_gone_or_damaged_is_to_be_rebuilt() {
    let folder = tempfile::tempdir().unwrap();
    seal(&open(folder.path()), &Specimen::new("1"));
    let index = folder.path().join("index.sqlite");
    let break_it: [&dyn Fn(); 3] = [
        &|| fs::remove_file(&index).unwrap(),
        &|| {
            fs::write(&index, "not a database, and longer than the header of one would be: ".repeat(20))
                .unwrap();
        },
        &|| {
            let other = tempfile::tempdir().unwrap();
            drop(open(other.path()));
            fs::copy(other.path().join("index.sqlite"), &index).unwrap();
        },
    ];
    for break_it in break_it {
        break_it();
        let (code, text) = refused(LocalVault::open(folder.path(), options()));
        assert_eq!(code, "vault-index");
        assert!(text.contains("reindex"), "{text}");
        let reindexed = releve_deposit::reindex(folder.path(), &mut |_| {}).unwrap();
        assert_eq!((reindexed.units, reindexed.faults.len()), (1, 0));
        let vault = open(folder.path());
        assert_eq!(vault.list(&Since::default(), 10).unwrap().len(), 1);
    }
}

#[test]
fn an_index_that_is_damaged_anywhere_is_rebuilt() {
    const PAGE: usize = 4096;
    let folder = tempfile::tempdir().unwrap();
    seal(&open(folder.path()), &Specimen::new("1"));
    let path = folder.path().join("index.sqlite");
    let whole = fs::read(&path).unwrap();
    let pages = whole.len() / PAGE;
    assert!(pages > 5, "{pages}");
    let mut told = 0;
    for page in 0..pages {
        // SQLite's own header stays: what is broken is found when it is read.
        let from = page * PAGE + if page == 0 { 100 } else { 0 };
        let mut broken = whole.clone();
        broken[from..(page + 1) * PAGE].fill(0xa5);
        fs::write(&path, broken).unwrap();
        if let Err(error) =
            LocalVault::open(folder.path(), options()).and_then(|vault| vault.list(&Since::default(), 10))
        {
            assert_eq!(error.code(), "vault-index", "{error}");
            told += 1;
        }
        let reindexed = releve_deposit::reindex(folder.path(), &mut |_| {}).unwrap();
        assert_eq!((reindexed.units, reindexed.faults.len()), (1, 0), "page {page}");
        assert_eq!(open(folder.path()).list(&Since::default(), 10).unwrap().len(), 1);
    }
    assert!(told > 2, "{told}");
}

#[test]
fn a_laboratorys_vault_and_another_are_never_taken_for_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let (ours, labs) = (folder.path().join("ours"), folder.path().join("labs"));
    drop(open(&ours));
    let vault = LocalVault::open_or_create(&labs, lab()).unwrap();
    assert_eq!(refused(LocalVault::open(&ours, lab())).0, "lab-mismatch");
    assert_eq!(refused(LocalVault::open_or_create(&labs, options())).0, "lab-mismatch");

    let error = vault.deposit(&Specimen::new("1").unit()).unwrap_err();
    assert_eq!((error.kind(), error.code()), (DepositErrorKind::EndsPass, "lab-mismatch"));
    seal(&vault, &Specimen { lab: true, ..Specimen::new("1") });
    assert_clean(&labs, 1);
}

#[test]
fn no_vault_is_made_among_other_files() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("thesis.tex"), "").unwrap();
    assert_eq!(refused(LocalVault::open_or_create(folder.path(), options())).0, "vault-invalid");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_vault_that_was_never_finished_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    drop(open(folder.path()));
    // As a crash leaves it right before the last step.
    fs::remove_file(folder.path().join("vault.json")).unwrap();
    seal(&open(folder.path()), &Specimen::new("1"));
    assert_clean(folder.path(), 1);
    // But never over segments.
    fs::remove_file(folder.path().join("vault.json")).unwrap();
    assert_eq!(refused(LocalVault::open_or_create(folder.path(), options())).0, "vault-invalid");
}

#[test]
fn processes_make_and_fill_one_vault_together() {
    let folder = tempfile::tempdir().unwrap();
    thread::scope(|scope| {
        for process in 0..6 {
            let path = folder.path();
            scope.spawn(move || {
                // Each has locks and connections of its own, as a process has.
                let vault = open_small(path);
                for number in 0..8 {
                    seal(&vault, &Specimen::new(&format!("{process}-{number}")));
                    vault.list(&Since::default(), 5).unwrap();
                }
            });
        }
    });
    assert_clean(folder.path(), 48);
    let versions = open(folder.path()).list(&Since::default(), 100).unwrap();
    assert_eq!(versions.len(), 48);
    for version in versions {
        let vault = open(folder.path());
        assert!(vault.check(&version).unwrap().accepted());
    }
}

#[test]
fn a_new_segment_follows_on_the_one_before() {
    let folder = tempfile::tempdir().unwrap();
    let vault = open_small(folder.path());
    let receipts: Vec<_> = (0..5).map(|number| seal(&vault, &Specimen::new(&number.to_string()))).collect();
    let found = verified(folder.path(), &[receipts[0].seal, receipts[4].seal]);
    assert!(found.is_clean(), "{:?}", found.faults);
    assert!(found.segments >= 3, "{found:?}");
    assert_eq!(found.head, Some((receipts[4].sequence, receipts[4].seal)));
    assert_eq!(found.by_roots_today, 5);
    let stats = vault.stats().unwrap();
    assert_eq!(stats.segments, found.segments);
    assert_eq!((stats.sequence, stats.head), (receipts[4].sequence, Some(receipts[4].seal)));
    let source = &stats.sources[0];
    assert_eq!((source.name.as_str(), source.articles, source.units), ("example", 5, 5));
    assert!(source.bytes < found.bytes);
}

#[test]
fn r16_the_set_of_roots_in_force_is_sealed_once() {
    let folder = tempfile::tempdir().unwrap();
    let mozilla = RootSet::current().unwrap();
    let both =
        RootSet::from_pem("both", format!("{}{}", roots().to_pem(), mozilla.to_pem()).as_bytes()).unwrap();
    let seal_under = |roots: &RootSet, identifier: &str| {
        let admission = Admission { roots: roots.clone(), ..admission() };
        let vault =
            LocalVault::open_or_create(folder.path(), LocalOptions { admission, ..options() }).unwrap();
        seal(&vault, &Specimen::new(identifier))
    };
    // A set of roots has a sequence of its own, before the first unit that was checked against it.
    let sequences = [
        seal_under(&roots(), "1").sequence,
        seal_under(&roots(), "2").sequence,
        seal_under(&both, "3").sequence,
        seal_under(&roots(), "4").sequence,
    ];
    assert_eq!(sequences, [2, 3, 5, 6]);
    let digests = |sets: Vec<RootSet>| -> Vec<Sha256> { sets.iter().map(RootSet::digest).collect() };
    assert_eq!(digests(open(folder.path()).sealed_roots().unwrap()), [roots().digest(), both.digest()]);
    assert_eq!(verified(folder.path(), &[]).root_sets, 2);

    // Years later, when today's list knows the root no more, the sealed set still does, and the result says
    // which was used.
    let check = |roots| {
        let window = releve_proof::Context::WINDOW;
        let options = releve_deposit::Verify { folder: folder.path(), roots, window, heads: &[] };
        releve_deposit::verify(&options, &mut |_| {}).unwrap()
    };
    for today in [Some(&mozilla), None] {
        let found = check(today);
        assert!(found.is_clean(), "{:?}", found.faults);
        assert_eq!((found.by_roots_today, found.by_roots_sealed), (0, 4));
    }
    let version = open(folder.path()).last_version(&Specimen::new("1").key()).unwrap().unwrap();
    let admission = Admission { roots: mozilla, ..admission() };
    let later = LocalVault::open(folder.path(), LocalOptions { admission, ..options() }).unwrap();
    let report = later.check(&version).unwrap();
    assert!(report.accepted());
    assert_eq!(report.roots().sha256, roots().digest());
}

/// What is forged, and the code that it is refused with.
#[test]
fn r16_each_failing_check_refuses_the_deposit() {
    type Forge = fn(&mut serde_json::Value);
    let rows: [(&str, Forge); 9] = [
        ("digest-differs", |proof| {
            let other = Sha256::of(b"another envelope").to_string();
            proof["envelope"]["sha256"] = other.clone().into();
            proof["received"]["sha256"] = other.into();
        }),
        ("length-differs", |proof| {
            proof["envelope"]["length"] = 1.into();
            proof["received"]["length"] = 1.into();
        }),
        ("host-differs", |proof| {
            for address in ["address", "requested"] {
                proof[address] = "https://other.example.org/articles/1".into();
            }
        }),
        ("read-after-receipt", |proof| proof["read_at"] = "2026-05-04T03:02:02.988Z".into()),
        ("read-too-long-ago", |proof| proof["read_at"] = "2026-04-27T03:02:02.986Z".into()),
        ("certificate-not-yet-valid", |proof| proof["read_at"] = "2019-12-31T23:59:59.000Z".into()),
        ("evidence-differs", |proof| proof["tls"]["cipher_suite"] = "TLS_AES_128_GCM_SHA256".into()),
        ("path-differs", |proof| {
            let root = proof["tls"]["verified"][1].clone();
            proof["tls"]["verified"] = vec![root].into();
        }),
        ("chain-empty", |proof| proof["tls"]["presented"] = serde_json::Value::Array(Vec::new())),
    ];
    let folder = tempfile::tempdir().unwrap();
    let vault = open(folder.path());
    for (code, forge) in rows {
        let specimen = Specimen::new("1");
        if let Some(proof) = specimen.try_forge(forge) {
            let error = vault.deposit(&specimen.unit_with(&proof)).unwrap_err();
            assert_eq!((error.kind(), error.code()), (DepositErrorKind::Refused, code), "{error}");
            assert!(matches!(error, DepositError::CheckFailed { .. }));
        } else {
            panic!("{code}: this is not even a proof");
        }
    }
    // A recognised authority is one that the vault recognises, whatever the connector thought.
    let strict = tempfile::tempdir().unwrap();
    let mozilla = Admission { roots: RootSet::current().unwrap(), ..admission() };
    let strict = LocalVault::open_or_create(strict.path(), LocalOptions { admission: mozilla, ..options() });
    let error = strict.unwrap().deposit(&Specimen::new("1").unit()).unwrap_err();
    assert_eq!((error.kind(), error.code()), (DepositErrorKind::Refused, "root-unknown"));
    // An http address cannot even be written into a proof (R28).
    let http = |proof: &mut serde_json::Value| {
        for address in ["address", "requested"] {
            proof[address] = "http://www.example.org/articles/1".into();
        }
    };
    assert!(Specimen::new("1").try_forge(http).is_none());

    assert_eq!(vault.list(&Since::default(), 10).unwrap(), []);
    assert!(!segment(folder.path(), 1).exists(), "nothing was written at all");
    assert!(matches!(vault.deposit(&Specimen::new("1").unit()).unwrap(), Outcome::Sealed(_)));
}

#[test]
fn r16_the_window_is_the_operators() {
    let folder = tempfile::tempdir().unwrap();
    let clock = TestClock::new();
    let admission = Admission { window: std::time::Duration::from_secs(1), ..admission() };
    let vault =
        LocalVault::open_or_create(folder.path(), LocalOptions::new(admission, clock.clock())).unwrap();
    clock.set("2026-05-04T03:02:02.988Z".parse().unwrap());
    let error = vault.deposit(&Specimen::new("1").unit()).unwrap_err();
    assert_eq!(error.code(), "read-too-long-ago");
    // What is under a millisecond is nobody's to argue about: the vault's instants have whole ones.
    clock.set("2026-05-04T03:02:02.987999999Z".parse().unwrap());
    seal(&vault, &Specimen::new("1"));
}

#[test]
fn r23_refusals_and_failures_are_told_apart() {
    let path = Path::new("vault").to_owned();
    let io = || std::io::Error::from(std::io::ErrorKind::StorageFull);
    let name = || "example".to_owned();
    let refused = [
        DepositError::CheckFailed { code: "digest-differs".to_owned(), reason: String::new() },
        DepositError::Malformed(MalformedUnit::Truncated),
        DepositError::HostNotPermitted { key: name(), host: name() },
    ];
    let ends_pass = [
        DepositError::SourceInactive { name: name() },
        DepositError::KeyRevoked { name: name() },
        DepositError::KeyUnknown,
        DepositError::SourceNotPermitted { key: name(), name: name() },
        DepositError::LabMismatch { unit_is_lab: true },
    ];
    // R24 counts these: the same unit offered again may be sealed.
    let failed = [
        DepositError::Vault(VaultError::DiskFull { path: path.clone(), source: io() }),
        DepositError::Vault(VaultError::Io { action: "write", path: path.clone(), source: io() }),
        DepositError::Vault(VaultError::Store { action: "write".to_owned(), source: "locked".into() }),
        DepositError::Vault(VaultError::Damaged { path, offset: 0, why: String::new() }),
    ];
    let rows = [
        (DepositErrorKind::Refused, refused.as_slice()),
        (DepositErrorKind::EndsPass, ends_pass.as_slice()),
        (DepositErrorKind::Failed, failed.as_slice()),
        (DepositErrorKind::Superseded, &[DepositError::Superseded { named: None, last: None }]),
    ];
    for (kind, errors) in rows {
        for error in errors {
            assert_eq!(error.kind(), kind, "{error}");
            assert!(error.code().bytes().all(|byte| byte == b'-' || byte.is_ascii_lowercase()), "{error}");
        }
    }
}

/// Two passes that cron starts at the same second are the first ones that there are.
#[test]
fn processes_that_make_a_vault_at_once_all_have_it() {
    for round in 0..40 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("vault");
        let barrier = std::sync::Barrier::new(4);
        std::thread::scope(|scope| {
            let open = || {
                barrier.wait();
                LocalVault::open_or_create(&path, options()).map(|vault| vault.id().to_owned())
            };
            let opened: Vec<_> = (0..4).map(|_| scope.spawn(open)).collect();
            let ids: Vec<String> = opened.into_iter().map(|opened| opened.join().unwrap().unwrap()).collect();
            assert!(ids.iter().all(|id| *id == ids[0]), "{round}: {ids:?}");
        });
    }
}
