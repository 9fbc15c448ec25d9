//! Every key that a configuration may have, once: the parser takes no other, and the schema is made of the
//! same tables.

/// A table of the configuration.
pub(crate) struct Table {
    /// Its path in the file, for messages; empty for the file itself.
    pub(crate) name: &'static str,
    pub(crate) keys: &'static [Key],
}

/// A key of a table.
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    /// Whether the table is wrong without it, whatever else it says.
    pub(crate) required: bool,
    pub(crate) doc: &'static str,
}

/// What may stand after a key.
pub(crate) enum Kind {
    Text,
    Word(&'static [&'static str]),
    Truth,
    Whole {
        min: u32,
        max: u32,
    },
    Texts,
    /// A length of time, such as `15m`.
    Length,
    /// A number of bytes, such as `8 MiB`.
    Size,
    Date,
    Table(&'static Table),
    Either(&'static [Kind]),
    /// Two identifier rules.
    RulePair,
}

impl Table {
    pub(crate) fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| key.name == name)
    }
}

const fn key(name: &'static str, kind: Kind, doc: &'static str) -> Key {
    Key { name, kind, required: false, doc }
}

const fn required(name: &'static str, kind: Kind, doc: &'static str) -> Key {
    Key { name, kind, required: true, doc }
}

pub(crate) static CONNECTOR: Table = Table {
    name: "",
    keys: &[
        required(
            "user_agent",
            Kind::Text,
            "The User-Agent of every request: a name, a version and a contact, as in \"Name/1 (+https://example.org; contact@example.org)\".",
        ),
        key("sources", Kind::Text, "The folder with one file for each source. Default: \"sources\"."),
        key(
            "ledger",
            Kind::Text,
            "The file that keeps what is known, the pace and the locks. Default: \"ledger.sqlite\".",
        ),
        key(
            "vault",
            Kind::Text,
            "The vault: a folder, or the https address of a vault on the network. Default: \"vault\".",
        ),
        key(
            "vault_key",
            Kind::Table(&VAULT_KEY),
            "Where the connector key for a vault on the network is read from.",
        ),
        key(
            "vault_ca",
            Kind::Text,
            "A PEM file with the certificate authority of a vault on the network that has its own.",
        ),
        key(
            "deposit_within",
            Kind::Length,
            "How long after the read a deposit is still taken, up to 30d. Default: \"7d\".",
        ),
        key(
            "give_up_after",
            Kind::Length,
            "How long an article that cannot be read is tried. Default: \"30d\".",
        ),
        key("bounds", Kind::Table(&BOUNDS), "The bounds of each request, where a source says nothing else."),
    ],
};

pub(crate) static VAULT_KEY: Table = Table {
    name: "vault_key",
    keys: &[
        key("from_env", Kind::Text, "The environment variable that holds it."),
        key("from_file", Kind::Text, "The file that holds it."),
    ],
};

pub(crate) static BOUNDS: Table = Table {
    name: "bounds",
    keys: &[
        key("connect", Kind::Length, "Dialling and TLS handshake. Default 10s, at most 60s."),
        key(
            "head",
            Kind::Length,
            "From the request to the end of the response's head. Default 30s, at most 120s.",
        ),
        key("between_bytes", Kind::Length, "Silence in the middle of a response. Default 10s, at most 60s."),
        key("whole", Kind::Length, "All of it. Default 60s, at most 600s."),
        key("head_bytes", Kind::Size, "The response's head. Default 64 KiB, at most 256 KiB."),
        key("header_count", Kind::Whole { min: 1, max: 200 }, "Fields in the head. Default 100."),
        key(
            "interim_responses",
            Kind::Whole { min: 1, max: 100 },
            "Answers 1xx before the real one. Default 10.",
        ),
        key("received_bytes", Kind::Size, "The body as it comes. Default 8 MiB, at most 64 MiB."),
        key(
            "decoded_bytes",
            Kind::Size,
            "The body once a content coding is undone. Default 16 MiB, at most 64 MiB.",
        ),
        key(
            "frames",
            Kind::Whole { min: 1, max: 1_048_576 },
            "Pieces in which the body arrives. Default 65536.",
        ),
    ],
};

