//! What a depositor sees of a vault over the network, in good days and bad ones.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use releve_deposit::testing::{HOST, Specimen, TestClock, admission};
use releve_deposit::{DepositErrorKind, Outcome, Permission, Since, Vault as _, VaultError};
use releve_vault_http::{Bounds, HttpVault, HttpVaultOptions, SetupError};

use crate::tools::{Served, permission};

fn serve() -> Served {
    Served::new(admission(), TestClock::new().clock(), Bounds::default())
}

/// The bytes of all segments.
fn sealed_bytes(served: &Served) -> Vec<u8> {
    std::fs::read(served.folder().join("vault/segments/000001.warc.gz")).unwrap()
}

#[track_caller]
fn refused(vault: &HttpVault, specimen: &Specimen) -> (DepositErrorKind, String) {
    let error = vault.deposit(&specimen.unit()).unwrap_err();
    (error.kind(), error.code().to_owned())
}

#[test]
fn r39_a_revoked_key_and_an_inactive_source_are_refused_from_the_next_request_on() {
    let served = serve();
    let vault = served.client();
    vault.deposit(&Specimen::new("1").unit()).unwrap();
    let before = sealed_bytes(&served);

    served.local.control().deactivate_source("example").unwrap();
    let inactive = (DepositErrorKind::EndsPass, "source-inactive".to_owned());
    assert_eq!(refused(&vault, &Specimen::new("2")), inactive);
    assert_eq!(refused(&vault, &Specimen::new("1")), inactive, "sealed already, and asked again");
    assert_eq!(vault.takes("example").unwrap_err().code(), "source-inactive", "and may be asked beforehand");
    vault.takes("other").unwrap();
    served.local.control().activate_source("example").unwrap();
    vault.takes("example").unwrap();

    served.local.control().revoke_key("north").unwrap();
    let revoked = (DepositErrorKind::EndsPass, "key-revoked".to_owned());
    assert_eq!(refused(&vault, &Specimen::new("2")), revoked);
    // A pass asks for the last version before it deposits: there too it has to learn that it is over.
    let error = vault.last_version(&Specimen::new("2").key()).unwrap_err();
    assert!(matches!(&error, VaultError::KeyRefused { code: "key-revoked", .. }), "{error}");
    assert!(error.to_string().contains("`north` is revoked: ask the operator"), "{error}");
    let error = releve_deposit::DepositError::from(error);
    assert_eq!((error.kind(), error.code()), (DepositErrorKind::EndsPass, "key-revoked"));
    assert!(vault.head().is_err() && vault.read(Specimen::new("1").unit().digest()).is_err());
    assert_eq!(sealed_bytes(&served), before, "bit for bit");
}

#[test]
fn a_key_deposits_and_sees_what_it_was_given_and_nothing_else() {
    let served = serve();
    let north = served.client();
    let theirs = Specimen::new("1");
    let unit = theirs.unit();
    north.deposit(&unit).unwrap();
    let client = |name: &str, permissions: &[Permission]| {
        let key = served.local.control().create_key(name, permissions).unwrap().unwrap();
        served.client_of(&key, served.at)
    };
    let south = client("south", &[permission("south", &[HOST])]);
    let elsewhere = client("elsewhere", &[permission("example", &["cms.example.org"])]);

    assert_eq!(
        refused(&south, &Specimen::new("2")),
        (DepositErrorKind::EndsPass, "source-not-permitted".to_owned())
    );
    assert_eq!(
        refused(&elsewhere, &Specimen::new("2")),
        (DepositErrorKind::Refused, "host-not-permitted".to_owned())
    );

    assert_eq!(south.takes("example").unwrap_err().code(), "source-not-permitted");
    let is_refused = |result: Result<(), VaultError>| {
        matches!(result, Err(VaultError::KeyRefused { code: "source-not-permitted", .. }))
    };
    assert!(is_refused(south.last_version(&theirs.key()).map(drop)));
    assert!(is_refused(south.versions(&theirs.key()).map(drop)));
    let of_theirs = Since { source: Some("example".to_owned()), ..Since::default() };
    assert!(is_refused(south.list(&of_theirs, 10).map(drop)));
    assert_eq!(south.read(unit.digest()).unwrap(), None);
    assert_eq!(south.with_identifier("1").unwrap(), []);
    assert_eq!(south.at_address(&theirs.address()).unwrap(), []);
    assert_eq!(south.list(&Since::default(), 10).unwrap(), []);
    // Nor is it told that something else is withdrawn, and why.
    served.local.control().withdraw(&theirs.key(), "an operator", "a secret reason").unwrap();
    assert_eq!(south.read(unit.digest()).unwrap(), None);
    served.local.control().reinstate(&theirs.key(), "an operator", "settled").unwrap();

    let ours = Specimen { source: "south".to_owned(), ..Specimen::new("1") };
    south.deposit(&ours.unit()).unwrap();
    assert_eq!(south.with_identifier("1").unwrap(), [ours.key()]);
    assert_eq!(south.list(&Since::default(), 10).unwrap().len(), 1);
    assert_eq!(north.list(&Since::default(), 10).unwrap().len(), 1);
}

