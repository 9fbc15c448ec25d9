//! A publisher, a vault and processes that share a ledger, all in virtual time: the runtime's clock is paused and jumps
//! from one wait to the next.
//!
//! The publisher presents a recorded handshake, so that proofs convince and the vault's check (R16) holds.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use releve_bounds::Bounds;
use releve_deposit::testing::{HOST, admission, roots, tls};
use releve_deposit::{
    ArticleKey, DepositError, MemoryVault, Outcome, Since, Unit, Vault, VaultError, Version,
};
use releve_fetch::{Clock, MemoryAsked, MemoryFetch};
use releve_ledger::{Entry, Holder, Ledger, Life, Machine, MemoryLedger, State};
use releve_pass::{Report, Runner, Unwatched};
use releve_proof::{Connector, Sha256};
use releve_robots::RobotsPolicy;
use releve_source::{File, Source, parse_source};
use releve_visit::{Interrupt, Visitor};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::site::Site;

pub(crate) const MINUTE: Duration = Duration::from_secs(60);
pub(crate) const HOUR: Duration = Duration::from_secs(60 * 60);
pub(crate) const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// How often cron starts a pass, where nothing else is said: as often as the trigger is read (R18).
pub(crate) const CRON: Duration = Duration::from_secs(15 * 60);

/// When every test begins: noon, 1 March 2026.
pub(crate) fn noon() -> Timestamp {
    "2026-03-01T12:00:00Z".parse().unwrap()
}

/// The runtime's time as the time of day.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wall(Instant);

impl Clock for Wall {
    fn now(&self) -> Timestamp {
        noon() + self.0.elapsed()
    }
}

/// The clock of one process. Each step of a pass looks at it, so that a process that dies at a look dies between two
/// steps, wherever that is.
#[derive(Debug)]
struct Mortal {
    wall: Wall,
    looks_left: AtomicI64,
}

impl Clock for Mortal {
    fn now(&self) -> Timestamp {
        if self.looks_left.fetch_sub(1, Ordering::SeqCst) <= 0 {
            // As silent as a SIGKILL.
            resume_unwind(Box::new("killed"));
        }
        self.wall.now()
    }
}

/// A machine's list of its dead, and a clock that cannot be set.
#[derive(Debug)]
pub(crate) struct Boot {
    name: &'static str,
    since: Instant,
    dead: Mutex<BTreeSet<u32>>,
}

impl Boot {
    pub(crate) fn new(name: &'static str) -> Arc<Self> {
        Arc::new(Self { name, since: Instant::now(), dead: Mutex::default() })
    }
}

/// A process as the ledger sees it.
#[derive(Debug)]
struct Seen {
    boot: Arc<Boot>,
    pid: u32,
}

impl Machine for Seen {
    fn holder(&self) -> Holder {
        Holder { boot: self.boot.name.to_owned(), view: String::new(), pid: self.pid, started: 1 }
    }

    fn life(&self, holder: &Holder) -> Life {
        if holder.boot != self.boot.name {
            Life::Unknown
        } else if self.boot.dead.lock().unwrap().contains(&holder.pid) {
            Life::Dead
        } else {
            Life::Alive
        }
    }

    fn since_boot(&self) -> Option<Duration> {
        Some(self.boot.since.elapsed())
    }
}

/// What a vault does instead of sealing, if anything: given the vault behind it, the unit, and how many were offered
/// before.
type Fault = dyn Fn(&MemoryVault, &Unit, usize) -> Option<DepositError> + Send + Sync;

/// A vault that fails on command.
pub(crate) struct FaultyVault {
    sealed: MemoryVault,
    wall: Wall,
    fault: Mutex<Arc<Fault>>,
    offered: Mutex<Vec<Offered>>,
}

/// A unit as it was offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Offered {
    pub(crate) identifier: String,
    pub(crate) read_at: Timestamp,
    pub(crate) previous: Option<Sha256>,
    pub(crate) at: Timestamp,
}

