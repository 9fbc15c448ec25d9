//! Undoing a content coding (R11): the envelope is what was coded, or there is none.

use releve_fetch::Coding;
use releve_lab::{Host, Reply};

use crate::encode::{bare_deflate, bombs, br, gzip, zlib, zstd};
use crate::support::Bench;
use crate::whole::{bodiless, check, host, whole};

const TEXT: &str = "<p>The same sentence, again and again. And one more, which differs.</p>";

/// A coding by its name, with what applies it.
type Coded = (&'static str, fn(&[u8]) -> Vec<u8>, Coding);

const CODINGS: [Coded; 5] = [
    ("gzip", gzip, Coding::Gzip),
    ("deflate", zlib, Coding::Deflate),
    ("deflate", bare_deflate, Coding::Deflate),
    ("br", br, Coding::Br),
    ("zstd", zstd, Coding::Zstd),
];

#[tokio::test]
async fn r11_the_envelope_is_the_body_before_its_coding() {
    for (name, encode, coding) in CODINGS {
        for text in [TEXT.to_owned(), "x".to_owned(), TEXT.repeat(20_000)] {
            let coded = encode(text.as_bytes());
            let answer = Reply::ok("text/html", "").coded(name, coded.clone());
            let bench = Bench::with(host().at("/a", answer.clone()).at("/b", answer.chunked()));
            for target in ["/a", "/b"] {
                let exchange = bench.get(&format!("https://www.example.test{target}")).await;
                let body = exchange.outcome.unwrap().body.unwrap();
                assert_eq!(body.decoded, text.as_bytes(), "{name}");
                assert_eq!(body.coding, coding);
                // The digest is that of the bytes that came (R15).
                assert_eq!(body.received_len, u64::try_from(coded.len()).unwrap());
                let digest = ring::digest::digest(&ring::digest::SHA256, &coded);
                assert_eq!(&body.received_sha256[..], digest.as_ref());
            }
        }
    }
}

#[tokio::test]
async fn r11_without_a_coding_the_envelope_is_what_came() {
    let bytes: Vec<u8> = (0..=255).collect();
    for answer in [
        Reply::ok("text/html", bytes.clone()),
        Reply::ok("text/html", "").coded("identity", bytes.clone()),
        Reply::ok("text/html", "").coded("Identity", bytes.clone()),
        Reply::ok("text/html", "").coded("", bytes.clone()),
    ] {
        let bench = Bench::with(host().at("/a", answer));
        let body = bench.get("https://www.example.test/a").await.outcome.unwrap().body.unwrap();
        assert_eq!(body.decoded, bytes);
        assert_eq!(body.coding, Coding::Identity);
    }
}

#[tokio::test]
async fn r37_a_coding_that_is_unknown_or_not_the_only_one_is_an_error() {
    let bench = Bench::with(host());
    let twice = gzip(&gzip(TEXT.as_bytes()));
    let rows = [
        ("unknown", Reply::ok("text/html", "").coded("compress", TEXT), bodiless(200, "coding-unknown")),
        ("misspelt", Reply::ok("text/html", "").coded("gzipped", TEXT), bodiless(200, "coding-unknown")),
        ("charset", Reply::ok("text/html", "").coded("utf-8", TEXT), bodiless(200, "coding-unknown")),
        (
            "not utf-8",
            Reply::ok("text/html", TEXT).header("Content-Encoding", b"\xff".to_vec()),
            bodiless(200, "coding-unknown"),
        ),
        ("two", Reply::ok("text/html", "").coded("gzip, gzip", twice.clone()), bodiless(200, "coding-many")),
        (
            "two headers",
            Reply::ok("text/html", twice.clone())
                .header("Content-Encoding", "gzip")
                .header("Content-Encoding", "gzip"),
            bodiless(200, "coding-many"),
        ),
        (
            "two of which one is none",
            Reply::ok("text/html", "").coded("identity, gzip", gzip(b"x")),
            bodiless(200, "coding-many"),
        ),
    ];
    for (name, answer, expected) in rows {
        check(&bench, name, answer, expected, false).await;
    }
    check(&bench, "capitals", Reply::ok("text/html", "").coded("X-GZip", gzip(b"x")), whole(200, "x"), true)
        .await;
    // Servers declare their usual coding on a response without a body too.
    check(&bench, "nothing", Reply::ok("text/html", "").coded("gzip", ""), whole(200, ""), true).await;
    // The second gzip is undone by nobody: what is coded twice and declared once is what was coded once.
    let once = String::from_utf8_lossy(&gzip(TEXT.as_bytes())).into_owned();
    check(&bench, "declared once", Reply::ok("text/html", "").coded("gzip", twice), whole(200, &once), true)
        .await;
}

#[tokio::test]
async fn r37_a_coded_body_that_is_damaged_is_an_error() {
    let bench = Bench::with(host());
    let broken = || bodiless(200, "coding-broken");
    for (at, (name, encode, _)) in CODINGS.into_iter().enumerate() {
        let text = TEXT.repeat(50);
        let good = encode(text.as_bytes());
        let mut surplus = good.clone();
        surplus.extend_from_slice(b"surplus");
        let padded = [good.clone(), vec![0; 8]].concat();
        let cases = [
            ("cut by one", good[..good.len() - 1].to_vec()),
            ("cut in half", good[..good.len() / 2].to_vec()),
            ("first byte", good[..1].to_vec()),
            ("surplus", surplus),
            ("padded", padded),
            ("not coded at all", text.as_bytes().to_vec()),
        ];
        for (case, bytes) in cases {
            // One byte of bare deflate, or of brotli, may be an empty body; whatever it is, it is not half a body.
            let answer = Reply::ok("text/html", "").coded(name, bytes);
            check(&bench, &format!("{name} {at} {case}"), answer, broken(), true).await;
        }
    }
}

/// What is whole in its form but whose checksum or length says otherwise was changed on the way, or was never whole.
#[tokio::test]
async fn r37_a_coded_body_that_contradicts_its_own_sum_is_an_error() {
    let bench = Bench::with(host());
    for (name, coding, coded, from_end) in [
        ("gzip sum", "gzip", gzip(TEXT.as_bytes()), 8),
        ("gzip length", "gzip", gzip(TEXT.as_bytes()), 4),
        ("zlib sum", "deflate", zlib(TEXT.as_bytes()), 1),
        ("zstd sum", "zstd", zstd(TEXT.as_bytes()), 1),
    ] {
        let mut coded = coded;
        let at = coded.len() - from_end;
        coded[at] ^= 1;
        let answer = Reply::ok("text/html", "").coded(coding, coded);
        check(&bench, name, answer, bodiless(200, "coding-broken"), true).await;
    }
    // One block of raw content, "one", under a header that announces four bytes (RFC 8878, section 3.1.1.1).
    let of_length =
        |length: u8| [&[0x28, 0xb5, 0x2f, 0xfd, 0x20, length, 0x19, 0x00, 0x00], &b"one"[..]].concat();
    let reply = |coded: Vec<u8>| Reply::ok("text/html", "").coded("zstd", coded);
    check(&bench, "zstd length right", reply(of_length(3)), whole(200, "one"), true).await;
    check(&bench, "zstd length wrong", reply(of_length(4)), bodiless(200, "coding-broken"), true).await;
}

/// RFC 9659: no more than 8 MiB of window, which is memory, at a server's word.
#[tokio::test]
async fn r32_the_window_of_zstd_is_bounded() {
    let bench = Bench::with(host());
    let of_window = |exponent: u8| {
        let frame =
            [&[0x28, 0xb5, 0x2f, 0xfd, 0x00, (exponent - 10) << 3, 0x19, 0x00, 0x00], &b"one"[..]].concat();
        Reply::ok("text/html", "").coded("zstd", frame)
    };
    check(&bench, "8 MiB", of_window(23), whole(200, "one"), true).await;
    check(&bench, "16 MiB", of_window(24), bodiless(200, "coding-broken"), true).await;
    check(&bench, "1 TiB", of_window(40), bodiless(200, "coding-broken"), true).await;
}

/// gzip is a sequence of members, and zstd one of frames: all of them are the body.
#[tokio::test]
async fn r11_every_member_of_a_coded_body_is_read() {
    let bench = Bench::with(host());
    for (name, encode) in [("gzip", gzip as fn(&[u8]) -> Vec<u8>), ("zstd", zstd)] {
        let both = [encode(b"one"), encode(b"two")].concat();
        check(&bench, name, Reply::ok("text/html", "").coded(name, both), whole(200, "onetwo"), true).await;
    }
    let skippable = [b"\x50\x2a\x4d\x18\x04\x00\x00\x00skip".to_vec(), zstd(b"one")].concat();
    check(&bench, "skippable", Reply::ok("text/html", "").coded("zstd", skippable), whole(200, "one"), true)
        .await;
    let cut = b"\x50\x2a\x4d\x18\xff\x00\x00\x00skip".to_vec();
    let answer = Reply::ok("text/html", "").coded("zstd", cut);
    check(&bench, "cut skippable", answer, bodiless(200, "coding-broken"), true).await;
}

/// The decoded bound is exact, in every coding.
#[tokio::test]
async fn r32_the_decoded_body_is_bounded() {
    for (name, encode, _) in CODINGS {
        let mut bench = Bench::with(host());
        bench.bounds = bench.bounds.with_decoded_bytes(100_000).unwrap();
        let full = "ab".repeat(50_000);
        let at = Reply::ok("text/html", "").coded(name, encode(full.as_bytes()));
        check(&bench, "at", at, whole(200, &full), true).await;
        let over = Reply::ok("text/html", "").coded(name, encode(format!("{full}x").as_bytes()));
        check(&bench, "over", over, bodiless(200, "decoded-too-large"), true).await;
    }
    let mut bench = Bench::with(host());
    bench.bounds = bench.bounds.with_decoded_bytes(100).unwrap();
    check(&bench, "plain", Reply::ok("text/html", vec![b'x'; 101]), bodiless(200, "decoded-too-large"), true)
        .await;
}

/// 1 GiB out of a little: it stops at the bound, which is 16 MiB here, and not after the whole.
#[tokio::test]
async fn r32_a_bomb_stops_at_the_bound() {
    for (name, bomb) in bombs() {
        let bench = Bench::with(Host::new("www.example.test"));
        assert!(bomb.len() < 2 << 20, "{name} is small");
        let answer = Reply::ok("text/html", "").coded(name.split(' ').next().unwrap(), bomb);
        check(&bench, name, answer, bodiless(200, "decoded-too-large"), true).await;
    }
}