#[test]
fn a_list_longer_than_a_page_comes_whole_and_in_order() {
    let served = serve();
    for number in 0..205 {
        let source = ["example", "other", "even"][number % 3].to_owned();
        let specimen = Specimen { source, ..Specimen::new(&number.to_string()) };
        served.local.deposit(&specimen.unit()).unwrap();
    }
    let vault = served.client();
    let expected = served.local.list(&Since::default(), 1_000).unwrap();
    assert_eq!(vault.list(&Since::default(), 1_000).unwrap(), expected);
    assert_eq!(vault.list(&Since::default(), 150).unwrap(), expected[..150]);
    let rest = Since { sequence: expected[199].receipt.sequence, ..Since::default() };
    assert_eq!(vault.list(&rest, 1_000).unwrap(), expected[200..]);
    let behind_all = Since { sequence: u64::MAX, ..Since::default() };
    assert_eq!(vault.list(&behind_all, 1_000).unwrap(), []);
}

#[test]
fn what_is_withdrawn_is_told_as_that() {
    let served = serve();
    let vault = served.client();
    let specimen = Specimen::new("1");
    let outcome = vault.deposit(&specimen.unit()).unwrap();
    served.local.control().withdraw(&specimen.key(), "an operator", "the publisher asked").unwrap();
    let expected = served.local.versions(&specimen.key()).unwrap_err().to_string();
    assert_eq!(vault.versions(&specimen.key()).unwrap_err().to_string(), expected);
    assert_eq!(vault.read(outcome.receipt().digest).unwrap_err().to_string(), expected);
    assert!(vault.last_version(&specimen.key()).unwrap().is_some(), "a deposit has to follow on it");
}

/// Lies between a client and a server, and cuts off answers when it is told to.
struct Between {
    at: SocketAddr,
    cuts: Arc<AtomicBool>,
}

impl Between {
    fn new(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let at = listener.local_addr().unwrap();
        let cuts = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&cuts);
        thread::spawn(move || {
            for client in listener.incoming() {
                let (client, server) = (client.unwrap(), TcpStream::connect(server).unwrap());
                let (up, down) = (client.try_clone().unwrap(), server.try_clone().unwrap());
                thread::spawn(move || forward(up, server, &AtomicBool::new(false)));
                let told = Arc::clone(&told);
                thread::spawn(move || forward(down, client, &told));
            }
        });
        Self { at, cuts }
    }
}

fn forward(mut from: TcpStream, mut to: TcpStream, cuts: &AtomicBool) {
    let mut buffer = [0; 4096];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        if cuts.load(Ordering::SeqCst) || to.write_all(&buffer[..length]).is_err() {
            break;
        }
    }
    drop(from.shutdown(Shutdown::Both));
    drop(to.shutdown(Shutdown::Both));
}

#[test]
fn r23_a_deposit_whose_answer_is_lost_is_sealed_once() {
    let served = serve();
    let between = Between::new(served.at);
    let vault = served.client_of(&served.key, between.at);
    // The handshake goes through.
    assert_eq!(vault.head().unwrap().sequence, 0);
    between.cuts.store(true, Ordering::SeqCst);
    let unit = Specimen::new("1").unit();
    let error = vault.deposit(&unit).unwrap_err();
    assert_eq!((error.kind(), error.code()), (DepositErrorKind::Failed, "vault-store"), "{error}");
    served.until_logged("sealed");
    between.cuts.store(false, Ordering::SeqCst);

    let receipt = *vault.deposit(&unit).unwrap().receipt();
    assert_eq!(vault.deposit(&unit).unwrap(), Outcome::AlreadySealed(receipt));
    // As a pass does it: on top of the last version, which turns out to be its own.
    let last = vault.last_version(&Specimen::new("1").key()).unwrap().unwrap();
    assert_eq!(last.receipt, receipt);
    let again = Specimen::new("1").after(last.receipt.digest).unit();
    assert_eq!(vault.deposit(&again).unwrap(), Outcome::AlreadySealed(receipt));
    assert_eq!(vault.list(&Since::default(), 10).unwrap().len(), 1);
}

