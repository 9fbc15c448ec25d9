use std::fmt;

use serde::{Deserialize, Serialize};

/// How many examples are kept of what was refused for one reason. More tell nobody more.
pub const EXAMPLES_MAX: usize = 3;

/// How many reasons are told apart. There are far fewer.
const TALLIES_MAX: usize = 100;

/// What more reasons than these are counted under.
const OTHERS: &str = "others";

/// What a walk has come to so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Report {
    /// How many requests were answered, be it with an error.
    pub requests: u64,
    /// How many files or pages of the list were read.
    pub files: u64,
    /// How many entries were handed out.
    pub entries: u64,
    /// How many entries are dated before the floor, and were passed over.
    pub before_floor: u64,
    /// How many files were not asked for, because what is in them is dated before the floor.
    pub files_before_floor: u64,
    /// How many files were not asked for, because what is in them is known.
    pub files_known: u64,
    /// In which orders files were read, and why.
    pub orders: Vec<Order>,
    /// What is not read because it may not be, or is not there, by reason.
    pub refused: Vec<Tally>,
    /// What should have been read and was not, by reason. With any of these the walk does not count as
    /// complete.
    pub gaps: Vec<Tally>,
    /// What has failed and is asked for again by a later pass, by reason.
    #[serde(default)]
    pub failed: Vec<Tally>,
    /// How the walk ended.
    pub end: Option<End>,
}

impl Report {
    /// Whether the walk has ended and everything that it was about was read.
    pub fn is_complete(&self) -> bool {
        self.gaps.is_empty() && self.end.as_ref().is_some_and(|end| !matches!(end, End::Broken { .. }))
    }

    pub(crate) fn order(&mut self, order: Order) {
        if !self.orders.contains(&order) {
            self.orders.push(order);
        }
    }
}

/// How often something was met, with a few examples.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Tally {
    /// A stable word for the reason.
    pub code: String,
    /// How often.
    pub count: u64,
    /// The first [`EXAMPLES_MAX`].
    pub examples: Vec<String>,
}

/// Counts one more for a reason.
pub(crate) fn count(tallies: &mut Vec<Tally>, code: &str, example: &str) {
    let is_known = tallies.iter().any(|tally| tally.code == code);
    let code = if is_known || tallies.len() < TALLIES_MAX { code } else { OTHERS };
    if !tallies.iter().any(|tally| tally.code == code) {
        tallies.push(Tally { code: code.to_owned(), count: 0, examples: Vec::new() });
    }
    if let Some(tally) = tallies.iter_mut().find(|tally| tally.code == code) {
        tally.count = tally.count.saturating_add(1);
        if tally.examples.len() < EXAMPLES_MAX && !example.is_empty() {
            tally.examples.push(example.to_owned());
        }
    }
}

/// What a report may show of an address: host and path. Whatever else a list puts into one may be text, and is
/// not repeated.
pub(crate) fn shown(address: &str) -> String {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let shown = rest.split(['?', '#']).next().unwrap_or_default();
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"@<>\"'\\".contains(&byte);
    if shown.len() <= 200 && shown.bytes().all(is_plain) { shown.to_owned() } else { String::new() }
}

/// In which order the files of an index were read, and why not in a better one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Order {
    /// What told it.
    pub by: OrderBy,
    /// What became of the dates of the index.
    pub lastmods: Lastmods,
}

/// What tells the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum OrderBy {
    /// The index's dates.
    Lastmod,
    /// Dates in the names.
    NameDates,
    /// Numbers in the names, the highest first.
    NameNumbers,
    /// The list itself.
    AsGiven,
    /// The pages of the list, which go from the newest to the oldest by their dates.
    NewestFirst,
}

/// Whether the dates of an index can be believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Lastmods {
    /// They are.
    Believed,
    /// There are none.
    Absent,
    /// All are of one day, so that they tell when the index was made.
    WithinADay,
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.by {
            OrderBy::Lastmod => return f.write_str("newest first, by the index's dates"),
            OrderBy::NewestFirst => {
                return f.write_str("as given, which is newest first by the items' dates");
            }
            OrderBy::NameDates => "newest first, by the dates in the names",
            OrderBy::NameNumbers => "the highest first, by the numbers in the names",
            OrderBy::AsGiven => "as given",
        })?;
        f.write_str(match self.lastmods {
            Lastmods::Believed => "",
            Lastmods::Absent => ", since there are no dates of the files",
            Lastmods::WithinADay => ", since the dates of the files are all of one day",
        })
    }
}

/// How a walk ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum End {
    /// At the list's end.
    ListEnd,
    /// At the floor date.
    Floor,
    /// Where everything was known and lies beyond what is always walked again.
    Known,
    /// It cannot be walked on. The next walk begins anew.
    Broken {
        /// A stable word.
        code: String,
    },
}

impl End {
    /// A stable word for records.
    pub fn code(&self) -> &str {
        match self {
            Self::ListEnd => "list-end",
            Self::Floor => "floor",
            Self::Known => "known",
            Self::Broken { code } => code,
        }
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ListEnd => "the walk reached the list's end",
            Self::Floor => "the walk reached the floor date",
            Self::Known => "the walk reached what earlier walks had found",
            Self::Broken { code } => match code.as_str() {
                LIST_REPEATS => "the list gives the same items again and again: look at how its pages follow",
                LIST_CYCLE => "a page of the list leads back to one before it",
                LIST_UNSTEADY => "the list shifts faster than it can be walked",
                REQUESTS_MAX => "the list has more files than one walk may ask for",
                NO_SITEMAP_NAMED => {
                    "robots.txt names no sitemap that may be asked for: name it in [backlog]"
                },
                NOTHING_READ => "no file of the list could be read",
                PARAMETER_UNDECLARED => {
                    "the list's next address has a parameter that is not declared in necessary_parameters of [backlog]"
                }
                code => return write!(f, "the list could not be read: {code}"),
            },
        })
    }
}

pub(crate) const LIST_REPEATS: &str = "list-repeats";
pub(crate) const LIST_CYCLE: &str = "list-cycle";
pub(crate) const LIST_UNSTEADY: &str = "list-unsteady";
pub(crate) const REQUESTS_MAX: &str = "list-requests-max";
pub(crate) const NO_SITEMAP_NAMED: &str = "no-sitemap-named";
pub(crate) const NOTHING_READ: &str = "list-nothing-read";
pub(crate) const PARAMETER_UNDECLARED: &str = "parameter-undeclared";
