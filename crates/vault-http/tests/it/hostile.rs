//! Clients that mean no good, or are broken: each gets its refusal and nothing else.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use releve_deposit::testing::{HOST, Specimen, TestClock, admission, read_at};
use releve_deposit::{Outcome, Since, UNIT_BYTES_MAX, Unit, Vault as _};
use releve_proof::Sha256;
use releve_vault_http::Bounds;

use crate::tools::{Served, permission};

/// Bounds that a test can wait for.
const QUICK: Duration = Duration::from_millis(300);

fn quick() -> Bounds {
    Bounds {
        connections: 8,
        handshake: QUICK,
        head: QUICK,
        between_bytes: QUICK,
        room_wait: QUICK,
        whole: Duration::from_secs(3),
        memory_bytes: 32 << 20,
        stop: Duration::from_secs(10),
    }
}

fn serve(bounds: Bounds) -> Served {
    Served::new(admission(), TestClock::new().clock(), bounds)
}

/// A whole request to deposit these bytes under the digest that they are said to have.
fn put(digest: Sha256, headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "PUT /v1/deposits/{digest} HTTP/1.1\r\nHost: localhost\r\n{headers}Content-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

fn put_unit(served: &Served, unit: &Unit) -> Vec<u8> {
    put(unit.digest(), &served.bearer(), unit.bytes())
}

#[track_caller]
fn assert_nothing_sealed(served: &Served) {
    assert_eq!(served.local.stats().unwrap().sequence, 0);
    let log = served.log.lock().unwrap();
    for access in log.iter() {
        assert!(!format!("{access:?} {access}").contains(served.key.secret()), "{access}");
    }
}

#[test]
fn who_brings_no_key_that_holds_is_told_so_before_anything_is_read() {
    let served = serve(quick());
    let control = served.local.control();
    let revoked = control.create_key("gone", &[permission("example", &[HOST])]).unwrap().unwrap();
    control.revoke_key("gone").unwrap();
    let key = served.key.secret();
    let unit = Specimen::new("1").unit();
    for (headers, status, code) in [
        (String::new(), 401, "key-unknown"),
        ("Authorization: Bearer\r\n".to_owned(), 401, "key-unknown"),
        (format!("Authorization: Basic {key}\r\n"), 401, "key-unknown"),
        (format!("Authorization: Bearer {}\r\n", key.to_uppercase()), 401, "key-unknown"),
        (format!("Authorization: Bearer {}\r\n", "0".repeat(64)), 401, "key-unknown"),
        (format!("Authorization: Bearer {key}\r\nAuthorization: Bearer {key}\r\n"), 401, "key-unknown"),
        (format!("X-Authorization: Bearer {key}\r\n"), 401, "key-unknown"),
        (format!("Authorization: Bearer {}\r\n", revoked.secret()), 403, "key-revoked"),
    ] {
        // Refused with the unit, which is read and thrown away; and, where the rest never comes, without it.
        let mut raw = served.raw();
        raw.send(put(unit.digest(), &headers, unit.bytes()));
        let (answered, head, body) = raw.answer();
        assert_eq!((answered, body["code"].as_str().unwrap()), (status, code), "{headers}");
        assert_eq!(head.contains("www-authenticate: Bearer"), status == 401, "{head}");
        let mut raw = served.raw();
        let large = format!("{headers}Content-Length: {UNIT_BYTES_MAX}\r\n\r\n");
        raw.send(format!("PUT /v1/deposits/{} HTTP/1.1\r\nHost: localhost\r\n{large}", unit.digest()));
        assert_eq!(raw.answer().0, status);
        raw.send(format!("GET /v1/vault HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n"));
        assert!(raw.rest().is_empty(), "what follows on a body that was not read is not looked at");
    }
    let log = served.log.lock().unwrap();
    let names: Vec<_> = log.iter().filter_map(|access| access.key.clone()).collect();
    assert_eq!(names, [""; 0], "who has no key in force has no name");
    drop(log);
    assert_nothing_sealed(&served);
}

#[test]
fn what_is_no_request_of_the_protocol_is_refused() {
    let served = serve(quick());
    let bearer = served.bearer();
    let unit = Specimen::new("1").unit();
    let digest = unit.digest();
    for (request, status, code) in [
        (format!("GET / HTTP/1.1\r\nHost: x\r\n{bearer}\r\n"), 404, "path-unknown"),
        (format!("GET /v1/../v1/vault HTTP/1.1\r\nHost: x\r\n{bearer}\r\n"), 404, "path-unknown"),
        (
            format!("DELETE /v1/deposits/{digest} HTTP/1.1\r\nHost: x\r\n{bearer}\r\n"),
            405,
            "method-not-allowed",
        ),
        (
            format!("POST /v1/deposits/{digest} HTTP/1.1\r\nHost: x\r\n{bearer}Content-Length: 1\r\n\r\nx"),
            405,
            "method-not-allowed",
        ),
        (format!("BREW /v1/vault HTTP/1.1\r\nHost: x\r\n{bearer}\r\n"), 405, "method-not-allowed"),
        (
            format!(
                "PUT /v1/deposits/{} HTTP/1.1\r\nHost: x\r\n{bearer}Content-Length: 1\r\n\r\nx",
                "0".repeat(63)
            ),
            400,
            "request-malformed",
        ),
        (format!("PUT /v1/deposits/{digest} HTTP/1.1\r\nHost: x\r\n{bearer}\r\n"), 411, "length-required"),
        (
            format!(
                "PUT /v1/deposits/{digest} HTTP/1.1\r\nHost: x\r\n{bearer}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
            ),
            411,
            "length-required",
        ),
        (
            format!(
                "PUT /v1/deposits/{digest} HTTP/1.1\r\nHost: x\r\n{bearer}Content-Length: {}\r\n\r\n",
                UNIT_BYTES_MAX + 1
            ),
            413,
            "unit-too-large",
        ),
        (
            format!(
                "PUT /v1/deposits/{digest} HTTP/1.1\r\nHost: x\r\n{bearer}Content-Length: {}\r\n\r\n",
                u64::MAX / 2
            ),
            413,
            "unit-too-large",
        ),
        (format!("GET /v1/deposits/{digest} HTTP/1.1\r\nHost: x\r\n{bearer}\r\n"), 404, "unit-unknown"),
    ] {
        let mut raw = served.raw();
        raw.send(&request);
        let (answered, head, body) = raw.answer();
        assert_eq!((answered, body["code"].as_str().unwrap()), (status, code), "{request}");
        let told = ["reason", "code"].iter().all(|name| body[name].is_string());
        assert!(told && body.as_object().unwrap().len() == 2, "{body}");
        assert_eq!(head.contains("allow: GET"), status == 405, "{head}");
    }
    assert_nothing_sealed(&served);
}

#[test]
fn what_is_no_http_is_cut_off() {
    let served = serve(quick());
    let many = "X: x\r\n".repeat(40);
    for (garbage, answered) in [
        ("\0\x01\x02 garbage\r\n\r\n".to_owned(), ["400"; 2]),
        (
            format!(
                "GET /v1/vault HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n{}\r\n",
                served.bearer()
            ),
            ["400"; 2],
        ),
        (format!("GET /v1/vault HTTP/1.1\r\n{many}\r\n"), ["431"; 2]),
        (format!("GET /v1/vault HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(100_000)), ["431"; 2]),
        (format!("GET /v1/vault?{} HTTP/1.1\r\n\r\n", "x".repeat(70_000)), ["414", "431"]),
    ] {
        let mut raw = served.raw();
        // It may be cut off before all of it is written.
        drop(raw.0.write_all(garbage.as_bytes()));
        let rest = raw.rest();
        let is_expected = answered.iter().any(|status| rest.starts_with(&format!("HTTP/1.1 {status}")));
        assert!(rest.is_empty() || is_expected, "{rest}");
    }
    // Behind a request that is answered, garbage is what it is.
    let mut raw = served.raw();
    let bearer = served.bearer();
    raw.send(format!("GET /v1/vault HTTP/1.1\r\nHost: x\r\n{bearer}\r\n\0\0\0 garbage\r\n\r\n"));
    let (status, _, body) = raw.answer();
    assert_eq!((status, body["sequence"].as_u64()), (200, Some(0)));
    let rest = raw.rest();
    assert!(rest.is_empty() || rest.starts_with("HTTP/1.1 400"), "{rest}");
    // A client without TLS gets no word.
    let mut plain = TcpStream::connect(served.at).unwrap();
    plain.write_all(b"GET /v1/vault HTTP/1.1\r\n\r\n").unwrap();
    let mut text = Vec::new();
    drop(plain.read_to_end(&mut text));
    assert!(!String::from_utf8_lossy(&text).contains("HTTP"), "an alert at most");
    served.until_logged("head-malformed");
    assert_nothing_sealed(&served);
}

#[test]
fn r16_what_the_vault_checks_is_refused_with_the_check_that_failed() {
    let clock = TestClock::new();
    let served = Served::new(admission(), clock.clock(), Bounds::default());
    let week = Duration::from_secs(7 * 24 * 60 * 60);
    let specimen = || Specimen::new("1");
    let cut = specimen().unit().bytes()[..500].to_vec();
    let twice = specimen().unit().bytes().repeat(2);
    let mut flipped = specimen().unit().bytes().to_vec();
    flipped[700] ^= 1;
    let bytes = |specimen: Specimen| specimen.unit().bytes().to_vec();
    let digest_elsewhere = specimen().forged(|proof| {
        let other = Sha256::of(b"another envelope").to_string();
        proof["envelope"]["sha256"] = other.clone().into();
        proof["received"]["sha256"] = other.into();
    });
    let other_host = specimen().forged(|proof| {
        proof["address"] = "https://www.example.net/articles/1".into();
        proof["requested"] = "https://www.example.net/articles/1".into();
    });
    for (what, body, status, code) in [
        ("nothing", Vec::new(), 422, "unit-truncated"),
        ("garbage", b"garbage that is longer than the head of a gzip member".to_vec(), 422, "unit-records"),
        ("a unit cut off", cut, 422, "unit-truncated"),
        ("two units", twice, 422, "unit-records"),
        ("another's envelope", digest_elsewhere.bytes().to_vec(), 422, "digest-differs"),
        ("another host's certificate", other_host.bytes().to_vec(), 403, "host-not-permitted"),
        (
            "the future",
            bytes(Specimen { read_at: read_at() + Duration::from_secs(2), ..specimen() }),
            422,
            "read-after-receipt",
        ),
        ("long past", bytes(Specimen { read_at: read_at() - week, ..specimen() }), 422, "read-too-long-ago"),
        ("a laboratory", bytes(Specimen { lab: true, ..specimen() }), 422, "lab-mismatch"),
        (
            "another's source",
            bytes(Specimen { source: "theirs".to_owned(), ..specimen() }),
            403,
            "source-not-permitted",
        ),
        ("a version of nothing", bytes(specimen().after(Sha256::of(b""))), 409, "version-superseded"),
    ] {
        let mut raw = served.raw();
        raw.send(put(Sha256::of(&body), &served.bearer(), &body));
        let (answered, _, said) = raw.answer();
        assert_eq!((answered, said["code"].as_str().unwrap()), (status, code), "{what}: {said}");
        assert_nothing_sealed(&served);
    }
    // Whatever it is that flipped: it is not what the path names.
    let mut raw = served.raw();
    raw.send(put(specimen().unit().digest(), &served.bearer(), &flipped));
    let (status, _, said) = raw.answer();
    assert_eq!((status, said["code"].as_str().unwrap()), (422, "unit-digest-differs"));
    // And under its own digest it is no unit.
    let mut raw = served.raw();
    raw.send(put(Sha256::of(&flipped), &served.bearer(), &flipped));
    assert_eq!(raw.answer().0, 422);
    assert_nothing_sealed(&served);

    // The vault's clock counts, not the depositor's: a week on the same unit is too old.
    clock.set(read_at() + week + Duration::from_secs(1));
    let mut raw = served.raw();
    raw.send(put_unit(&served, &specimen().unit()));
    assert_eq!(raw.answer().2["code"], "read-too-long-ago");
    clock.set(read_at());
    let mut raw = served.raw();
    raw.send(put_unit(&served, &specimen().unit()));
    let (status, _, receipt) = raw.answer();
    assert_eq!(
        (status, receipt["digest"].as_str().unwrap()),
        (201, specimen().unit().digest().to_string().as_str())
    );
    raw.send(put_unit(&served, &specimen().unit()));
    assert_eq!((raw.answer().0, raw.0.sock.peer_addr().unwrap()), (200, served.at));
}

#[test]
fn a_slow_client_is_let_go() {
    let served = serve(quick());
    let bearer = served.bearer();
    let unit = Specimen::new("1").unit();
    let head = format!(
        "PUT /v1/deposits/{} HTTP/1.1\r\nHost: x\r\n{bearer}Content-Length: {}\r\n\r\n",
        unit.digest(),
        unit.bytes().len()
    );
    let ends_within = |began: Instant, bound: Duration| {
        let took = began.elapsed();
        assert!(took < bound, "{took:?}");
    };

    // A handshake that does not come.
    let began = Instant::now();
    let mut silent = TcpStream::connect(served.at).unwrap();
    assert_eq!(silent.read(&mut [0]).unwrap_or(0), 0);
    ends_within(began, Duration::from_secs(2));

    // A head that never ends, one byte at a time.
    let began = Instant::now();
    let mut raw = served.raw();
    for byte in head.as_bytes() {
        if raw.0.write_all(&[*byte]).is_err() {
            break;
        }
        thread::sleep(Duration::from_millis(20));
        if began.elapsed() > QUICK * 2 {
            break;
        }
    }
    assert!(!raw.rest().contains("HTTP/1.1 2"));
    ends_within(began, Duration::from_secs(3));

    // A body that stops.
    let began = Instant::now();
    let mut raw = served.raw();
    raw.send(&head);
    raw.send(&unit.bytes()[..100]);
    let (status, _, body) = raw.answer();
    assert_eq!((status, body["code"].as_str().unwrap()), (408, "body-slow"));
    assert!(raw.rest().is_empty(), "and the connection is closed");
    ends_within(began, Duration::from_secs(3));

    // A body that comes, one byte at a time, for longer than one of that length may take.
    let began = Instant::now();
    let mut raw = served.raw();
    raw.send(&head);
    for byte in unit.bytes() {
        if raw.0.write_all(&[*byte]).and_then(|()| raw.0.flush()).is_err()
            || began.elapsed() > Duration::from_secs(5)
        {
            break;
        }
        thread::sleep(Duration::from_millis(100));
    }
    ends_within(began, Duration::from_secs(5));
    served.until_logged("body-slow");

    // A client that goes in the middle.
    let mut raw = served.raw();
    raw.send(&head);
    raw.send(&unit.bytes()[..100]);
    thread::sleep(Duration::from_millis(50));
    drop(raw);
    thread::sleep(QUICK * 2);
    assert_nothing_sealed(&served);

    // And one that has nothing to ask.
    let mut raw = served.raw();
    raw.send(format!("GET /v1/vault HTTP/1.1\r\nHost: x\r\n{bearer}\r\n"));
    raw.answer();
    let began = Instant::now();
    assert!(raw.rest().is_empty());
    ends_within(began, Duration::from_secs(2));
}

/// Bytes that do not compress.
fn noise(bytes: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let mut noise = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state.to_le_bytes()[0]
    };
    (0..bytes).map(|_| noise()).collect()
}

#[test]
fn an_answer_that_is_not_read_is_not_kept() {
    let served = serve(quick());
    // Larger than what the system keeps for a socket.
    let envelope = noise(3 << 20);
    for number in 0..4 {
        let specimen = Specimen { envelope: envelope.clone(), ..Specimen::new(&number.to_string()) };
        served.local.deposit(&specimen.unit()).unwrap();
    }
    let digest = served.local.list(&Since::default(), 1).unwrap()[0].receipt.digest;
    let requests =
        format!("GET /v1/deposits/{digest} HTTP/1.1\r\nHost: x\r\n{}\r\n", served.bearer()).repeat(16);
    let mut raw = served.raw();
    raw.send(&requests);
    let began = Instant::now();
    // Nothing is read; after a while the server cuts the connection, and what was asked for is not to be had whole.
    thread::sleep(Duration::from_secs(4));
    let rest = raw.rest();
    assert!(rest.len() < 16 * envelope.len(), "{}", rest.len());
    assert!(began.elapsed() < Duration::from_secs(15));
    // The room that it took is there again.
    assert!(served.client().read(digest).unwrap().is_some());
}

#[test]
fn who_does_not_read_an_answer_keeps_its_room_no_longer_than_it_takes_to_read() {
    let served = serve(Bounds { whole: Duration::from_secs(600), ..quick() });
    let unit = Specimen { envelope: noise(3 << 20), ..Specimen::new("1") }.unit();
    served.local.deposit(&unit).unwrap();
    let request =
        format!("GET /v1/deposits/{} HTTP/1.1\r\nHost: x\r\n{}\r\n", unit.digest(), served.bearer());
    let mut raw = served.raw();
    raw.send(request.repeat(16));
    let vault = served.client();
    let until = |is_busy: bool| {
        let began = Instant::now();
        while vault.read(unit.digest()).is_err() != is_busy {
            // Four mebibytes begun take four seconds; the others are for a machine that has more to do.
            assert!(began.elapsed() < Duration::from_secs(20), "{is_busy}");
        }
    };
    until(true);
    until(false);
    drop(raw);
}

#[test]
fn there_is_room_for_so_much_and_whoever_finds_none_is_told_to_come_again() {
    let served =
        serve(Bounds { between_bytes: Duration::from_secs(5), head: Duration::from_secs(5), ..quick() });
    let bearer = served.bearer();
    let announce = |bytes: usize| {
        let mut raw = served.raw();
        let digest = Sha256::of(b"");
        raw.send(format!(
            "PUT /v1/deposits/{digest} HTTP/1.1\r\nHost: x\r\n{bearer}Content-Length: {bytes}\r\n\r\n"
        ));
        raw
    };
    // An eighth of 32 MiB is for bodies. Who announces more than that can never be served.
    assert_eq!(announce((4 << 20) + 1).answer().2["code"], "unit-too-large");
    let first = announce(4 << 20);
    thread::sleep(Duration::from_millis(100));
    let (status, head, body) = announce(1 << 20).answer();
    assert_eq!((status, body["code"].as_str().unwrap()), (503, "vault-busy"));
    assert!(head.contains("retry-after: 5"), "{head}");
    // What needs no room goes on meanwhile.
    assert_eq!(served.client().head().unwrap().sequence, 0);
    drop(first);
    thread::sleep(Duration::from_millis(100));
    assert!(matches!(served.client().deposit(&Specimen::new("1").unit()).unwrap(), Outcome::Sealed(_)));
}

#[test]
fn a_unit_that_unpacks_to_too_much_is_refused_unread() {
    use std::io::Write as _;
    let served = serve(quick());
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(&vec![0; 8 << 20]).unwrap();
    let bomb = encoder.finish().unwrap();
    assert!(bomb.len() < 100_000);
    let mut raw = served.raw();
    raw.send(put(Sha256::of(&bomb), &served.bearer(), &bomb));
    let (status, _, body) = raw.answer();
    assert_eq!((status, body["code"].as_str().unwrap()), (413, "unit-too-large"));
    assert_nothing_sealed(&served);
}

#[test]
fn connections_over_the_bound_wait_for_a_place() {
    let served = serve(Bounds { head: Duration::from_secs(2), handshake: Duration::from_secs(2), ..quick() });
    let held: Vec<TcpStream> = (0..8).map(|_| TcpStream::connect(served.at).unwrap()).collect();
    let began = Instant::now();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| served.client().head());
        thread::sleep(Duration::from_millis(300));
        assert!(!waiting.is_finished(), "there is no place");
        drop(held);
        assert!(waiting.join().unwrap().is_ok());
    });
    assert!(began.elapsed() < Duration::from_secs(5));
}
