use std::fmt;

use jiff::civil::Date;
use releve_feed::{ListShape, Pointer};
use releve_url_canon::{HttpsUrl, NecessaryParameters};

/// The list on which a source's older articles are found (R8).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backlog {
    /// Where the walk begins.
    pub entrance: Entrance,
    /// The date before which no article is looked for, which begins at midnight UTC; without one the walk goes
    /// to the list's end.
    pub floor: Option<Date>,
    /// Parameters that addresses met inside the list keep, besides those of the address they were met at.
    pub necessary_parameters: NecessaryParameters,
}

/// Where the walk of a backlog begins.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[expect(clippy::large_enum_variant, reason = "there is one for each source")]
pub enum Entrance {
    /// The sitemaps that the robots.txt of the source's hosts name.
    Robots,
    /// These sitemaps.
    Sitemaps(Vec<HttpsUrl>),
    /// A JSON list.
    List {
        /// Its pages.
        pages: Pagination,
        /// Where things stand in it, among them what the identifier is read from.
        shape: ListShape,
    },
}

/// How the pages of a list follow each other.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pagination {
    /// Each page has a number, or an offset, in its address.
    Numbered {
        /// The address, with the number still to be put in.
        address: NumberedAddress,
        /// What the number counts.
        numbering: Numbering,
        /// The status with which a page after the last is answered; without one an empty page ends the
        /// list.
        past_the_end: Option<u16>,
    },
    /// Each page says the address of the next one.
    Next {
        /// The first page.
        first: HttpsUrl,
        /// Where the address of the next page stands.
        at: Pointer,
    },
    /// Each page says a cursor for the next one.
    Cursor {
        /// The first page.
        first: HttpsUrl,
        /// Where the cursor stands.
        at: Pointer,
        /// The query parameter that takes it, added to the first page's address.
        parameter: String,
    },
    /// Each page says the address of the next one in its `Link` header (RFC 8288).
    LinkHeader {
        /// The first page.
        first: HttpsUrl,
    },
    /// The list is one page.
    One(HttpsUrl),
}

/// What the number in a page's address counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Numbering {
    /// Pages, from this one on.
    Pages {
        /// The number of the first page: 0 or 1.
        first: u64,
    },
    /// Items, from 0 on. Such a list is walked with an overlap, which shows whether it shifted meanwhile.
    Items {
        /// How many items a page has.
        page_size: u64,
    },
}

impl Pagination {
    /// The address of the first page.
    pub fn first(&self) -> HttpsUrl {
        match self {
            Self::Numbered { address, numbering: Numbering::Pages { first }, .. } => address.page(*first),
            Self::Numbered { address, numbering: Numbering::Items { .. }, .. } => address.page(0),
            Self::Next { first, .. }
            | Self::Cursor { first, .. }
            | Self::LinkHeader { first }
            | Self::One(first) => first.clone(),
        }
    }
}

/// The address of a list with the place of a page's number or offset.
///
/// ```
/// use releve_backlog::NumberedAddress;
///
/// let address = NumberedAddress::new("https://www.example.org/api/articles?page={page}", "{page}")?;
/// assert_eq!(address.page(7).as_str(), "https://www.example.org/api/articles?page=7");
/// # Ok::<(), releve_backlog::NumberedAddressError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberedAddress {
    before: String,
    after: String,
    /// The page of number 0.
    zero: HttpsUrl,
}

impl NumberedAddress {
    /// An address in which `placeholder` stands once, in the path or in the query.
    pub fn new(text: &str, placeholder: &str) -> Result<Self, NumberedAddressError> {
        let with = |number: &str| text.replace(placeholder, number).parse::<HttpsUrl>();
        // Digits come out as they went in, so a long number tells where they stand.
        const PROBE: &str = "18446744073709551615";
        let refused = |why: releve_url_canon::Refusal| NumberedAddressError::Address { why: why.to_string() };
        let probe = with(PROBE).map_err(refused)?;
        let zero = with("0").map_err(refused)?;
        let misplaced = || NumberedAddressError::Misplaced { placeholder: placeholder.to_owned() };
        if !probe.path_and_query().contains(PROBE) {
            return Err(misplaced());
        }
        match probe.as_str().split_once(PROBE) {
            Some((before, after)) if !after.contains(PROBE) => {
                Ok(Self { before: before.to_owned(), after: after.to_owned(), zero })
            }
            _ => Err(NumberedAddressError::NotOnce { placeholder: placeholder.to_owned() }),
        }
    }

    /// The page of this number.
    pub fn page(&self, number: u64) -> HttpsUrl {
        // Both the shortest and the longest number gave an address when this was made.
        format!("{}{number}{}", self.before, self.after).parse().unwrap_or_else(|_| self.zero.clone())
    }
}

/// Why a text is no address with the place of a number.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NumberedAddressError {
    /// With a number put in it is none that would be requested.
    Address {
        /// The reason.
        why: String,
    },
    /// The number would stand in the host, or nowhere.
    Misplaced {
        /// What stands for the number.
        placeholder: String,
    },
    /// The number would stand in it more than once.
    NotOnce {
        /// What stands for the number.
        placeholder: String,
    },
}

impl fmt::Display for NumberedAddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address { why } => f.write_str(why),
            Self::Misplaced { placeholder } => {
                write!(f, "{placeholder} may stand in the path or in the query, nowhere else")
            }
            Self::NotOnce { placeholder } => write!(f, "the address may have {placeholder} once"),
        }
    }
}

impl std::error::Error for NumberedAddressError {}
