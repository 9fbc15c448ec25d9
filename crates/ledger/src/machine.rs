use std::{
    fmt, fs, io, process,
    sync::{Mutex, PoisonError},
    time::Duration,
};

/// A process, named so that another one on the same machine can tell whether it still runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Holder {
    /// The boot of the machine that it runs on: a value that no two boots of any two machines share.
    pub boot: String,
    /// What else must be equal for process numbers and clocks to mean the same (on Linux, the namespaces).
    pub view: String,
    /// Its process number there.
    pub pid: u32,
    /// When it started, in the machine's own counting, so that a later process with the same number is not taken for it.
    pub started: u64,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let boot = self.boot.get(..8).unwrap_or(&self.boot);
        write!(f, "process {} (boot {boot})", self.pid)
    }
}

/// Whether a process runs, as far as can be told from here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Life {
    /// It runs.
    Alive,
    /// It ran on this machine and ended.
    Dead,
    /// It cannot be told from here: another machine, an earlier boot, another namespace.
    Unknown,
}

/// What a ledger must know of the machine it runs on. [`ThisMachine`] is the real one, [`ScriptedMachine`] one for tests.
pub trait Machine: Send + Sync + fmt::Debug {
    /// This process.
    fn holder(&self) -> Holder;

    /// Whether `holder` still runs. In doubt [`Life::Unknown`]: who is wrongly called dead loses its lock.
    fn life(&self, holder: &Holder) -> Life;

    /// The time since the machine's boot by a clock that cannot be set, or `None` where there is none.
    ///
    /// It must go on while the machine sleeps, be the same for all processes of one boot and view, and be exact to a
    /// millisecond. The ledger asks it how long a call had to wait, and whether the clock on the wall was set.
    fn since_boot(&self) -> Option<Duration>;
}

/// The machine this process runs on, as Linux shows it in `/proc`.
///
/// Where there is no `/proc`, every other process is [`Life::Unknown`]: what a dead one held is free when its lease runs
/// out. There is no clock since boot either, and each process passes for a boot of its own, which costs it one interval
/// at each host.
#[derive(Clone, Debug)]
pub struct ThisMachine {
    holder: Holder,
}

impl ThisMachine {
    /// Looks at the machine, once.
    pub fn look() -> Self {
        let read = |path: &str| fs::read_to_string(path).map(|text| text.trim().to_owned()).ok();
        let link = |path: &str| fs::read_link(path).map(|target| target.display().to_string()).ok();
        let pid = process::id();
        Self {
            holder: Holder {
                // Without a boot's name nothing can be told of other processes, so this process stands for a machine.
                boot: read("/proc/sys/kernel/random/boot_id").unwrap_or_else(|| format!("unknown-{pid}")),
                view: [link("/proc/self/ns/pid"), link("/proc/self/ns/time")]
                    .map(Option::unwrap_or_default)
                    .join(" "),
                pid,
                started: process_state(pid).ok().map_or(0, |state| state.started),
            },
        }
    }
}

impl Machine for ThisMachine {
    fn holder(&self) -> Holder {
        self.holder.clone()
    }

    fn life(&self, holder: &Holder) -> Life {
        if *holder == self.holder {
            return Life::Alive;
        }
        if (&holder.boot, &holder.view) != (&self.holder.boot, &self.holder.view) {
            return Life::Unknown;
        }
        match process_state(holder.pid) {
            Ok(state) if state.started == holder.started && !state.ended => Life::Alive,
            Ok(_) => Life::Dead,
            // Where `/proc` is mounted to hide the processes of others, it hides process 1 too.
            Err(error) if error.kind() == io::ErrorKind::NotFound && process_state(1).is_ok() => Life::Dead,
            Err(_) => Life::Unknown,
        }
    }

    #[cfg(target_os = "linux")]
    fn since_boot(&self) -> Option<Duration> {
        use rustix::time::{ClockId, clock_gettime};
        Duration::try_from(clock_gettime(ClockId::Boottime)).ok()
    }

    #[cfg(not(target_os = "linux"))]
    fn since_boot(&self) -> Option<Duration> {
        None
    }
}

struct ProcessState {
    /// In clock ticks since boot.
    started: u64,
    /// Killed, though its parent has not asked how it ended.
    ended: bool,
}

fn process_state(pid: u32) -> io::Result<ProcessState> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // The second field is the program's name in parentheses and may hold anything, parentheses and blanks too. After it
    // come the state (field 3) and, nineteen further, the start (field 22); see proc_pid_stat(5).
    let malformed =
        || io::Error::new(io::ErrorKind::InvalidData, format!("/proc/{pid}/stat has another form"));
    let mut fields = stat.rsplit_once(')').ok_or_else(malformed)?.1.split_ascii_whitespace();
    let state = fields.next().ok_or_else(malformed)?;
    let started = fields.nth(18).and_then(|field| field.parse().ok()).ok_or_else(malformed)?;
    Ok(ProcessState { started, ended: matches!(state, "Z" | "X" | "x") })
}

/// A machine that says what a test has told it.
///
/// Several with the same boot stand for several processes on one machine. Without [`set_since_boot`] it has no clock of
/// its own, which is right wherever `now` is virtual.
///
/// [`set_since_boot`]: Self::set_since_boot
#[derive(Debug)]
pub struct ScriptedMachine {
    holder: Holder,
    told: Mutex<Told>,
}

#[derive(Debug, Default)]
struct Told {
    dead: Vec<Holder>,
    since_boot: Option<Duration>,
}

impl ScriptedMachine {
    /// Process `pid` on the boot named `boot`.
    pub fn new(boot: &str, pid: u32) -> Self {
        let holder = Holder { boot: boot.to_owned(), view: String::new(), pid, started: 1 };
        Self { holder, told: Mutex::default() }
    }

    /// From now on `holder` is dead to this machine, if it ran here.
    pub fn bury(&self, holder: Holder) {
        self.told().dead.push(holder);
    }

    /// From now on the machine has a clock, and this is what it shows.
    pub fn set_since_boot(&self, since_boot: Duration) {
        self.told().since_boot = Some(since_boot);
    }

    fn told(&self) -> std::sync::MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Machine for ScriptedMachine {
    fn holder(&self) -> Holder {
        self.holder.clone()
    }

    fn life(&self, holder: &Holder) -> Life {
        if holder.boot != self.holder.boot {
            Life::Unknown
        } else if self.told().dead.contains(holder) {
            Life::Dead
        } else {
            Life::Alive
        }
    }

    fn since_boot(&self) -> Option<Duration> {
        self.told().since_boot
    }
}
