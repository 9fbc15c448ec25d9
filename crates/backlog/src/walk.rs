//! The walk of a backlog, from the newest to the oldest. All transitions are in this file.
//!
//! | where it stands | what comes | where it goes |
//! |---|---|---|
//! | at the entrance | the sitemaps that robots.txt names | a request, or its end if there are none |
//! | request | a sitemap, a feed, a text | its batches |
//! | request | an index | a request: its files come next, in their order |
//! | request | a page of a list | its batch |
//! | request | absent (404, 410), barred | noted; the next request |
//! | request | no list, or a broken one | what was whole before the break; noted as a gap; the next request |
//! | request | failed | a sitemap: put last, the next request. A page: a pause. The third time: a gap, or the end |
//! | request | put off | a sitemap, and with it others: put last, the next request |
//! | batch | noted | the next batch; after the last the next request |
//! | batch | noted, all known beyond the window | of a list or files in order: its end. Else the next file |
//! | page | all before the floor, in order | its end |
//! | request | nothing left but what has failed | a pause |
//! | request | nothing left | its end |
//! | pause | taken up again by a later pass | a request |
//! | pause | given up | what is left: a gap; its end |

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

use jiff::Timestamp;
use releve_feed::{Announcement, read_list_page};
use releve_url_canon::{HttpsUrl, NecessaryParameters, Removed, canonicalise};
use serde::{Deserialize, Serialize};

use crate::fall::{DAY, Fall};
use crate::file::{EntryFlaw, File, Kind};
use crate::fingerprint::Fingerprint;
use crate::frontier::{Marks, Pending, in_order};
use crate::history::{History, Reached};
use crate::list::{Backlog, Entrance, Pagination};
use crate::pages::{Around, Pages, Then, Turned, date_of};
use crate::report::{self, End, Lastmods, Order, OrderBy, Report, count, shown};
use crate::run::Run;
use crate::{names, wire};

/// How many entries of a file are handed out at once. R9 draws its conclusions from as many.
pub const BATCH_ENTRIES_MAX: usize = 1_000;

/// How many files one walk asks for. At one a second (R21) more take longer than the 24 hours after which the
/// next walk begins (R19).
pub const REQUESTS_MAX: u64 = 86_400;

/// How many files an index may name: as many as sitemaps.org allows.
pub const INDEX_FILES_MAX: usize = 50_000;

/// How many files may wait to be read: as many as one walk may ask for.
const FILES_MAX: usize = 86_400;

/// How many bytes their addresses may have in all: some 200 each.
const FILES_BYTES_MAX: usize = 16 * 1024 * 1024;

/// How many files a walk may hear of, whether it asks for them or may not. Each may have two addresses, one of
/// them after a redirect.
const FILES_SEEN_MAX: usize = 2 * FILES_MAX;

/// How many indexes may lead to a file. sitemaps.org knows one; systems nest a second one for languages or
/// years.
pub const DEPTH_MAX: u8 = 5;

/// How often a file is asked for in one walk before it is given up, one pass after the other. Three reads are
/// what an article gets too (R23).
pub const ATTEMPTS_MAX: u8 = 3;

/// What is always walked again (R20).
pub const WALKED_AGAIN: Duration = Duration::from_secs(48 * 3_600);

/// How many files are remembered that could not be read, so that no early end passes over them. With more the
/// walk does not count as complete.
const UNREAD_MAX: usize = 1_000;

/// A walk through the list on which a source's older articles are found (R8, R9, R10).
///
/// It asks for files, hands out what stands in them, and says when it has ended and why. It requests nothing
/// itself: [`next`](Self::next) says what to do, and the answer is told with [`answered`](Self::answered) or
/// [`noted`](Self::noted). Asked again without an answer, it says the same again. A walk can be cut anywhere: what
/// [`place`](Self::place) gives is enough to [`resume`](Self::resume) it in another process.
#[derive(Debug)]
pub struct Walk {
    backlog: Backlog,
    began: Timestamp,
    /// What is older than this was there to be read when the last walk was.
    window: Timestamp,
    floor: Option<Timestamp>,
    history: History,
    state: State,
    trail: Trail,
    report: Report,
    /// The report as it was before the file that is being handed out.
    report_before: Report,
}

#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one for each walk")]
enum State {
    Entrance,
    Request,
    Batch(Batches),
    Pause { code: String },
    Ended(End),
}

/// What is left to be asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::large_enum_variant, reason = "there is one for each walk")]
enum Trail {
    Files(Files),
    Pages(Pages),
}

