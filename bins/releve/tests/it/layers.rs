//! The architecture, where it can be broken: what each crate reaches.

use std::process::Command;

/// Crates that decide. They reach nothing that does I/O.
const PURE: [&str; 10] = [
    "url-canon",
    "robots",
    "redirect-policy",
    "bounds",
    "pace",
    "feed",
    "backlog",
    "extract",
    "proof",
    "source",
];

/// What does I/O, or brings it.
const IMPURE: [&str; 13] = [
    "tokio",
    "mio",
    "socket2",
    "hyper",
    "hyper-util",
    "rustls",
    "tokio-rustls",
    "rusqlite",
    "tracing",
    "releve-fetch",
    "releve-ledger",
    "releve-deposit",
    "releve-vault-http",
];

fn reached(package: &str) -> Vec<String> {
    let output = Command::new("cargo")
        .args(["tree", "--locked", "--offline", "-e", "normal", "--prefix", "none", "-p", package])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().filter_map(|line| line.split(' ').next()).map(ToOwned::to_owned).collect()
}

#[test]
fn crates_that_decide_reach_no_crate_that_does_io() {
    for name in PURE {
        let reached = reached(&format!("releve-{name}"));
        assert!(reached.len() > 1 || name == "bounds", "{name}: {reached:?}");
        for crate_name in reached {
            assert!(!IMPURE.contains(&crate_name.as_str()), "releve-{name} reaches {crate_name}");
        }
    }
}

#[test]
fn one_tls_stack_with_one_provider() {
    let reached = reached("releve");
    assert!(reached.iter().any(|name| name == "ring"));
    for name in ["aws-lc-rs", "aws-lc-sys", "openssl", "openssl-sys", "native-tls"] {
        assert!(!reached.iter().any(|reached| reached == name), "{name}");
    }
}
