//! Exit codes. They are part of the interface: the help text and the README list them.

use std::process::ExitCode;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done.
    Done,
    /// Done, and something was refused or failed.
    Failures,
    /// Could not run.
    CouldNotRun,
    /// The lock of a source that was named is held elsewhere.
    LockHeld,
    /// Interrupted.
    Interrupted,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Done => 0,
            Exit::Failures => 1,
            Exit::CouldNotRun => 2,
            Exit::LockHeld => 3,
            Exit::Interrupted => 130,
        })
    }
}