/// The files of a list of sitemaps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Files {
    /// What is to be read, the next one last.
    #[serde(with = "wire::pending")]
    pending: Vec<Pending>,
    /// What has failed or was put off, and is asked for by a later pass.
    #[serde(with = "wire::pending")]
    failed: Vec<Pending>,
    /// All that was ever to be read, and where redirects led.
    #[serde(with = "wire::fingerprints")]
    seen: BTreeSet<Fingerprint>,
    /// What was absent, or may not be read.
    #[serde(with = "wire::fingerprints")]
    unread: Vec<Fingerprint>,
    /// Whether a whole batch was known and lies beyond the window.
    is_known: bool,
    /// Whether a file had something newer than the date that its index says of it.
    are_lastmods_wrong: bool,
    /// How the numbered series go.
    series: BTreeMap<Fingerprint, Series>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Series {
    /// Whether a batch of one of its files was known as a whole, so that what has lower numbers is too.
    is_known: bool,
    /// The newest date of each file that was read.
    newest: Fall,
}

/// A file that the list names.
#[derive(Debug)]
struct Listed {
    address: HttpsUrl,
    lastmod: Option<Timestamp>,
    /// A parameter that was taken off its address.
    removed: Option<String>,
}

/// What is being handed out.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one for each walk")]
enum Batches {
    File {
        file: Pending,
        base: HttpsUrl,
        run: Run,
        /// Where in the run the next batch begins.
        at: usize,
        /// What of the file is not in the run: the file, and where its rest begins.
        rest: Option<(File<'static>, usize)>,
    },
    Page {
        address: HttpsUrl,
        announcements: Vec<Announcement>,
        then: Then,
        /// Whether the list is in order, and all of this page lies beyond the window.
        is_beyond_window: bool,
    },
}

/// What a walk wants done next.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// Say which sitemaps the robots.txt of the source's hosts name, by [`Walk::entered`].
    Entrance,
    /// Ask for this file of the list, and tell the answer by [`Walk::answered`].
    Request(Request),
    /// Take note of these references, and tell what was known of them by [`Walk::noted`].
    Batch(Batch),
    /// Leave the rest to a later pass, which resumes the walk from its [`place`](Walk::place): what is left has failed, or
    /// was put off.
    Pause {
        /// Why the last read failed, or was put off.
        code: String,
    },
    /// There is nothing more to do.
    End(End),
}

/// A file of the list that is to be asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Request {
    /// Its address, as it is to be requested.
    pub address: HttpsUrl,
    /// What is expected there.
    pub expected: Expected,
}

/// What is expected at an address of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Expected {
    /// A sitemap, whatever it is called: XML, text, or either of them packed.
    Sitemap,
    /// JSON.
    Json,
}

/// References that were found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Batch {
    /// The file they were found in, after redirects.
    pub found_in: HttpsUrl,
    /// What stands there: up to [`BATCH_ENTRIES_MAX`] of a file, or those of one page. None of them is dated
    /// before the floor. Their links are as the list writes them: the caller makes them canonical (R29), asks
    /// whether their hosts are admitted (R40), and tells by [`Walk::refuse`] what it does not take.
    pub announcements: Vec<Announcement>,
}

/// What was answered to a request.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Answer<'a> {
    /// A complete 200.
    Page(Page<'a>),
    /// Another final status.
    Status(u16),
    /// Nothing was requested, and nothing will be while things are as they are: robots.txt prohibits it, or the
    /// host is not admitted.
    Barred {
        /// A stable word for the reason.
        code: &'a str,
    },
    /// It was not answered completely: unreachable, cut off, a redirect that is not followed.
    Failed {
        /// A stable word for the reason.
        code: &'a str,
    },
}

/// A file of the list as it was answered.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// Its address after redirects.
    pub address: &'a HttpsUrl,
    /// The `Content-Type` header.
    pub content_type: Option<&'a str>,
    /// The `Link` headers.
    pub links: &'a [&'a str],
    /// The `X-WP-Total` header: how many items the list has.
    pub total: Option<&'a str>,
    /// The `X-WP-TotalPages` header: how many pages it has.
    pub total_pages: Option<&'a str>,
    /// The body, once a content coding is undone.
    pub body: &'a [u8],
}

impl<'a> Page<'a> {
    /// A file without further headers.
    pub fn new(address: &'a HttpsUrl, body: &'a [u8]) -> Self {
        Self { address, content_type: None, links: &[], total: None, total_pages: None, body }
    }
}

