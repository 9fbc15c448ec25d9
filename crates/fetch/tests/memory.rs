//! What a hostile answer costs in memory (R32), measured on the process as a whole: alone in this target, so that no
//! other test is measured with it.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

#[path = "it/encode.rs"]
#[allow(dead_code)]
mod encode;
#[path = "it/support.rs"]
#[allow(dead_code)]
mod support;

use releve_bounds::Bounds;
use releve_lab::{Answer, Host, Reply};
use support::{Bench, short};

/// What was promised.
const ABOVE_IDLE_KIB_MAX: usize = 64 * 1024;

/// The bounds on sizes are the defaults.
#[tokio::test]
async fn r32_no_answer_costs_64_mib() {
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let mut answers: Vec<(&str, Answer)> = encode::bombs()
        .into_iter()
        .map(|(name, bomb)| {
            let coding = name.split(' ').next().unwrap();
            (name, Reply::ok("text/html", "").coded(coding, bomb).into())
        })
        .collect();
    answers.extend([
        ("a million chunks", Answer::raw(chunked).repeat("1\r\nx\r\n", 1_000_000)),
        (
            "chunks for ever",
            Answer::raw(chunked).repeat(format!("1000\r\n{}\r\n", "x".repeat(4096)), 1 << 30),
        ),
        ("a body for ever", Answer::raw("HTTP/1.1 200 OK\r\n\r\n").repeat("x", 1 << 40)),
        ("interim for ever", Answer::default().repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 1 << 30)),
        ("headers for ever", Answer::raw("HTTP/1.1 200 OK\r\n").repeat("X: y\r\n", 1 << 30)),
        ("a header for ever", Answer::raw("HTTP/1.1 200 OK\r\nX: ").repeat("y", 1 << 40)),
        ("an extension for ever", Answer::raw(format!("{chunked}1;")).repeat("y", 1 << 40)),
        ("a size for ever", Answer::raw(chunked).repeat("0", 1 << 40)),
        ("trailers for ever", Answer::raw(format!("{chunked}0\r\n")).repeat("X: y\r\n", 1 << 30)),
    ]);
    let mut bench = Bench::with(Host::new("www.example.test"));
    bench.bounds = Bounds::default().with_whole(short().whole()).unwrap();
    let idle = resident("VmRSS:");
    for (name, answer) in answers {
        bench.lab.put("www.example.test", "/a", answer).unwrap();
        std::fs::write("/proc/self/clear_refs", "5").unwrap();
        drop(bench.get("https://www.example.test/a").await);
        let above = resident("VmHWM:").saturating_sub(idle);
        println!("{name}: {above} KiB above idle");
        assert!(above < ABOVE_IDLE_KIB_MAX, "{name}: {above} KiB above idle");
    }
}

/// One line of the process's own account, in KiB.
fn resident(line: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let value = status.lines().find_map(|it| it.strip_prefix(line)).unwrap();
    value.trim().trim_end_matches(" kB").parse().unwrap()
}
