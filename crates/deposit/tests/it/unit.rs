//! A unit as bytes.

use std::io::Read as _;

use flate2::read::MultiGzDecoder;
use flate2::{Compression, GzBuilder};
use releve_deposit::testing::{HOST, Specimen, read_at};
use releve_deposit::{ArticleKey, Deposit, ENVELOPE_BYTES_MAX, MalformedUnit, Unit};
use releve_extract::{Article, Notice, NoticeCode, Value};
use serde_json::Value as Json;

/// The records of a unit as any reader of WARC finds them: head and block.
fn records(unit: &Unit) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    MultiGzDecoder::new(unit.bytes()).read_to_end(&mut all).unwrap();
    let mut records = Vec::new();
    let mut rest = &all[..];
    while !rest.is_empty() {
        let end = rest.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
        let head = String::from_utf8(rest[..end].to_vec()).unwrap();
        let length: usize = head.split("Content-Length: ").nth(1).unwrap().trim_end().parse().unwrap();
        records.push((head, rest[end..end + length].to_vec()));
        assert_eq!(&rest[end + length..end + length + 4], b"\r\n\r\n");
        rest = &rest[end + length + 4..];
    }
    records
}

#[test]
fn r11_the_envelope_is_in_the_unit_byte_for_byte() {
    let every_byte: Vec<u8> = (0..=255).collect();
    let envelopes: [&[u8]; 6] = [
        b"<!doctype html><title>A</title>",
        b"",
        b"\r\n\r\nWARC/1.1\r\nWARC-Type: metadata\r\n\r\n",
        &every_byte,
        &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff],
        "\u{feff}umlaut: ä, no final line break".as_bytes(),
    ];
    for envelope in envelopes {
        let unit = Specimen { envelope: envelope.to_vec(), ..Specimen::new("1") }.unit();
        assert_eq!(records(&unit)[0].1, envelope);
        assert_eq!(Unit::read(unit.bytes()).unwrap().envelope(), envelope);
    }
}

#[test]
fn r15_the_unit_names_address_instant_digest_and_chain() {
    let specimen = Specimen::new("1");
    let unit = specimen.unit();
    let records = records(&unit);
    let heads: Vec<&str> = records.iter().map(|(head, _)| head.as_str()).collect();
    let line =
        |head: &str, line: &str| assert!(head.contains(&format!("{line}\r\n")), "no `{line}` in {head}");
    line(heads[0], "WARC-Type: resource");
    line(heads[0], "WARC-Date: 2026-05-04T03:02:01.987Z");
    line(heads[0], &format!("WARC-Target-URI: https://{HOST}/articles/1"));
    line(heads[0], "Content-Type: text/html; charset=utf-8");
    let id = heads[0].lines().find_map(|line| line.strip_prefix("WARC-Record-ID: ")).unwrap();
    line(heads[1], "WARC-Type: conversion");
    line(heads[1], &format!("WARC-Refers-To: {id}"));
    line(heads[2], "WARC-Type: metadata");
    line(heads[2], &format!("WARC-Concurrent-To: {id}"));

    let proof: Json = serde_json::from_slice(&records[2].1).unwrap();
    assert_eq!(proof["address"], specimen.address());
    assert_eq!(proof["read_at"], "2026-05-04T03:02:01.987Z");
    assert_eq!(proof["received"]["sha256"], releve_proof::Sha256::of(&specimen.envelope).to_string());
    assert_eq!(proof["tls"]["presented"].as_array().map(Vec::len), Some(1));
    line(heads[0], &format!("WARC-Payload-Digest: sha256:{}", releve_proof::Sha256::of(&specimen.envelope)));
}

#[test]
fn r17_the_unit_says_in_itself_what_it_attests() {
    let proof: Json = serde_json::from_slice(&records(&Specimen::new("1").unit())[2].1).unwrap();
    assert_eq!(proof["attests"], releve_proof::ATTESTS);
}

#[test]
fn the_same_deposit_gives_the_same_bytes() {
    let unit = Specimen::new("1").unit();
    assert_eq!(unit.bytes(), Specimen::new("1").unit().bytes());
    let read = Unit::read(unit.bytes()).unwrap();
    assert_eq!(read.digest(), unit.digest());
    assert_eq!(read.content_key(), unit.content_key());
    assert_eq!(read.previous(), None);
    assert_eq!(read.read_at(), read_at());
    assert_eq!(read.article_json(), unit.article_json());
    // Each record is a gzip member that can be read without the others.
    assert_eq!(read.records(), unit.records());
    let blocks = records(&unit).into_iter().map(|(_, block)| block);
    for (place, block) in unit.records().into_iter().zip(blocks) {
        let mut alone = Vec::new();
        flate2::read::GzDecoder::new(&unit.bytes()[place]).read_to_end(&mut alone).unwrap();
        assert!(alone.ends_with(&[&block, &b"\r\n\r\n"[..]].concat()));
    }
}