#[test]
fn r24_a_vault_that_cannot_be_reached_or_fails_counts_as_a_failed_deposit() {
    let mut served = serve();
    let vault = served.client();
    vault.deposit(&Specimen::new("1").unit()).unwrap();
    // The server's disk is not what it was: it says that it failed, and where, to its operator alone.
    let segment = served.folder().join("vault/segments/000001.warc.gz");
    let bytes = std::fs::read(&segment).unwrap();
    std::fs::write(&segment, &bytes[..bytes.len() - 10]).unwrap();
    let error = vault.deposit(&Specimen::new("2").unit()).unwrap_err();
    assert_eq!(error.kind(), DepositErrorKind::Failed);
    let told = format!("{error:?}");
    assert!(told.contains("vault-damaged") && !told.contains("segments"), "{told}");
    let log = served.log.lock().unwrap().clone();
    let line = log.last().unwrap();
    assert!(line.failure.as_ref().unwrap().contains("000001.warc.gz is damaged"), "{line}");

    served.stop();
    assert!(served.stopped());
    let error = vault.deposit(&Specimen::new("2").unit()).unwrap_err();
    assert_eq!((error.kind(), error.code()), (DepositErrorKind::Failed, "vault-store"), "{error}");
}

#[test]
fn a_server_that_is_no_vault_is_not_believed() {
    let served = serve();
    let options = |address: String, authority_pem: Option<Vec<u8>>| HttpVaultOptions {
        address: address.parse().unwrap(),
        key: served.key.clone(),
        authority_pem,
        clock: Arc::clone(&served.clock),
    };
    let address = format!("https://localhost:{}", served.at.port());
    let authority = Some(served.authority.clone().into_bytes());
    let elsewhere = HttpVault::new(options(format!("{address}/elsewhere"), authority)).unwrap();
    let error = elsewhere.deposit(&Specimen::new("1").unit()).unwrap_err();
    assert_eq!(error.kind(), DepositErrorKind::Failed, "there is something there, and no vault");
    assert!(
        elsewhere.read(Specimen::new("1").unit().digest()).is_err(),
        "which is not to say that it has no such unit"
    );
    served.log.lock().unwrap().clear();
    let untrusted = HttpVault::new(options(address.clone(), None)).unwrap();
    let error = untrusted.deposit(&Specimen::new("1").unit()).unwrap_err();
    assert_eq!(error.kind(), DepositErrorKind::Failed, "its certificate leads nowhere");
    assert!(served.log.lock().unwrap().is_empty(), "and it never got to see the key");

    assert!(matches!(
        HttpVault::new(options(format!("{address}/?key=x"), None)),
        Err(SetupError::Address { .. })
    ));
    assert!(matches!(
        HttpVault::new(options(address, Some(b"no PEM".to_vec()))),
        Err(SetupError::Certificate { .. })
    ));
}

#[test]
fn the_key_is_shown_by_nothing() {
    let served = serve();
    let vault = served.client();
    vault.deposit(&Specimen::new("1").unit()).unwrap();
    served.local.control().revoke_key("north").unwrap();
    let error = vault.deposit(&Specimen::new("2").unit()).unwrap_err();
    let log = served.log.lock().unwrap().clone();
    for text in [format!("{vault:?}"), format!("{error:?} {error}"), format!("{log:?} {}", log[0])] {
        assert!(!text.contains(served.key.secret()), "{text}");
    }
}

#[test]
fn what_is_under_way_when_the_server_stops_is_finished() {
    let mut served = serve();
    let vault = served.client();
    vault.head().unwrap();
    let lock = std::fs::File::open(served.folder().join("vault/lock")).unwrap();
    lock.lock().unwrap();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| vault.deposit(&Specimen::new("1").unit()));
        // Long enough for it to stand before the lock.
        thread::sleep(Duration::from_millis(500));
        served.stop();
        thread::sleep(Duration::from_millis(200));
        assert!(TcpStream::connect(served.at).is_err(), "nothing more is accepted");
        lock.unlock().unwrap();
        assert!(matches!(waiting.join().unwrap().unwrap(), Outcome::Sealed(_)));
    });
    assert!(served.stopped(), "and the idle connection was closed");
}