/// What was known of a batch. What of it is refused counts for neither.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Noted {
    /// How many references were known before this walk [began](Walk::began).
    pub known: usize,
    /// How many were not.
    pub new: usize,
}

/// Why a walk is not resumed. It is begun anew instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlaceError {
    /// The text is none that [`Walk::place`] has written, or that of another version.
    Unreadable,
    /// The list is configured otherwise than it was when the walk began.
    OtherList,
}

impl fmt::Display for PlaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unreadable => "where the walk of the backlog stood cannot be read; it begins anew",
            Self::OtherList => "the backlog is configured otherwise than when its walk began; it begins anew",
        })
    }
}

impl std::error::Error for PlaceError {}

/// The version of a place.
const PLACE_VERSION: u32 = 1;

/// A place as it is written.
#[derive(Serialize, Deserialize)]
struct Place {
    version: u32,
    backlog: Fingerprint,
    began: Timestamp,
    history: History,
    is_at_entrance: bool,
    trail: Trail,
    report: Report,
}

impl Walk {
    /// Begins a walk at `now`.
    pub fn begin(backlog: &Backlog, history: &History, now: Timestamp) -> Self {
        let trail = match &backlog.entrance {
            Entrance::List { pages, .. } => Trail::Pages(Pages::first(pages)),
            Entrance::Robots | Entrance::Sitemaps(_) => Trail::Files(Files::default()),
        };
        let mut walk = Self::new(backlog, history.of(backlog), now, trail, Report::default());
        match &backlog.entrance {
            Entrance::Robots => walk.state = State::Entrance,
            Entrance::Sitemaps(sitemaps) => {
                let listed =
                    |address: &HttpsUrl| Listed { address: address.clone(), lastmod: None, removed: None };
                walk.add_files(sitemaps.iter().map(listed).collect(), 0);
                walk.advance();
            }
            Entrance::List { .. } => walk.advance(),
        }
        walk
    }

    /// Takes a walk up again at its `place`.
    pub fn resume(backlog: &Backlog, place: &str) -> Result<Self, PlaceError> {
        let place: Place = serde_json::from_str(place).map_err(|_| PlaceError::Unreadable)?;
        if place.version != PLACE_VERSION {
            return Err(PlaceError::Unreadable);
        }
        if place.backlog != Fingerprint::of_backlog(backlog) {
            return Err(PlaceError::OtherList);
        }
        let mut trail = place.trail;
        if let Trail::Files(files) = &mut trail {
            // A later pass tries again what has failed, after everything else.
            let pending = std::mem::take(&mut files.pending);
            files.pending = std::mem::take(&mut files.failed);
            files.pending.extend(pending);
        }
        let report = Report { failed: Vec::new(), ..place.report };
        let mut walk = Self::new(backlog, place.history, place.began, trail, report);
        if place.is_at_entrance {
            walk.state = State::Entrance;
        } else {
            walk.advance();
        }
        Ok(walk)
    }

    fn new(backlog: &Backlog, history: History, began: Timestamp, trail: Trail, report: Report) -> Self {
        let window = began.checked_sub(WALKED_AGAIN).unwrap_or(Timestamp::MIN);
        Self {
            backlog: backlog.clone(),
            began,
            window: history.last_began().map_or(window, |last| last.min(window)),
            floor: backlog.floor.and_then(names::midnight),
            history,
            state: State::Request,
            trail,
            report_before: report.clone(),
            report,
        }
    }

    /// Where the walk stands, as a text from which it is taken up again: at the file being handed out, which is
    /// asked for once more. None once it has ended.
    pub fn place(&self) -> Option<String> {
        let mut trail = self.trail.clone();
        let report = match &self.state {
            State::Ended(_) => return None,
            State::Batch(batches) => {
                if let (Trail::Files(files), Batches::File { file, base, .. }) = (&mut trail, batches) {
                    files.pending.push(file.clone());
                    if *base != file.address {
                        // Where its redirect leads was not met before, nor is it when it is asked for once more.
                        files.seen.remove(&Fingerprint::of_file(base));
                    }
                }
                &self.report_before
            }
            _ => &self.report,
        };
        let place = Place {
            version: PLACE_VERSION,
            backlog: Fingerprint::of_backlog(&self.backlog),
            began: self.began,
            history: self.history.clone(),
            is_at_entrance: matches!(self.state, State::Entrance),
            trail,
            report: report.clone(),
        };
        serde_json::to_string(&place).ok()
    }

