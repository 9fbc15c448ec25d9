//! What differs between two bots: values, never a branch on who is calling.

use std::time::Duration;

use crate::{Delay, ProductToken, RobotsTxt, Verdict};

/// Which groups of a robots.txt bind a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AccessScope {
    /// The group that names the bot, or else the general group (`*`), as RFC 9309 has it.
    NamedElseGeneral,
    /// The group that names the bot alone. The general group does not count, as for a feed that someone
    /// subscribed to.
    NamedOnly,
}

/// Whose Crawl-delay binds a request. It is apart from [`AccessScope`]: a request that the general group
/// cannot forbid may still have to keep its pace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DelayScope {
    /// That of the group that names the bot, or else of the general group. A named group without a delay
    /// inherits none.
    NamedElseGeneral,
    /// That of the group that names the bot alone.
    NamedOnly,
    /// None: a request that is made once, at someone's asking, and not on a schedule.
    Ignored,
}

/// What to do while a robots.txt cannot be had: a server error, a host out of reach, a file cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OnServerError {
    /// Read nothing of that host until it answers, as RFC 9309 has it.
    ReadNothing,
    /// Read as if there were no robots.txt.
    Read,
}

/// How a bot takes a robots.txt.
///
/// Made from a value that exists and changed field by field:
///
/// ```
/// use releve_robots::{AccessScope, RobotsPolicy};
///
/// let feeds = RobotsPolicy { access: AccessScope::NamedOnly, ..RobotsPolicy::serene() };
/// # let _ = feeds;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RobotsPolicy {
    /// Which groups may forbid.
    pub access: AccessScope,
    /// Whose Crawl-delay is kept.
    pub delay: DelayScope,
    /// What a file that cannot be had means.
    pub on_server_error: OnServerError,
    /// A longer Crawl-delay counts as this. `None` keeps it, however long it is.
    pub crawl_delay_cap: Option<Duration>,
    /// How long an answer holds before the file is asked for again. RFC 9309 (2.4) allows 24 hours at most.
    pub holds: Duration,
    /// How long after a failure the file is asked for again, unless the server asked for a longer wait.
    pub retry_after: Duration,
}

/// RFC 9309, 2.4: a copy should not be used for more than 24 hours.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Often enough to go on the same day, rarely enough to be no burden on a server that has trouble.
const QUARTER_HOUR: Duration = Duration::from_secs(15 * 60);

/// A feed reader that waited longer would no longer be current.
const MINUTE: Duration = Duration::from_secs(60);

impl RobotsPolicy {
    /// The connector `releve`: both groups bind in everything, any Crawl-delay is kept, and a host whose
    /// robots.txt cannot be had is not read. An answer holds for 24 hours; a failure is tried again after 15
    /// minutes.
    pub const fn releve() -> Self {
        Self {
            access: AccessScope::NamedElseGeneral,
            delay: DelayScope::NamedElseGeneral,
            on_server_error: OnServerError::ReadNothing,
            crawl_delay_cap: None,
            holds: DAY,
            retry_after: QUARTER_HOUR,
        }
    }

    /// The feed reader's bot `serene` at article pages and icons: both groups bind, a Crawl-delay counts for
    /// a minute at most, and a robots.txt that cannot be had forbids nothing.
    pub const fn serene() -> Self {
        Self { on_server_error: OnServerError::Read, crawl_delay_cap: Some(MINUTE), ..Self::releve() }
    }

    /// The same bot at a feed that someone subscribed to: only a group that names it can forbid, while the
    /// pace of either group is kept.
    pub const fn serene_feed() -> Self {
        Self { access: AccessScope::NamedOnly, ..Self::serene() }
    }

    /// The same bot at a feed that is being added or checked: as [`serene_feed`](Self::serene_feed), without
    /// waiting.
    pub const fn serene_once() -> Self {
        Self { delay: DelayScope::Ignored, ..Self::serene_feed() }
    }

    /// [`RobotsTxt::judge`] in this policy's scope.
    pub fn judge(&self, robots: &RobotsTxt, agent: &ProductToken, path_and_query: &str) -> Verdict {
        robots.judge(agent, self.access, path_and_query)
    }

    /// [`RobotsTxt::crawl_delay`] in this policy's scope, at most the cap.
    pub fn crawl_delay(&self, robots: &RobotsTxt, agent: &ProductToken) -> Option<Delay> {
        let delay = robots.crawl_delay(agent, self.delay)?;
        let length = self.crawl_delay_cap.map_or(delay.length, |cap| delay.length.min(cap));
        Some(Delay { length, ..delay })
    }
}
