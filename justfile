# The menu. Continuous integration calls the same recipes.

# List what there is.
default:
    @just --list

# Everything that must hold before a commit lands.
check: format lint docs deny

# Is the source formatted?
format:
    cargo fmt --all --check

# Clippy, with warnings denied.
lint:
    cargo clippy --workspace --all-targets --locked -- -D warnings

# The documentation builds without a warning.
docs:
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked

# Licences, bans and sources of every dependency.
deny:
    cargo deny --locked check bans licenses sources

# The tests, as the README says it.
test:
    cargo test --workspace --locked

# Every fault at every write, sync, rename and cut of a vault: 2,427 runs, some twenty minutes.
crash:
    RELEVE_CRASH=full cargo test -p releve-deposit --test it --locked -- --nocapture a_call_that_fails_or_kills

# Ten million inputs by coverage into the parsers of foreign bytes (needs cargo-fuzz and a C++ compiler).
fuzz runs="800000":
    for target in $(cargo fuzz list); do \
        mkdir -p "target/fuzz/$target"; \
        cargo fuzz run --sanitizer none "$target" "target/fuzz/$target" "fuzz/corpus/$target" -- -runs={{ runs }} -timeout=5 -max_len=65536 -print_final_stats=1 -artifact_prefix=target/fuzz/ || exit 1; \
    done

# What a vault seals and verifies in a second, with warcio beside it. TMPDIR chooses the disk.
bench-vault:
    cargo bench -p releve-deposit --bench vault --locked

# A real pass over invented newspapers on loopback.
demo:
    cargo run --release -- demo

# A million addresses of sitemaps, beside bare quick-xml and three peers (needs Python).
bench-backlog:
    mkdir -p target/bench-backlog/files
    cargo run --release --manifest-path benches/backlog/Cargo.toml -- target/bench-backlog/files
    python3 -m venv target/bench-backlog/peers
    target/bench-backlog/peers/bin/pip install --quiet ultimate-sitemap-parser
    target/bench-backlog/peers/bin/python benches/backlog/peer.py target/bench-backlog/files

# What of real pages is copied, and how fast, beside peers in the same run (needs Python, and RELEVE_CASES for the pages).
bench-extract:
    cargo build --release --locked -p releve
    python3 -m venv target/bench-extract/peers
    target/bench-extract/peers/bin/pip install --quiet --upgrade pip
    target/bench-extract/peers/bin/pip install --quiet -r benches/extract/requirements.txt
    target/bench-extract/peers/bin/python benches/extract/run target/release/releve target/bench-extract
    cargo bench --locked -p releve-extract --bench pages