    /// How many files are named and not read yet: what makes the [`place`](Self::place) long.
    pub fn files_left(&self) -> usize {
        match &self.trail {
            Trail::Files(files) => files.pending.len() + files.failed.len(),
            Trail::Pages(_) => 0,
        }
    }

    /// When the walk began. References that are known since then say nothing about what was known before.
    pub fn began(&self) -> Timestamp {
        self.began
    }

    /// What the walk has come to so far.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// What is to be kept for the next walk, once this one has ended: what was given, with this walk in it if it
    /// is complete.
    pub fn history(&self) -> History {
        let are_lastmods_wrong = matches!(&self.trail, Trail::Files(files) if files.are_lastmods_wrong);
        if !self.report.is_complete() {
            return self.history.with_lastmods(are_lastmods_wrong);
        }
        let reached = match &self.report.end {
            // What is before the floor was there and was passed over.
            Some(End::Floor) => self.backlog.floor.map(Reached::Floor),
            Some(End::ListEnd) => Some(Reached::End),
            _ => None,
        };
        let unread = match &self.trail {
            Trail::Files(files) => files.unread.clone(),
            Trail::Pages(_) => Vec::new(),
        };
        self.history.with(self.began, reached, unread, are_lastmods_wrong)
    }

    /// What to do next.
    pub fn next(&self) -> Step {
        match &self.state {
            State::Entrance => Step::Entrance,
            State::Request => match self.request() {
                Some(request) => Step::Request(request),
                // A walk with nothing left to ask for has ended or pauses.
                None => Step::End(End::Broken { code: report::NOTHING_READ.to_owned() }),
            },
            State::Batch(batches) => Step::Batch(batches.batch()),
            State::Pause { code } => Step::Pause { code: code.clone() },
            State::Ended(end) => Step::End(end.clone()),
        }
    }

    fn request(&self) -> Option<Request> {
        match (&self.trail, &self.backlog.entrance) {
            (Trail::Files(files), _) => {
                let address = files.pending.last()?.address.clone();
                Some(Request { address, expected: Expected::Sitemap })
            }
            (Trail::Pages(at), Entrance::List { pages, .. }) => {
                Some(Request { address: at.address(pages), expected: Expected::Json })
            }
            (Trail::Pages(_), _) => None,
        }
    }