#[test]
fn the_content_key_is_structured_text_and_descriptor_alone() {
    let key = |change: &dyn Fn(&mut Specimen, &mut Article)| {
        let mut specimen = Specimen::new("1");
        let mut article = specimen.article();
        change(&mut specimen, &mut article);
        let deposit = Deposit {
            key: &specimen.key(),
            previous: specimen.previous,
            envelope: &specimen.envelope,
            article: &article,
            proof: &specimen.proof(),
        };
        Unit::encode(&deposit).unwrap().content_key().clone()
    };
    let headline = |text: &str| Some(Value::new(text, "h1".parse().unwrap()));
    let plain = key(&|_, _| {});
    assert_eq!(plain, key(&|specimen, _| specimen.envelope = b"another".to_vec()));
    assert_eq!(plain, key(&|specimen, _| specimen.path = "/elsewhere".to_owned()));
    assert_eq!(plain, key(&|specimen, _| specimen.previous = Some(releve_proof::Sha256::of(b""))));
    assert_eq!(plain, key(&|_, article| article.notices.push(Notice::new(NoticeCode::BodyNotFound, ""))));
    assert_ne!(plain, key(&|specimen, _| specimen.source = "other".to_owned()));
    assert_ne!(plain, key(&|_, article| article.blocks.clear()));
    assert_ne!(plain, key(&|_, article| article.descriptor.headline = headline("A")));
    assert_ne!(
        key(&|_, article| article.descriptor.headline = headline("A")),
        key(&|_, article| article.descriptor.headline = headline("B")),
    );
}

#[test]
fn r06_an_article_with_another_identifier_becomes_no_unit() {
    let specimen = Specimen::new("1");
    let read = |identifier: &str| {
        let place = "meta[name=article-id]".parse().unwrap();
        let article = Article { identifier: Some(Value::new(identifier, place)), ..specimen.article() };
        Unit::encode(&Deposit {
            key: &specimen.key(),
            previous: None,
            envelope: &specimen.envelope,
            article: &article,
            proof: &specimen.proof(),
        })
    };
    assert!(read("1").is_ok());
    let error = read("01").unwrap_err();
    assert_eq!(
        error,
        MalformedUnit::Identifiers { read: "01".to_owned(), deposited: "1".to_owned() },
        "byte for byte: a number that means the same is another identifier"
    );
    assert_eq!(error.code(), "identifiers-differ");
}

#[test]
fn a_unit_that_is_cut_off_anywhere_is_none() {
    let unit = Specimen::new("1").unit();
    for length in 0..unit.bytes().len() {
        assert_eq!(Unit::read(&unit.bytes()[..length]).unwrap_err(), MalformedUnit::Truncated, "{length}");
    }
    let longer = [unit.bytes(), b"\0"].concat();
    assert!(matches!(Unit::read(&longer), Err(MalformedUnit::Records { .. })));
}

#[test]
fn a_flipped_bit_is_seen() {
    let unit = Specimen::new("1").unit();
    let mut read = 0;
    for bit in 0..unit.bytes().len() * 8 {
        let mut bytes = unit.bytes().to_vec();
        bytes[bit / 8] ^= 1 << (bit % 8);
        // Some bits of a compressed stream mean nothing, such as those that fill its last byte. They change
        // the digest all the same.
        if let Ok(other) = Unit::read(&bytes) {
            read += 1;
            assert_ne!(other.digest(), unit.digest());
            assert_eq!(other.envelope(), unit.envelope());
            assert_eq!(other.article_json(), unit.article_json());
            assert_eq!(other.proof(), unit.proof());
        }
    }
    assert!(read < 64, "{read} bits mean nothing");
}

/// A unit whose records were changed before they were compressed again.
fn rewritten(change: impl Fn(usize, &mut String, &mut Vec<u8>)) -> Result<Unit, MalformedUnit> {
    let mut bytes = Vec::new();
    for (at, (mut head, mut block)) in records(&Specimen::new("1").unit()).into_iter().enumerate() {
        change(at, &mut head, &mut block);
        let record = [head.as_bytes(), &block, b"\r\n\r\n"].concat();
        let mut member = GzBuilder::new().operating_system(255).read(&record[..], Compression::default());
        member.read_to_end(&mut bytes).unwrap();
    }
    Unit::read(&bytes)
}