impl FaultyVault {
    /// From now on it does this instead of sealing.
    pub(crate) fn fails(
        &self,
        fault: impl Fn(&MemoryVault, &Unit, usize) -> Option<DepositError> + Send + Sync + 'static,
    ) {
        *self.fault.lock().unwrap() = Arc::new(fault);
    }

    /// Everything that was offered, in order.
    pub(crate) fn offered(&self) -> Vec<Offered> {
        self.offered.lock().unwrap().clone()
    }

    /// Everything that is sealed, in order.
    pub(crate) fn all(&self) -> Vec<Version> {
        self.sealed.list(&Since::default(), usize::MAX).unwrap()
    }
}

/// The failure of a disk, which may be over the next time.
pub(crate) fn disk_failed() -> DepositError {
    DepositError::Vault(VaultError::Store { action: "write".to_owned(), source: "the disk is slow".into() })
}

impl Vault for FaultyVault {
    fn deposit(&self, unit: &Unit) -> Result<Outcome, DepositError> {
        let before = {
            let mut offered = self.offered.lock().unwrap();
            offered.push(Offered {
                identifier: unit.key().identifier().to_owned(),
                read_at: unit.read_at(),
                previous: unit.previous(),
                at: self.wall.now(),
            });
            offered.len() - 1
        };
        let fault = Arc::clone(&self.fault.lock().unwrap());
        match fault(&self.sealed, unit, before) {
            Some(error) => Err(error),
            None => self.sealed.deposit(unit),
        }
    }

    fn last_version(&self, key: &ArticleKey) -> Result<Option<Version>, VaultError> {
        self.sealed.last_version(key)
    }

    fn versions(&self, key: &ArticleKey) -> Result<Vec<Version>, VaultError> {
        self.sealed.versions(key)
    }

    fn with_identifier(&self, identifier: &str) -> Result<Vec<ArticleKey>, VaultError> {
        self.sealed.with_identifier(identifier)
    }

    fn at_address(&self, address: &str) -> Result<Vec<ArticleKey>, VaultError> {
        self.sealed.at_address(address)
    }

    fn list(&self, from: &Since, count_max: usize) -> Result<Vec<Version>, VaultError> {
        self.sealed.list(from, count_max)
    }

    fn read(&self, digest: Sha256) -> Result<Option<Unit>, VaultError> {
        self.sealed.read(digest)
    }
}

/// Everything there is. Clones share it.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) publisher: MemoryFetch,
    pub(crate) ledger: MemoryLedger,
    pub(crate) vault: Arc<FaultyVault>,
    pub(crate) wall: Wall,
    boot: Arc<Boot>,
    last_pid: Arc<AtomicU32>,
}

impl World {
    /// A world without anything at its publisher. To be made inside the paused runtime.
    pub(crate) fn new() -> Self {
        let wall = Wall(Instant::now());
        let publisher = MemoryFetch::new(Arc::new(wall));
        publisher.present(tls());
        let vault = FaultyVault {
            sealed: MemoryVault::new(admission(), Arc::new(move || wall.now())),
            wall,
            fault: Mutex::new(Arc::new(|_, _, _| None)),
            offered: Mutex::default(),
        };
        Self {
            publisher,
            ledger: MemoryLedger::new(),
            vault: Arc::new(vault),
            wall,
            boot: Boot::new("one"),
            last_pid: Arc::default(),
        }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.wall.now()
    }

    /// Lets time go by until `length` after the beginning.
    pub(crate) async fn at(&self, length: Duration) {
        tokio::time::sleep_until(self.wall.0 + length).await;
    }

    /// How long the world has been there.
    pub(crate) fn age(&self) -> Duration {
        self.wall.0.elapsed()
    }

    /// A new process on this machine.
    pub(crate) fn process(&self) -> Process {
        self.process_on(&self.boot)
    }