    /// Tells which sitemaps the robots.txt of the source's hosts name, as they stand there. They come from
    /// outside, so parameters that are not declared for the list are removed from them (R29).
    ///
    /// Has no effect but after [`Step::Entrance`].
    pub fn entered<I>(&mut self, sitemaps: I)
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        if !matches!(self.state, State::Entrance) {
            return;
        }
        let mut files = Vec::new();
        for sitemap in sitemaps {
            let keep = self.backlog.necessary_parameters.clone();
            files.extend(self.listed(sitemap.as_ref(), None, &keep));
        }
        if files.is_empty() {
            self.end(End::Broken { code: report::NO_SITEMAP_NAMED.to_owned() });
        } else {
            self.add_files(files, 0);
            self.advance();
        }
    }

    /// Tells what was answered to the request.
    ///
    /// Has no effect but after [`Step::Request`].
    pub fn answered(&mut self, answer: Answer<'_>) {
        if !matches!(self.state, State::Request) {
            return;
        }
        self.report_before = self.report.clone();
        self.report.requests += u64::from(!matches!(answer, Answer::Barred { .. }));
        match &mut self.trail {
            Trail::Files(files) => {
                if let Some(file) = files.pending.pop() {
                    self.file_answered(file, answer);
                }
            }
            Trail::Pages(_) => self.page_answered(answer),
        }
    }

    /// Tells what was known of the batch.
    ///
    /// Has no effect but after [`Step::Batch`].
    pub fn noted(&mut self, noted: Noted) {
        let State::Batch(batches) = std::mem::replace(&mut self.state, State::Request) else { return };
        let is_known = noted.new == 0 && noted.known > 0 && self.history.has_reached(self.backlog.floor);
        match batches {
            Batches::File { file, base, run, at, rest } => {
                let end = run.len().min(at + BATCH_ENTRIES_MAX);
                self.report.entries += u64::try_from(end - at).unwrap_or_default();
                let newest = run.newest_if_dated(at, end);
                if is_known && newest.is_some_and(|newest| newest < self.window) {
                    // What comes after it in the run is older.
                    self.file_known(&file);
                    self.hand_out_rest(file, base, rest);
                } else if end < run.len() {
                    self.state = State::Batch(Batches::File { file, base, run, at: end, rest });
                } else {
                    self.hand_out_rest(file, base, rest);
                }
            }
            Batches::Page { announcements, then, is_beyond_window, .. } => {
                self.report.entries += u64::try_from(announcements.len()).unwrap_or_default();
                if is_known && is_beyond_window {
                    self.end(End::Known);
                } else {
                    self.turn_to(then);
                }
            }
        }
    }

    /// Leaves the file that is to be asked for to a later pass, and with it every other at an address that `is_with`: their
    /// host cannot be asked now. That counts as no attempt. `false`: a page cannot be passed over, since the next one is only
    /// known behind it.
    ///
    /// Has no effect but after [`Step::Request`].
    pub fn put_off(&mut self, code: &str, is_with: impl Fn(&HttpsUrl) -> bool) -> bool {
        let (State::Request, Trail::Files(files)) = (&self.state, &mut self.trail) else { return false };
        let next = files.pending.pop();
        let (with, others): (Vec<_>, _) =
            std::mem::take(&mut files.pending).into_iter().partition(|file| is_with(&file.address));
        files.pending = others;
        for file in with.into_iter().chain(next) {
            count(&mut self.report.failed, code, &shown(file.address.as_str()));
            files.failed.push(file.out_of_order());
        }
        self.advance_after(Some(code));
        true
    }

    /// Takes what is left for gaps, where the next walk is due: that asks for all of it again, and for all that came since. `false`:
    /// it is a page, of which the next walk could ask for no more than this one.
    ///
    /// Has no effect but after [`Step::Pause`].
    pub fn give_up(&mut self) -> bool {
        let (State::Pause { .. }, Trail::Files(files)) = (&self.state, &mut self.trail) else { return false };
        files.failed.clear();
        for tally in std::mem::take(&mut self.report.failed) {
            let examples = tally.examples.iter().map(String::as_str).chain(std::iter::repeat(""));
            for (_, example) in (0..tally.count).zip(examples) {
                count(&mut self.report.gaps, &tally.code, example);
            }
        }
        self.advance();
        true
    }

    /// Counts something of a batch that the caller does not take, for the report. `example` is shown as it is.
    pub fn refuse(&mut self, code: &str, example: &str) {
        count(&mut self.report.refused, code, example);
    }

    /// Notes that something which leads to the list could not be read, such as one of several robots.txt: the walk
    /// does not count as complete then.
    pub fn missed(&mut self, code: &str, example: &str) {
        count(&mut self.report.gaps, code, example);
    }

    /// A file that is named inside the list, if its address is one that is ever requested.
    fn listed(
        &mut self,
        address: &str,
        base: Option<&HttpsUrl>,
        keep: &NecessaryParameters,
    ) -> Option<Listed> {
        let canonical = match canonicalise(address, base, keep) {
            Ok(canonical) => canonical,
            Err(refusal) => {
                count(&mut self.report.refused, refusal.code(), &shown(address));
                return None;
            }
        };
        let removed = canonical.removed.into_iter().find_map(|part| match part {
            Removed::Parameter { name, .. } => Some(name),
            _ => None,
        });
        Some(Listed { address: canonical.url.into_https(), lastmod: None, removed })
    }

    /// Adds files that are to be read next, in their order.
    fn add_files(&mut self, listed: Vec<Listed>, depth: u8) {
        let Trail::Files(trail) = &mut self.trail else { return };
        let mut files = Vec::with_capacity(listed.len());
        let mut bytes: usize = trail.pending.iter().map(|file| file.address.as_str().len()).sum();
        for Listed { address, lastmod, removed } in listed {
            bytes += address.as_str().len();
            let is_full =
                trail.pending.len() + files.len() == FILES_MAX || trail.seen.len() >= FILES_SEEN_MAX;
            if is_full || bytes > FILES_BYTES_MAX {
                count(&mut self.report.gaps, "list-too-long", &shown(address.as_str()));
                break;
            }
            let is_new = trail.seen.insert(Fingerprint::of_file(&address));
            if let Some(parameter) = removed {
                // Two files that differ in this parameter alone are one without it, and one of them is not read.
                let tallies = if is_new { &mut self.report.refused } else { &mut self.report.gaps };
                count(tallies, report::PARAMETER_UNDECLARED, &shown(&parameter));
            }
            if is_new {
                files.push((address, lastmod));
            }
        }
        if files.len() < 2 {
            // One file has no order, and its date nothing to be compared with.
            let pending = |(address, _)| Pending { address, marks: Marks { depth, ..Marks::default() } };
            trail.pending.extend(files.into_iter().map(pending));
            return;
        }
        let (in_order, order) = in_order(files, depth);
        trail.pending.extend(in_order.into_iter().rev());
        self.report.order(order);
    }

    fn file_answered(&mut self, mut file: Pending, answer: Answer<'_>) {
        let example = shown(file.address.as_str());
        match answer {
            Answer::Page(page) => self.file_read(file, page),
            Answer::Status(404 | 410) => self.file_unread(&file, &code_of(answer)),
            Answer::Barred { code } => self.file_unread(&file, code),
            Answer::Status(_) | Answer::Failed { .. } => {
                let code = code_of(answer);
                file.marks.attempts = file.marks.attempts.saturating_add(1);
                match &mut self.trail {
                    Trail::Files(files) if file.marks.attempts < ATTEMPTS_MAX => {
                        files.failed.push(file.out_of_order());
                        count(&mut self.report.failed, &code, &example);
                    }
                    _ => count(&mut self.report.gaps, &code, &example),
                }
                self.advance_after(Some(&code));
            }
        }
    }

    /// Notes a file that is not there or may not be read. The walk can be complete without it, but no later one
    /// passes over it.
    fn file_unread(&mut self, file: &Pending, code: &str) {
        let example = shown(file.address.as_str());
        count(&mut self.report.refused, code, &example);
        if let Trail::Files(files) = &mut self.trail {
            if files.unread.len() < UNREAD_MAX {
                files.unread.push(file.fingerprint());
            } else {
                count(&mut self.report.gaps, code, &example);
            }
        }
        self.advance();
    }

    fn file_read(&mut self, file: Pending, page: Page<'_>) {
        let example = shown(file.address.as_str());
        if let Trail::Files(files) = &mut self.trail
            && *page.address != file.address
            && !files.seen.insert(Fingerprint::of_file(page.address))
        {
            // A redirect led to a file that is read under its own address.
            count(&mut self.report.refused, "file-met-before", &example);
            return self.advance();
        }
        let opened = match File::open(page.body, page.content_type, page.address.as_str()) {
            Ok(opened) => opened,
            Err(error) => {
                count(&mut self.report.gaps, error.code(), &example);
                return self.advance();
            }
        };
        self.report.files += 1;
        if opened.kind() == Kind::Index {
            self.index_read(&file, page.address, &opened);
            self.advance();
        } else {
            self.hand_out(file, page.address.clone(), opened, 0);
        }
    }

    fn index_read(&mut self, index: &Pending, base: &HttpsUrl, opened: &File<'_>) {
        let example = shown(index.address.as_str());
        let depth = index.marks.depth.saturating_add(1);
        if depth > DEPTH_MAX {
            count(&mut self.report.gaps, "index-too-deep", &example);
            return;
        }
        let keep =
            self.backlog.necessary_parameters.clone().with_names_of(&index.address).with_names_of(base);
        let mut files = Vec::new();
        let mut bytes = 0;
        let mut entries = opened.entries();
        for entry in entries.by_ref() {
            if files.len() == INDEX_FILES_MAX || bytes > FILES_BYTES_MAX {
                count(&mut self.report.gaps, "index-too-long", &example);
                break;
            }
            match entry {
                Ok(entry) => {
                    let listed = self.listed(&entry.address, Some(base), &keep);
                    bytes += listed.as_ref().map_or(0, |listed| listed.address.as_str().len());
                    // A date of the future says nothing of what is in the file.
                    let soon = self.began.checked_add(DAY).unwrap_or(Timestamp::MAX);
                    let lastmod = entry.modified.filter(|lastmod| *lastmod < soon);
                    files.extend(listed.map(|listed| Listed { lastmod, ..listed }));
                }
                // What has no address names no file.
                Err(EntryFlaw::NoAddress) => {
                    count(&mut self.report.refused, EntryFlaw::NoAddress.code(), &example);
                }
                Err(flaw) => count(&mut self.report.gaps, flaw.code(), &example),
            }
        }
        if let Some(broken) = entries.broken() {
            count(&mut self.report.gaps, broken.code(), &example);
        }
        self.add_files(files, depth);
    }

    fn hand_out_rest(&mut self, file: Pending, base: HttpsUrl, rest: Option<(File<'static>, usize)>) {
        match rest {
            Some((opened, at)) => self.hand_out(file, base, opened, at),
            None => self.advance(),
        }
    }

    /// Hands out what stands in a file from its `skip`-th entry on.
    fn hand_out(&mut self, file: Pending, base: HttpsUrl, opened: File<'_>, skip: usize) {
        let example = shown(file.address.as_str());
        let read = Run::read(&opened, &base, skip, self.floor);
        for (code, example) in &read.left_out {
            count(&mut self.report.refused, code, example);
        }
        if let Some((code, _)) = read.broken {
            count(&mut self.report.gaps, code, &example);
        }
        self.report.before_floor += u64::try_from(read.run.before_floor()).unwrap_or_default();
        self.check_dates(&file, &read.run);
        let rest = read.has_more.then(|| (opened.into_owned(), read.looked_at));
        if read.run.len() == 0 {
            return self.hand_out_rest(file, base, rest);
        }
        self.state = State::Batch(Batches::File { file, base, run: read.run, at: 0, rest });
    }

    /// Holds what a file contains against what was said of it.
    fn check_dates(&mut self, file: &Pending, run: &Run) {
        let Trail::Files(files) = &mut self.trail else { return };
        if let (Some(lastmod), Some(newest)) = (file.marks.lastmod, run.newest_change())
            && newest > lastmod
            && newest.duration_since(lastmod).unsigned_abs() > DAY
        {
            files.are_lastmods_wrong = true;
        }
        if let (Some(series), Some(newest)) = (file.marks.series, run.newest()) {
            files.series.entry(series).or_default().newest.take(newest);
        }
    }

    /// Takes note that a batch of a file was known as a whole and lies beyond the window.
    fn file_known(&mut self, file: &Pending) {
        let Trail::Files(files) = &mut self.trail else { return };
        files.is_known = true;
        if let Some(series) = file.marks.series {
            files.series.entry(series).or_default().is_known = true;
        }
    }

    /// Goes on to the next file, a pause or the end.
    fn advance(&mut self) {
        self.advance_after(None);
    }

    fn advance_after(&mut self, failure: Option<&str>) {
        self.state = State::Request;
        if self.report.requests >= REQUESTS_MAX {
            return self.end(End::Broken { code: report::REQUESTS_MAX.to_owned() });
        }
        let Trail::Files(files) = &mut self.trail else { return };
        while let Some(file) = files.pending.last() {
            let are_wrong = files.are_lastmods_wrong || self.history.are_lastmods_wrong();
            let lastmod = file.marks.lastmod.filter(|_| !are_wrong);
            let was_unread = self.history.was_unread(file.fingerprint());
            let series = file.marks.series.and_then(|series| files.series.get(&series));
            let is_beyond = lastmod.or(file.marks.named).is_some_and(|end| end < self.window);
            let is_lower = series.is_some_and(|series| series.is_known && series.newest.holds());
            let is_known = (files.is_known && is_beyond) || is_lower;
            if is_known && !was_unread {
                self.report.files_known += 1;
            } else if lastmod.zip(self.floor).is_some_and(|(lastmod, floor)| lastmod < floor) {
                self.report.files_before_floor += 1;
            } else {
                return;
            }
            files.pending.pop();
        }
        if !files.failed.is_empty() {
            let code = failure.unwrap_or("failed-before").to_owned();
            self.state = State::Pause { code };
        } else if self.report.files == 0 {
            self.end(End::Broken { code: report::NOTHING_READ.to_owned() });
        } else if files.is_known {
            self.end(End::Known);
        } else if self.report.before_floor > 0 || self.report.files_before_floor > 0 {
            self.end(End::Floor);
        } else {
            self.end(End::ListEnd);
        }
    }

    fn page_answered(&mut self, answer: Answer<'_>) {
        let Entrance::List { pages, shape } = &self.backlog.entrance else { return };
        let Trail::Pages(at) = &mut self.trail else { return };
        let past_the_end = match pages {
            Pagination::Numbered { past_the_end, .. } if !at.is_first(pages) => *past_the_end,
            _ => None,
        };
        let page = match answer {
            Answer::Page(page) => page,
            Answer::Status(status) if past_the_end == Some(status) => {
                let then = at.past_the_end(pages);
                return self.turn_to(then);
            }
            Answer::Barred { code } => return self.end(End::Broken { code: code.to_owned() }),
            Answer::Status(_) | Answer::Failed { .. } => return self.page_failed(code_of(answer)),
        };
        let next = match pages {
            Pagination::Next { at, .. } | Pagination::Cursor { at, .. } => Some(at),
            _ => None,
        };
        let feed = match read_list_page(page.body, page.address.as_str(), shape, next) {
            Ok(feed) => feed,
            Err(error) => return self.page_failed(error.code().to_owned()),
        };
        for notice in &feed.notices {
            let (code, is_gap) = notice_code(notice);
            if let Some(code) = code {
                let tallies = if is_gap { &mut self.report.gaps } else { &mut self.report.refused };
                count(tallies, code, "");
            }
        }
        let number = |text: Option<&str>| text.and_then(|text| text.trim().parse().ok());
        let around = Around {
            address: page.address,
            links: page.links,
            total: number(page.total),
            total_pages: number(page.total_pages),
        };
        let Turned { mut fresh, order, then } =
            at.turn(pages, feed, &around, &self.backlog.necessary_parameters);
        self.report.files += 1;

        // What the dates of the page say, by that date by which the list goes down.
        let all_before = |limit: Option<Timestamp>| {
            let is_before = |announcement: &Announcement| {
                order.and_then(|date| date(announcement)).zip(limit).is_some_and(|(date, limit)| date < limit)
            };
            !fresh.is_empty() && fresh.iter().all(is_before)
        };
        let is_before_floor = all_before(self.floor);
        let is_beyond_window = all_before(Some(self.window));
        if order.is_some() {
            self.report.order(Order { by: OrderBy::NewestFirst, lastmods: Lastmods::Absent });
        }
        let floor = self.floor;
        let is_wanted = |announcement: &Announcement| {
            date_of(announcement).zip(floor).is_none_or(|(date, floor)| date >= floor)
        };
        let found = fresh.len();
        fresh.retain(is_wanted);
        self.report.before_floor += u64::try_from(found - fresh.len()).unwrap_or_default();

        if is_before_floor && fresh.is_empty() {
            self.end(End::Floor);
        } else if fresh.is_empty() {
            self.turn_to(then);
        } else {
            let address = page.address.clone();
            self.state =
                State::Batch(Batches::Page { address, announcements: fresh, then, is_beyond_window });
        }
    }

    fn page_failed(&mut self, code: String) {
        let Trail::Pages(at) = &mut self.trail else { return };
        at.attempts = at.attempts.saturating_add(1);
        if at.attempts < ATTEMPTS_MAX {
            count(&mut self.report.failed, &code, "");
            self.state = State::Pause { code };
        } else {
            self.end(End::Broken { code });
        }
    }

    fn turn_to(&mut self, then: Then) {
        match then {
            Then::Page(pages) => {
                self.trail = Trail::Pages(*pages);
                self.advance();
            }
            Then::ListEnd => self.list_end(),
            Then::Broken(code) => self.end(End::Broken { code }),
        }
    }

    fn list_end(&mut self) {
        self.end(if self.report.before_floor > 0 { End::Floor } else { End::ListEnd });
    }

    fn end(&mut self, end: End) {
        self.report.end = Some(end.clone());
        self.state = State::Ended(end);
    }
}