#[test]
fn a_record_that_is_not_as_its_content_gives_it_is_refused() {
    assert!(rewritten(|_, _, _| {}).is_ok(), "compressed by another program, it is the same content");
    let replaced = |which: usize, from: &'static str, to: &'static str| {
        let result = rewritten(|at, head, block| {
            if at == which {
                assert!(head.contains(from) || String::from_utf8_lossy(block).contains(from), "{from}");
                *head = head.replace(from, to);
                *block = String::from_utf8_lossy(block).replace(from, to).into_bytes();
            }
        });
        result.unwrap_err().code()
    };
    // Heads: nothing in them is free.
    assert_eq!(replaced(0, "WARC/1.1", "WARC/1.0"), "unit-records");
    assert_eq!(replaced(0, "WARC-Type: resource", "WARC-Type: response"), "unit-records");
    assert_eq!(replaced(0, "01.987Z", "01.986Z"), "unit-records");
    assert_eq!(replaced(0, "/articles/1", "/articles/2"), "unit-records");
    assert_eq!(replaced(0, "charset=utf-8", "charset=utf-7"), "unit-records");
    assert_eq!(replaced(1, "Content-Type:", "Content-type:"), "unit-records");
    assert_eq!(replaced(2, "\r\n\r\n", "\r\nX-Extra: 1\r\n\r\n"), "unit-records");
    // Blocks: canonical, of the known version, and what the heads say they are.
    assert_eq!(replaced(0, "The text", "Ein Text"), "unit-records");
    assert_eq!(replaced(1, "The text", "Ein Text"), "unit-records");
    assert_eq!(replaced(1, "\"version\":1", "\"version\":2"), "unit-article");
    assert_eq!(replaced(1, "\"version\":1", "\"version\": 1"), "unit-article");
    assert_eq!(replaced(1, "\"source\":\"example\",", ""), "unit-article");
    assert_eq!(replaced(1, "\"example\"", "\"\""), "unit-article");
    assert_eq!(replaced(1, "\"descriptor\":{}", "\"descriptors\":{}"), "unit-article");
    assert_eq!(replaced(2, "\"version\":1", "\"version\":2"), "unit-proof");
    assert_eq!(replaced(2, "nothing more", "all the rest"), "unit-proof");
}

#[test]
fn what_is_too_large_is_refused_before_it_is_held() {
    let specimen = Specimen { envelope: vec![b' '; ENVELOPE_BYTES_MAX + 1], ..Specimen::new("1") };
    let deposit = Deposit {
        key: &specimen.key(),
        previous: None,
        envelope: &specimen.envelope,
        article: &specimen.article(),
        proof: &specimen.proof(),
    };
    let error = Unit::encode(&deposit).unwrap_err();
    assert_eq!(error, MalformedUnit::TooLarge { part: "envelope", bytes_max: ENVELOPE_BYTES_MAX });

    // 80 KiB on the wire that unfold to 80 MiB.
    let mut bomb = Vec::new();
    let zeros = std::io::repeat(0).take(80 << 20);
    GzBuilder::new()
        .operating_system(255)
        .read(zeros, Compression::default())
        .read_to_end(&mut bomb)
        .unwrap();
    assert!(matches!(Unit::read(&bomb), Err(MalformedUnit::TooLarge { .. })));

    // Arrays within arrays, as far as 1 MiB of them goes.
    let deep = "[".repeat(1 << 20);
    let error = rewritten(|at, head, block| {
        if at == 1 {
            let length = format!("Content-Length: {}", block.len());
            *block = deep.clone().into_bytes();
            *head = head.replace(&length, &format!("Content-Length: {}", block.len()));
        }
    });
    assert_eq!(error.unwrap_err().code(), "unit-article");
}

#[test]
fn keys_are_taken_as_they_are_or_refused() {
    let key = ArticleKey::new("example", " https://example.org/?p=1 ").unwrap();
    assert_eq!(key.identifier(), " https://example.org/?p=1 ");
    for (source, identifier) in [("", "1"), ("example", ""), ("example", "a\nb"), ("a\0", "1")] {
        assert!(ArticleKey::new(source, identifier).is_err(), "{source:?} {identifier:?}");
    }
    assert!(ArticleKey::new("s".repeat(255), "i".repeat(8192)).is_ok());
    assert!(ArticleKey::new("s".repeat(256), "1").is_err());
    assert!(ArticleKey::new("s", "i".repeat(8193)).is_err());
}

#[test]
fn nothing_of_the_article_is_in_debug_output() {
    let shown = format!("{:?}", Specimen::new("1").unit());
    assert!(!shown.contains("The text"), "{shown}");
}

#[test]
fn whatever_the_bytes_are_reading_them_comes_to_an_end() {
    let good = Specimen::new("1").unit();
    let mut random = crate::tools::Random(0xf00d);
    for _ in 0..20_000 {
        let mut bytes = good.bytes().to_vec();
        for _ in 0..=random.below(3) {
            let (from, to) = (random.below(bytes.len()), random.below(bytes.len()));
            let piece = bytes[from.min(to)..from.max(to).min(from.min(to) + 64)].to_vec();
            let at = random.below(bytes.len());
            match random.below(3) {
                0 => drop(bytes.splice(at..at, piece)),
                1 => drop(bytes.drain(at..(at + 1 + random.below(16)).min(bytes.len()))),
                _ => bytes[at] = u8::try_from(random.below(256)).unwrap(),
            }
        }
        if let Ok(read) = Unit::read(&bytes) {
            assert_eq!(read.envelope(), good.envelope());
        }
    }
}