    /// A new process on a machine.
    pub(crate) fn process_on(&self, boot: &Arc<Boot>) -> Process {
        let pid = self.last_pid.fetch_add(1, Ordering::SeqCst) + 1;
        let clock = Arc::new(Mortal { wall: self.wall, looks_left: AtomicI64::new(i64::MAX) });
        let seen = Arc::new(Seen { boot: Arc::clone(boot), pid });
        let ledger = Arc::new(self.ledger.seen_from(seen));
        let agent = "Example/1 (+https://example.org; contact@example.org)".parse().unwrap();
        let time: Arc<dyn Clock> = clock.clone();
        let visitor = Visitor::new(
            self.publisher.clone(),
            ledger.clone(),
            Arc::clone(&time),
            agent,
            RobotsPolicy::releve(),
        );
        let runner = Runner {
            visitor,
            ledger,
            vault: Arc::<FaultyVault>::clone(&self.vault),
            vault_name: "test".to_owned(),
            roots: roots(),
            connector: Connector { name: "releve".to_owned(), version: "0.1.0".to_owned() },
            give_up_after: 30 * DAY,
            lab: false,
            clock: time,
            watch: Arc::new(Unwatched),
        };
        Process { runner: Arc::new(runner), clock, boot: Arc::clone(boot), pid }
    }

    /// One pass by a process of its own, which nothing disturbs.
    pub(crate) async fn pass(&self, source: &Arc<Source>) -> Report {
        self.process().pass(source, Timestamp::MAX).await.unwrap()
    }

    /// A pass at every one of these lengths after the beginning, one after the other.
    pub(crate) async fn passes(
        &self,
        source: &Arc<Source>,
        at: impl IntoIterator<Item = Duration>,
    ) -> Vec<Report> {
        let mut reports = Vec::new();
        for at in at {
            self.at(at).await;
            reports.push(self.pass(source).await);
        }
        reports
    }

    /// What was asked at addresses that end so, and how long after the beginning.
    pub(crate) fn asked(&self, end: &str) -> Vec<Duration> {
        let asked = self.publisher.asked();
        asked.iter().filter(|asked| asked.url.ends_with(end)).map(|asked| since_noon(asked.sent_at)).collect()
    }

    /// What is known of an article.
    pub(crate) fn entry(&self, identifier: &str) -> Entry {
        self.ledger.entry("example", identifier).unwrap().unwrap()
    }

    /// Asserts what has to hold of every run, whatever it was: no two requests within a second (R21), none without a
    /// robots.txt that was read in the 24 hours before (R22, R33), no trigger sooner than 15 minutes after the last (R18).
    pub(crate) fn check_pace(&self, trigger: &str) {
        self.check_pace_where(trigger, |_| true);
    }

    /// The same where a robots.txt that was asked for at an instant may not have been answered.
    pub(crate) fn check_pace_where(&self, trigger: &str, is_answered: impl Fn(Timestamp) -> bool) {
        let asked = self.publisher.asked();
        for pair in asked.windows(2) {
            let gap = pair[1].sent_at.duration_since(pair[0].sent_at);
            assert!(gap >= SignedDuration::from_secs(1), "{gap:?} between {:?} and {:?}", pair[0], pair[1]);
        }
        let mut robots: Option<Timestamp> = None;
        let mut last: Option<Timestamp> = None;
        for MemoryAsked { url, sent_at, .. } in &asked {
            if url.ends_with("/robots.txt") {
                robots = is_answered(*sent_at).then_some(*sent_at).or(robots);
                continue;
            }
            let age = robots.map(|robots| sent_at.duration_since(robots));
            assert!(
                age.is_some_and(|age| age <= SignedDuration::from_hours(24)),
                "{url} was asked for when robots.txt was {age:?} old"
            );
            if url.ends_with(trigger) {
                let gap = last.replace(*sent_at).map(|last| sent_at.duration_since(last));
                assert!(gap.is_none_or(|gap| gap >= SignedDuration::from_mins(15)), "trigger after {gap:?}");
            }
        }
    }