impl Batches {
    fn batch(&self) -> Batch {
        match self {
            Self::File { base, run, at, .. } => Batch {
                found_in: base.clone(),
                announcements: run.announcements(*at, run.len().min(at + BATCH_ENTRIES_MAX), base),
            },
            Self::Page { address, announcements, .. } => {
                Batch { found_in: address.clone(), announcements: announcements.clone() }
            }
        }
    }
}

/// A stable word for an answer that is none.
fn code_of(answer: Answer<'_>) -> String {
    match answer {
        Answer::Status(status @ (401 | 403 | 404 | 410 | 429)) => format!("status-{status}"),
        Answer::Status(400..500) => "status-4xx".to_owned(),
        Answer::Status(500..600) => "status-5xx".to_owned(),
        Answer::Status(_) | Answer::Page(_) => "status-not-200".to_owned(),
        Answer::Barred { code } | Answer::Failed { code } => code.to_owned(),
    }
}

/// What a notice of a page comes to: a stable word, if something is left out, and whether the walk is not
/// complete with it.
fn notice_code(notice: &releve_feed::Notice) -> (Option<&'static str>, bool) {
    use releve_feed::NoticeKind as Kind;
    match (notice.item, notice.kind) {
        (_, Kind::TooManyItems) => (Some("list-too-long"), true),
        (None, Kind::WrongType | Kind::FieldTooLong | Kind::Undecodable) => {
            (Some("list-next-unreadable"), true)
        }
        (Some(_), Kind::FieldTooLong) => (Some("address-too-long"), false),
        (Some(_), Kind::FieldOfWrongType | Kind::Undecodable | Kind::NotAnItem) => {
            (Some("item-left-out"), false)
        }
        _ => (None, false),
    }
}