pub(crate) static SOURCE: Table = Table {
    name: "",
    keys: &[
        required("name", Kind::Text, "The source's name: small letters, digits, `-`, `_` and `.`."),
        key("active", Kind::Truth, "false: nothing at all is requested for this source. Default: true."),
        required(
            "hosts",
            Kind::Texts,
            "The hosts that the publisher admitted, and no others; `*.example.org` is one label, a port is written where it is not 443.",
        ),
        key(
            "necessary_parameters",
            Kind::Texts,
            "The query parameters without which an article's address means another page. All others are removed.",
        ),
        key(
            "article_path",
            Kind::Text,
            "A regular expression that the path of an article's address matches, with its query. What else is announced or listed is passed over.",
        ),
        key(
            "preset",
            Kind::Word(&["wordpress"]),
            "A system whose interface is known: trigger, backlog, article and identifier need not be described.",
        ),
        key(
            "site",
            Kind::Text,
            "With a preset: the address the system is installed at. Default: the one host, at its top.",
        ),
        key("trigger", Kind::Table(&TRIGGER), "What announces articles."),
        key("article", Kind::Table(&ARTICLE), "How an article is read."),
        key(
            "identifier",
            Kind::Either(&[Kind::Word(&["address"]), Kind::Table(&IDENTIFIER)]),
            "Where the identifier stands that the publisher's system gives an article; or \"address\", for a system that has no stable one.",
        ),
        key("backlog", Kind::Table(&BACKLOG), "The list on which older articles are found."),
        key("pace", Kind::Table(&PACE), "A gentler pace than the promised one."),
        key("bounds", Kind::Table(&BOUNDS), "The bounds of each request to this source."),
        key(
            "embargo",
            Kind::Table(&EMBARGO),
            "Switches the embargo rule on: an article is read only after the instant that this field says.",
        ),
    ],
};

pub(crate) static TRIGGER: Table = Table {
    name: "trigger",
    keys: &[
        key("feed", Kind::Text, "The address of an RSS, Atom or JSON feed."),
        key("list", Kind::Text, "The address of a JSON list that needs no secret."),
        key(
            "items",
            Kind::Text,
            "In a list: where the array of items stands (JSON Pointer; \"\" is the whole response).",
        ),
        key("address", Kind::Text, "In an item: where its address stands."),
        key(
            "published",
            Kind::Either(&[Kind::Text, Kind::Table(&DATE)]),
            "In an item: where its date of publication stands.",
        ),
        key(
            "modified",
            Kind::Either(&[Kind::Text, Kind::Table(&DATE)]),
            "In an item: where its date of modification stands.",
        ),
    ],
};

pub(crate) static DATE: Table = Table {
    name: "published",
    keys: &[
        required("at", Kind::Text, "Where the date stands (JSON Pointer)."),
        key(
            "zone",
            Kind::Word(&["UTC"]),
            "The zone of dates that are written without one, where the publisher documents it.",
        ),
    ],
};

pub(crate) static ARTICLE: Table = Table {
    name: "article",
    keys: &[
        key(
            "by",
            Kind::Word(&["page", "public-api", "cms-api"]),
            "The way an article is read: its page, an API without a secret, or an API with a credential.",
        ),
        key("address", Kind::Text, "For an API: the article's address with {id} where the identifier goes."),
        key(
            "access",
            Kind::Table(&ACCESS),
            "For cms-api: the header that carries the credential, and where that is read from.",
        ),
        key(
            "agreement",
            Kind::Text,
            "For cms-api: the reference of what the publisher and you agreed beyond the public rules.",
        ),
        key(
            "fields",
            Kind::Table(&FIELDS),
            "Where the body and the fields of the descriptor stand: CSS selectors on a page, JSON Pointers in a response.",
        ),
    ],
};

pub(crate) static ACCESS: Table = Table {
    name: "article.access",
    keys: &[
        required("header", Kind::Text, "The header's name."),
        key("prefix", Kind::Text, "What stands before the credential, such as \"Bearer \"."),
        key("from_env", Kind::Text, "The environment variable that holds the credential."),
        key("from_file", Kind::Text, "The file that holds the credential."),
        key(
            "also_for",
            Kind::Texts,
            "\"trigger\", \"backlog\": what else the credential is sent for, at the same host and under the agreement.",
        ),
    ],
};

const FIELD: Kind = Kind::Either(&[Kind::Text, Kind::Table(&FIELD_TABLE)]);

pub(crate) static FIELDS: Table = Table {
    name: "article.fields",
    keys: &[
        key(
            "body",
            FIELD,
            "The body. In JSON with its format: html, markdown, plain, gutenberg, portable-text, editor-js, strapi-blocks, slate, lexical.",
        ),
        key("drop", Kind::Text, "On a page: what of the body is no part of it."),
        key("headline", FIELD, "The headline."),
        key("standfirst", FIELD, "The standfirst."),
        key("authors", FIELD, "The authors' names."),
        key("published", FIELD, "The date of publication."),
        key("modified", FIELD, "The date of modification."),
        key("category", FIELD, "The category."),
        key("tags", FIELD, "The tags."),
        key("canonical", FIELD, "The canonical address."),
        key("language", FIELD, "The language."),
        key("original", FIELD, "The original of which the article is a translation."),
    ],
};