    /// Asserts that the vault has nothing but what was public when it was read, each version once, and that the ledger has
    /// the receipt of each article's last one. Returns which revisions of which articles are sealed.
    pub(crate) fn check_sealed(&self, site: &Site) -> BTreeSet<(u64, usize)> {
        let sealed = self.vault.all();
        let mut asked: BTreeMap<String, BTreeSet<Timestamp>> = BTreeMap::new();
        for MemoryAsked { url, sent_at, .. } in self.publisher.asked() {
            asked.entry(url).or_default().insert(sent_at);
        }
        let mut seen = BTreeSet::new();
        for version in &sealed {
            let unit = self.vault.read(version.receipt.digest).unwrap().unwrap();
            let identifier = version.key.identifier();
            let article = site.planned(identifier.parse().unwrap());
            // What the publisher answers is what was there when it was asked, a little before it was read.
            let asked_at = *asked[&version.address].range(..=version.read_at).next_back().unwrap();
            assert!(article.is_public(asked_at), "{version:?} was not public");
            let body = site.body(article, asked_at);
            assert_eq!(unit.envelope(), body.as_bytes(), "{version:?}");
            let revision = article.revision(asked_at);
            assert!(seen.insert((article.id, revision)), "{version:?} is sealed twice");
        }
        for version in self.ledger.list("example", State::Sealed, None, usize::MAX).unwrap() {
            let key = ArticleKey::new("example", &version.identifier).unwrap();
            let last = self.vault.last_version(&key).unwrap().unwrap();
            let receipt = version.sealed.unwrap().receipt;
            assert_eq!(receipt.sequence, last.receipt.sequence, "{key:?}");
        }
        seen
    }
}

/// How long after the beginning.
pub(crate) fn since_noon(at: Timestamp) -> Duration {
    Duration::try_from(at.duration_since(noon())).unwrap()
}

/// The lengths between one and the next.
pub(crate) fn gaps(at: &[Duration]) -> Vec<Duration> {
    at.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).collect()
}

/// A process that makes passes and can be killed.
#[derive(Clone)]
pub(crate) struct Process {
    pub(crate) runner: Arc<Runner<MemoryFetch>>,
    clock: Arc<Mortal>,
    boot: Arc<Boot>,
    pid: u32,
}

impl Process {
    /// Begins a pass that ends by itself.
    pub(crate) fn begin(&self, source: &Arc<Source>, until: Timestamp) -> JoinHandle<Report> {
        self.begin_with(source, until, Interrupt::never())
    }

    /// Begins a pass that can be interrupted.
    pub(crate) fn begin_with(
        &self,
        source: &Arc<Source>,
        until: Timestamp,
        interrupt: Interrupt,
    ) -> JoinHandle<Report> {
        let (runner, source) = (Arc::clone(&self.runner), Arc::clone(source));
        tokio::spawn(async move { runner.pass(&source, None, &interrupt, until).await })
    }

    /// Makes a pass. None if the process was killed.
    pub(crate) async fn pass(&self, source: &Arc<Source>, until: Timestamp) -> Option<Report> {
        let made = self.begin(source, until).await.ok();
        if made.is_none() {
            self.bury();
        }
        made
    }

    /// It will be killed at its `looks`th look at the clock.
    pub(crate) fn dies_after(&self, looks: i64) {
        self.clock.looks_left.store(looks, Ordering::SeqCst);
    }

    /// Kills it, where it is in a pass; `pass` is what [`begin`](Self::begin) gave.
    pub(crate) async fn kill(&self, pass: JoinHandle<Report>) {
        pass.abort();
        // It may have come to its end just before.
        drop(pass.await);
        self.bury();
    }

    /// From now on everybody on its machine can see that it is dead.
    pub(crate) fn bury(&self) {
        self.dies_after(0);
        self.boot.dead.lock().unwrap().insert(self.pid);
    }
}

/// A source as its configuration describes it.
pub(crate) fn source(text: &str) -> Arc<Source> {
    let file = File { name: "example.toml", text: text.as_bytes() };
    Arc::new(parse_source(file, &Bounds::default()).unwrap_or_else(|problems| panic!("{problems}")).value)
}

/// An address at the publisher.
pub(crate) fn here(path: &str) -> String {
    format!("https://{HOST}{path}")
}