pub(crate) static FIELD_TABLE: Table = Table {
    name: "article.fields",
    keys: &[
        required("at", Kind::Text, "Where it stands (JSON Pointer)."),
        key(
            "each",
            Kind::Text,
            "Where, in each element of the array at that place, the value stands; \"\" is the element itself.",
        ),
        key(
            "format",
            Kind::Text,
            "How it is written: for the body one of its formats, for other fields plain or html. Default for other fields: plain.",
        ),
    ],
};

const RULE: Kind = Kind::Either(&[Kind::Text, Kind::Table(&RULE_TABLE)]);

pub(crate) static IDENTIFIER: Table = Table {
    name: "identifier",
    keys: &[
        key(
            "trigger",
            RULE,
            "In the trigger: guid, id or link of a feed, a JSON Pointer into an item of a list; \"absent\" where it has none.",
        ),
        key(
            "backlog",
            RULE,
            "On the list: link of a sitemap, a JSON Pointer into an item; \"absent\" where it has none.",
        ),
        key(
            "article",
            RULE,
            "In the article: a meta name, a CSS selector with attribute, a JSON Pointer, address; \"absent\" where it has none.",
        ),
    ],
};

pub(crate) static RULE_TABLE: Table = Table {
    name: "identifier",
    keys: &[
        key("at", Kind::Text, "The place."),
        key("pattern", Kind::Text, "A regular expression with one capturing group around the identifier."),
        key("last_segment", Kind::Truth, "true: the last segment of the path that stands there."),
        key("join", Kind::RulePair, "Two rules whose readings are joined."),
        key("separator", Kind::Text, "What stands between the two. Default: nothing."),
    ],
};

pub(crate) static BACKLOG: Table = Table {
    name: "backlog",
    keys: &[
        key(
            "sitemap",
            Kind::Either(&[Kind::Text, Kind::Texts]),
            "\"robots\" for the sitemaps that robots.txt names, or the addresses of sitemaps.",
        ),
        key(
            "list",
            Kind::Text,
            "The address of a JSON list, with {page} or {offset} where its pages are numbered.",
        ),
        key(
            "items",
            Kind::Text,
            "In a list: where the array of items stands (JSON Pointer; \"\" is the whole response).",
        ),
        key("address", Kind::Text, "In an item: where its address stands."),
        key(
            "published",
            Kind::Either(&[Kind::Text, Kind::Table(&DATE)]),
            "In an item: where its date of publication stands.",
        ),
        key(
            "modified",
            Kind::Either(&[Kind::Text, Kind::Table(&DATE)]),
            "In an item: where its date of modification stands.",
        ),
        key("first_page", Kind::Whole { min: 0, max: 1 }, "The number of the first page. Default: 1."),
        key("page_size", Kind::Whole { min: 1, max: 10_000 }, "With {offset}: how many items a page has."),
        key("next", Kind::Text, "Where a page gives the address of the next one (JSON Pointer)."),
        key("cursor", Kind::Text, "Where a page gives the cursor of the next one (JSON Pointer)."),
        key("cursor_parameter", Kind::Text, "The query parameter that takes the cursor."),
        key("link_header", Kind::Truth, "true: the next page stands in the Link header (RFC 8288)."),
        key(
            "past_the_end",
            Kind::Whole { min: 400, max: 499 },
            "The status with which the page after the last one is answered, where it is not an empty page.",
        ),
        key("floor", Kind::Date, "The date before which no article is looked for."),
        key(
            "necessary_parameters",
            Kind::Texts,
            "Parameters that addresses of further pages and sitemaps keep, besides those of the list's own address.",
        ),
    ],
};

pub(crate) static PACE: Table = Table {
    name: "pace",
    keys: &[
        key(
            "trigger",
            Kind::Length,
            "From one read of the trigger to the next. At least, and by default, 15m.",
        ),
        key(
            "backlog",
            Kind::Length,
            "From one walk of the backlog to the next. At least, and by default, 24h.",
        ),
        key("host", Kind::Length, "From one request to the next at a host. At least, and by default, 1s."),
    ],
};

pub(crate) static EMBARGO: Table = Table {
    name: "embargo",
    keys: &[required(
        "field",
        Kind::Text,
        "The field that holds the instant: an element of a feed's entry by its name as written, or a JSON Pointer into an item of a list.",
    )],
};

/// All tables, for whoever looks for a key that stands in the wrong one.
pub(crate) static SOURCE_TABLES: &[&Table] =
    &[&SOURCE, &TRIGGER, &ARTICLE, &ACCESS, &FIELDS, &IDENTIFIER, &BACKLOG, &PACE, &BOUNDS, &EMBARGO];
pub(crate) static CONNECTOR_TABLES: &[&Table] = &[&CONNECTOR, &VAULT_KEY, &BOUNDS];
