//! What is copied of an article's headline, standfirst, authors, dates, topics and relation, on the pages in `fixtures/extract/descriptor`.
#![allow(clippy::unwrap_used, clippy::missing_docs_in_private_items)]

use releve_extract::{
    Article, ElementRule, Envelope, Field, IdentifierRule, NoticeCode, PageRules, Place, RelationKind, Rules,
    Value, extract, look_up,
};
use releve_url_canon::HttpsUrl;

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/extract/descriptor/");

/// Extracts a fixture, and looks every value up again at its place (R12).
fn read(name: &str, path: &str, rules: PageRules) -> Article {
    copied(name, &std::fs::read(format!("{FIXTURES}{name}.html")).unwrap(), path, rules)
}

/// The same of a page whose article has this head, this between headline and text, and this behind it.
fn written_here(head: &str, below_headline: &str, behind: &str, rules: PageRules) -> Article {
    let text =
        "<p>The tower had leaned for a century, first towards the river and then away from it.</p>".repeat(3);
    let page = format!(
        "<!doctype html><title>The tower leans</title>{head}<article><h1>The tower leans</h1>{below_headline}{text}</article>{behind}"
    );
    copied(&page, page.as_bytes(), "/2024/tower", rules)
}

fn copied(name: &str, bytes: &[u8], path: &str, rules: PageRules) -> Article {
    let address: HttpsUrl = format!("https://www.example.org{path}").parse().unwrap();
    let envelope = Envelope { bytes, content_type: "text/html; charset=utf-8", address: &address };
    let rules = Rules::Page(rules);
    let article = extract(&envelope, &rules).unwrap();
    let descriptor = &article.descriptor;
    let chosen = Field::ALL.iter().flat_map(|field| descriptor.values(*field));
    let others = descriptor.others.iter().map(|other| &other.value);
    for value in chosen.chain(others).chain(article.relation.iter().map(|relation| &relation.original)) {
        let written = value.place.to_string();
        let place: Place = written.parse().unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(place, value.place, "{name}: {written}");
        assert_eq!(look_up(&envelope, &rules, &place).as_ref(), Some(&value.text), "{name}: {written}");
    }
    article
}

/// Checks the values of some fields, in the order of the rows: text and place. A field named without values must be absent.
fn check(name: &str, path: &str, expected: &[(Field, &[(&str, &str)])]) {
    let article = read(name, path, PageRules::default());
    for (field, values) in expected {
        let values: Vec<(String, String)> =
            values.iter().map(|(text, place)| ((*text).into(), (*place).into())).collect();
        let found: Vec<_> = article.descriptor.values(*field).iter().map(written).collect();
        assert_eq!(found, values, "{name}: {field}");
    }
}

fn written(value: &Value) -> (String, String) {
    (value.text.clone(), value.place.to_string())
}

use Field::{Authors, Canonical, Category, Headline, Language, Modified, Published, Standfirst, Tags};

#[test]
fn r12_a_date_is_copied_only_where_it_is_this_articles() {
    // Not from an address, a picture's path, a copyright line, a script, a caption, a sentence, a table, another article, today.
    check("dates-of-other-things", "/2019/04/30/harbour-crane", &[(Published, &[]), (Modified, &[])]);
}

#[test]
fn r12_a_date_is_copied_whole_with_the_zone_it_has() {
    check(
        "published-and-modified",
        "/ferry",
        &[
            (Published, &[("2024-03-05T22:15:00-05:00", "meta[property=article:published_time]")]),
            (Modified, &[("2024-03-07T11:40:00+00:00", "meta[property=article:modified_time]")]),
        ],
    );
    check(
        "shown-dates",
        "/lighthouse",
        &[
            (Published, &[("March 5, 2024 at 4:19 p.m. ET", "span")]),
            (Modified, &[("6 March 2024", "header > p > span:nth-of-type(2)")]),
        ],
    );
}

#[test]
fn r12_dates_that_contradict_each_other_are_none() {
    let article = read("contradicting-dates", "/bridge", PageRules::default());
    assert_eq!(article.descriptor.published, None);
    let others: Vec<_> = article.descriptor.others.iter().filter(|other| other.field == Published).collect();
    assert_eq!(others.len(), 2, "both stand beside the field: {others:?}");
}

#[test]
fn r12_authors_are_this_articles_and_nobody_elses() {
    check(
        "authors-of-related-stories",
        "/typesetter",
        &[(Authors, &[("Ines Moreau", "a")]), (Published, &[])],
    );
    check(
        "byline-with-other-words",
        "/rivers",
        &[(Authors, &[("Ada Lindqvist", "p #char=3,16"), ("Omar Farouk", "p #char=21,32")])],
    );
}

#[test]
fn r12_names_are_told_from_what_stands_around_them_in_a_byline() {
    // What stands between the headline and the text.
    let check = |byline: &str, expected: &[&str]| {
        let article = written_here("", byline, "", PageRules::default());
        let names: Vec<&str> = article.descriptor.authors.iter().map(|name| &*name.text).collect();
        assert_eq!(names, expected, "{byline}");
    };
    // A role in an element of its own, with nothing but a style sheet between, or the picture of the author.
    let role = "<span class=author-title>Staff Writer</span>";
    check(
        &format!("<div class=author-name><span>By</span> <a href=/p/al>Ada Lindqvist</a>{role}</div>"),
        &["Ada Lindqvist"],
    );
    check("<p class=byline><span>Ada Lindqvist</span><span>Redakteurin</span></p>", &[]);
    check("<div class=authors><img class=author-picture> Ada Lindqvist</div>", &["Ada Lindqvist"]);
    check("<p class=byline><span>By</span>Ada Lindqvist</p>", &["Ada Lindqvist"]);
    check("<p class=byline>Ada Lindqvist, Editor-at-large</p>", &["Ada Lindqvist"]);
    // Links that follow each other; a later one leads elsewhere.
    check(
        "<p>By <a href=/1>Ada Lindqvist</a> and <a href=/2>Omar Farouk</a> in <a href=/3>Port Louis</a></p>",
        &["Ada Lindqvist", "Omar Farouk"],
    );
    check(
        "<footer>Submitted by <span typeof=schema:Person>Ada Lindqvist</span> on Tue, 03/05/2024</footer>",
        &["Ada Lindqvist"],
    );
    // A word on a line of its own.
    check("<h4>Autorin</h4><p>Ada Lindqvist,</p>", &["Ada Lindqvist"]);
    check("<h4>Where</h4><p>Port Louis</p>", &[]);
    // In other languages and scripts. A word that is not known leaves no name behind it.
    check("<p>Ein Artikel von <b>Ada Lindqvist</b> | 5. März</p>", &["Ada Lindqvist"]);
    check("<div><span>Por: Ada Lindqvist</span> <span>05/03/2024</span></div>", &["Ada Lindqvist"]);
    check("<p>di Ada Lindqvist</p>", &["Ada Lindqvist"]);
    check("<p class=author>Автор: Анна Иванова</p>", &["Анна Иванова"]);
    check("<p class=author>بقلم: أحمد منصور</p>", &["أحمد منصور"]);
    check("<p>著者：山田 太郎</p>", &["山田 太郎"]);
    check("<p class=author>Parašė: Jonas Petraitis</p>", &[]);
    // Page builders call each element a widget of theirs, and style sheets use the words of what stands beside an article.
    check(
        "<div class='elementor-widget'><div class=pointer-events-none>By Ada Lindqvist</div></div>",
        &["Ada Lindqvist"],
    );
    check("<div class='widget_recent'>By Omar Farouk</div>", &[]);
    check("<div class='inlineRelated'>By Omar Farouk</div>", &[]);
}

#[test]
fn r12_neither_an_account_nor_the_publisher_is_an_author() {
    check("author-account", "/bees", &[(Authors, &[("Chiara Benedetti", "p #char=11,27")])]);
    check("author-publisher", "/parking", &[(Authors, &[])]);
}

#[test]
fn r12_json_ld_is_read_in_the_shapes_that_pages_write() {
    check(
        "json-ld-shapes",
        "/faehrmann",
        &[
            (Headline, &[("Der Fährmann hört auf", "h1")]),
            (Published, &[("2024-03-05T06:00+01:00", "json-ld[1][1].@graph[0].datePublished")]),
            (Modified, &[("2024-03-05T09:30+01:00", "json-ld[1][1].@graph[0].dateModified")]),
            (
                Authors,
                &[("Greta Lohse", "json-ld[2].name"), ("Kai Brandt", "json-ld[1][1].@graph[0].author[1]")],
            ),
            (Category, &[("Region", "json-ld[1][1].@graph[0].articleSection[0]")]),
            (
                Tags,
                &[
                    ("Fähre", "json-ld[1][1].@graph[0].keywords #char=0,5"),
                    ("Fluss", "json-ld[1][1].@graph[0].keywords #char=7,12"),
                    ("Ruhestand", "json-ld[1][1].@graph[0].keywords #char=14,23"),
                ],
            ),
            (Language, &[("de", "html@lang")]),
        ],
    );
}

#[test]
fn r12_broken_json_ld_gives_what_is_certain_in_it() {
    check(
        "json-ld-broken",
        "/goats",
        &[
            (Published, &[("2024-03-05", "json-ld[0].datePublished")]),
            (Authors, &[("Noor Haddad", "json-ld[0].author.name")]),
            (Standfirst, &[]),
        ],
    );
    let article = read("json-ld-broken", "/goats", PageRules::default());
    let codes: Vec<_> = article
        .notices
        .iter()
        .map(|notice| (notice.code, notice.place.as_ref().map(ToString::to_string)))
        .collect();
    assert!(codes.contains(&(NoticeCode::JsonLdRepaired, Some("json-ld[0]".into()))), "{codes:?}");
    assert!(codes.contains(&(NoticeCode::JsonLdBroken, Some("json-ld[1]".into()))), "{codes:?}");
}

#[test]
fn r12_of_several_articles_the_one_of_this_address_counts() {
    check(
        "two-articles",
        "/snow",
        &[
            (Headline, &[("Snow in June", "h1")]),
            (Published, &[("2024-06-11", "json-ld[1].datePublished")]),
            (Authors, &[("Ben Okafor", "json-ld[1].author.name")]),
        ],
    );
    check(
        "no-article-of-its-own",
        "/markets",
        &[(Headline, &[("Markets this week", "h1")]), (Published, &[])],
    );
    let article = read("no-article-of-its-own", "/markets", PageRules::default());
    assert!(article.notices.iter().any(|notice| notice.code == NoticeCode::ArticleAmbiguous));
}

#[test]
fn r12_microdata_and_rdfa_are_read() {
    check(
        "microdata",
        "/well",
        &[
            (Headline, &[("A well for the school", "h1")]),
            (Authors, &[("Esi Mensah", "a > span")]),
            (Published, &[("2017-09-09T10:52:00+02:00", "abbr@title")]),
            (Modified, &[("2017-09-10", "meta[itemprop=dateModified]")]),
            (Category, &[("Villages", "meta[itemprop=articleSection]")]),
        ],
    );
    check(
        "rdfa",
        "/node/12",
        &[
            (Authors, &[("Lucie Garnier", "div > span:nth-of-type(2) > span")]),
            (Published, &[("2013-05-04T09:12:00+02:00", "span@content")]),
        ],
    );
}

#[test]
fn r12_a_headline_is_neither_cut_at_a_dash_nor_the_sites_name() {
    check(
        "headline-with-dashes",
        "/mill",
        &[(Headline, &[("Eight-Rooms — or: how a mill-owner got his name", "main > h1")])],
    );
    // Neither the blog's name, which leads to the page above, nor the title with that name behind it.
    let low_water = "Low water, and what it leaves on the mud";
    check(
        "headline-of-a-blog-in-a-directory",
        "/quay/entries/low-water",
        &[(Headline, &[(low_water, "h3")])],
    );
}

#[test]
fn r12_a_headline_may_lead_to_the_page_above_that_is_its_own() {
    // Another form of the article: its address goes on behind that of the first.
    let title = "Low water, and what it leaves on the mud";
    let page = format!(
        "<!doctype html><title>{title}</title><meta property=og:title content='{title}'>
        <main><h1><a href=/low-water>{title}</a></h1><p>Twice a day the water leaves the boats on the mud.</p></main>"
    );
    let article = copied(title, page.as_bytes(), "/low-water/amp", PageRules::default());
    assert_eq!(article.descriptor.headline.unwrap().place.to_string(), "h1");
}

#[test]
fn r12_a_title_that_is_only_declared_is_the_headline_only_if_nothing_speaks_against_it() {
    check("headline-of-the-page", "/low-water", &[(Headline, &[("Low water", "meta[property=og:title]")])]);
    // Both of its parts are headings: one may be the headline and the other the section, or the band.
    check("headline-of-two-parts", "/song", &[(Headline, &[])]);
    // It bears the site's name, and the heading that is like it has no more in common with it than that name.
    check("headline-of-a-card", "/tides", &[(Headline, &[])]);
    // The page's own title says something else.
    check("headline-of-another-card", "/tides", &[(Headline, &[])]);
}

#[test]
fn r12_a_standfirst_is_found_where_the_headline_is_seen() {
    // The `h1` is the end of the breadcrumb trail; a place stands before what the description says.
    let text = "Port Louis. The bridge opens in autumn, and forty people have to look for another harbour.";
    check(
        "standfirst-with-a-place",
        "/ferry",
        &[
            (Headline, &[("Last ferry leaves Port Louis in autumn", "h1")]),
            (Standfirst, &[(text, "div")]),
            (Authors, &[("Ada Lindqvist", "p #char=3,16")]),
        ],
    );
    // An agency's line begins the article itself.
    let description = "The bridge opens in autumn, and forty people have to look for another harbour";
    let article = written_here(
        &format!("<meta name=description content='{description}'>"),
        &format!("<div class=first>PORT LOUIS (HPA) - {description}.</div>"),
        "",
        PageRules::default(),
    );
    assert_eq!(article.descriptor.standfirst, None);
}

#[test]
fn r12_a_standfirst_is_shown_and_marked_up_as_one() {
    let named = "For one night in October the station clock told the truth about everybody's trains.";
    check(
        "standfirst-named",
        "/clock",
        &[
            (Standfirst, &[(named, "header > p:nth-of-type(2)")]),
            (Authors, &[("Ruth Abara", "header > p:nth-of-type(3) #char=3,13")]),
        ],
    );
    let confirmed = "Seit hundert Jahren misst eine Behörde den Nebel. Nun soll sie sparen.";
    check("standfirst-confirmed", "/nebel", &[(Standfirst, &[(confirmed, "p")])]);
    check("standfirst-cut-off", "/map", &[(Standfirst, &[])]);
    check("standfirst-of-links", "/bell", &[(Standfirst, &[])]);
}

#[test]
fn r12_the_canonical_address_is_copied_as_it_stands_if_there_is_one() {
    check(
        "dates-of-other-things",
        "/x",
        &[(Canonical, &[("https://www.example.org/2019/04/30/harbour-crane", "link@href")])],
    );
    check("two-canonicals", "/lost", &[(Canonical, &[])]);
}

#[test]
fn r12_selectors_of_the_configuration_go_before_everything() {
    let rule = |selector: &str, attribute: Option<&str>| ElementRule {
        selector: selector.parse().unwrap(),
        attribute: attribute.map(Into::into),
    };
    let fields = [
        (Authors, rule("section .author", None)),
        (Published, rule("time", Some("datetime"))),
        (Headline, rule("header .byline", None)),
    ];
    let rules = PageRules { fields: fields.into_iter().collect(), ..PageRules::default() };
    let article = read("authors-of-related-stories", "/typesetter", rules);
    let authors: Vec<_> = article.descriptor.authors.iter().map(|author| &*author.text).collect();
    assert_eq!(authors, ["Tom Akande", "Lena Wirth"]);
    assert_eq!(article.descriptor.headline.unwrap().text, "By Ines Moreau");
    assert!(article.descriptor.others.iter().any(|other| other.value.text == "The last typesetter"));
    // What a rule points at is absent where it is not there; nothing is fallen back to.
    assert_eq!(article.descriptor.published, None);
    let unmatched: Vec<_> =
        article.notices.iter().filter(|notice| notice.code == NoticeCode::SelectorUnmatched).collect();
    assert_eq!(unmatched.len(), 1);
    assert_eq!(unmatched[0].detail, "`time` for published");
    // Nor is it where the element is there and what it should say is not: it has another attribute, or none in it is a name.
    let fields = [(Published, rule("h1", Some("datetime"))), (Authors, rule("h1", Some("title")))];
    let rules = PageRules { fields: fields.into_iter().collect(), ..PageRules::default() };
    let article = written_here("<meta name=author content='Ines Moreau'>", "", "", rules);
    assert_eq!((article.descriptor.published, article.descriptor.authors), (None, Vec::new()));
    let unmatched: Vec<_> = article.notices.iter().map(ToString::to_string).collect();
    assert_eq!(
        unmatched,
        [
            "selector-unmatched: `h1@title` for authors is there and says nothing",
            "selector-unmatched: `h1@datetime` for published is there and says nothing"
        ]
    );
}

#[test]
fn r14_a_translation_names_its_one_original() {
    let article = read("translation", "/en/the-bell", PageRules::default());
    let relation = article.relation.unwrap();
    assert_eq!(relation.kind, RelationKind::TranslationOf);
    assert_eq!(
        written(&relation.original),
        ("https://www.example.org/fr/la-cloche".into(), "json-ld[0].translationOfWork.@id".into())
    );
    // The original itself, should it name itself, is no translation.
    assert_eq!(read("translation", "/fr/la-cloche", PageRules::default()).relation, None);
}

#[test]
fn r14_alternates_and_several_originals_declare_nothing() {
    let alternates = read("translation-alternates-only", "/en/the-bell", PageRules::default());
    assert_eq!(alternates.relation, None);
    assert!(!alternates.notices.iter().any(|notice| notice.code == NoticeCode::RelationAmbiguous));
    let two = read("translation-of-two", "/en/the-bell", PageRules::default());
    assert_eq!(two.relation, None);
    assert!(two.notices.iter().any(|notice| notice.code == NoticeCode::RelationAmbiguous));
}

/// A graph names things once and points at them from everywhere else.
#[test]
fn r14_an_original_that_is_only_pointed_at_is_followed_to_its_address() {
    let graph = |original: &str| {
        format!(
            r##"<script type="application/ld+json">{{"@graph": [
                {{"@type": "Article", "headline": "The tower leans", "translationOfWork": {{"@id": "#original"}}}},
                {{"@type": "Article", "@id": "#original", "name": "La cloche"{original}}}]}}</script>"##
        )
    };
    let read = |head: &str| written_here(head, "", "", PageRules::default());
    let article = read(&graph(r#", "url": "https://www.example.org/fr/la-cloche""#));
    assert_eq!(
        article.relation.map(|relation| written(&relation.original)),
        Some(("https://www.example.org/fr/la-cloche".into(), "json-ld[0].@graph[1].url".into()))
    );
    // One that has none anywhere is named without an address.
    let article = read(&graph(""));
    assert_eq!(article.relation, None);
    assert!(article.notices.iter().any(|notice| notice.code == NoticeCode::RelationAmbiguous));
}

/// Systems that link every version to the original link the original to itself.
#[test]
fn r14_the_original_is_no_translation_of_itself() {
    let check = |head: &str, expected: Option<&str>| {
        let rules = PageRules {
            original: Some("meta[name=original]".parse().unwrap()),
            identifier: Some(IdentifierRule::whole("meta[name=id]".parse().unwrap())),
            ..PageRules::default()
        };
        let head = format!("<meta name=id content=4711>{head}");
        let relation = written_here(&head, "", "", rules).relation;
        assert_eq!(relation.map(|relation| relation.original.text).as_deref(), expected, "{head}");
    };
    check("<meta name=original content=/2024/turm>", Some("/2024/turm"));
    check("<meta name=original content=https://www.example.org/2024/tower>", None);
    check("<meta name=original content=4710>", Some("4710"));
    check("<meta name=original content=4711>", None);
}

/// What stands behind the end of the article's element is another article's, or a reader's.
#[test]
fn r12_neither_names_nor_dates_behind_an_article_are_its_own() {
    let behind = "<div><a href=/crane>The crane</a> <span class=author>Omar Farouk</span> <time datetime=2020-01-02>2 January 2020</time></div>";
    let descriptor = written_here("", "", behind, PageRules::default()).descriptor;
    assert_eq!((descriptor.authors, descriptor.published), (Vec::new(), None));
    // An element that ends before any text holds a header only.
    let page = format!(
        "<title>The tower leans</title><article><h1>The tower leans</h1></article><p class=byline>By Omar Farouk</p><time datetime=2020-01-02>2 January 2020</time><p>{}",
        "The tower had leaned for a century, first towards the river and then away from it. ".repeat(3)
    );
    let descriptor = copied("header", page.as_bytes(), "/2024/tower", PageRules::default()).descriptor;
    assert_eq!((descriptor.authors.len(), descriptor.published.unwrap().text.as_str()), (1, "2020-01-02"));
}

/// A line that leads to another article is about that one, wherever it stands.
#[test]
fn r12_neither_names_nor_dates_beside_a_link_to_another_article_are_this_ones() {
    let check = |below: &str, expected: Option<(&str, &str)>| {
        let found = |descriptor: releve_extract::Descriptor| {
            let author = descriptor.authors.first().map(|name| name.text.clone());
            let published = descriptor.published.map(|date| date.text);
            assert_eq!(author.is_some(), published.is_some(), "{below}");
            author.zip(published)
        };
        let expected = expected.map(|(author, date)| (author.to_owned(), date.to_owned()));
        assert_eq!(found(written_here("", below, "", PageRules::default()).descriptor), expected, "{below}");
        // The same where no element says where the article ends.
        let page = format!(
            "<title>The tower leans</title><h1>The tower leans</h1><p>It leans, they say, as it always did, and no one is afraid.</p>{below}"
        );
        let descriptor = copied(&page, page.as_bytes(), "/2024/tower", PageRules::default()).descriptor;
        assert_eq!(found(descriptor), expected, "behind the text: {below}");
    };
    let date = "<time datetime=2020-01-02>2 January 2020</time>";
    let byline = "<span class=author>Omar Farouk</span>";
    check(&format!("<ul><li><a href=/old>Old story</a> {byline} {date}</ul>"), None);
    check(&format!("<div><h3><a href=/old>Old story</a></h3><p>{byline}</p><p>{date}</p></div>"), None);
    check(&format!("<div><p>Sport</p><a href=/old><h3>Old story</h3></a><p>{byline}</p>{date}</div>"), None);
    check(
        &format!("<p>Read also: <a href=/old>How the crane in the harbour was built</a> {byline} {date}</p>"),
        None,
    );
    // Sections, authors and the article itself are linked too.
    let expected = Some(("Omar Farouk", "2020-01-02"));
    check(&format!("<div><a href=/world>World news</a> {byline} {date}</div>"), expected);
    check(&format!("<ul><li><a href=/by/of rel=author>Omar Farouk</a> <li>{date}</ul>"), expected);
    check(&format!("<ul><li><a class=author href=/by/of>Omar Farouk</a> {date}</ul>"), expected);
    check(&format!("<p>{byline} <a href=/2024/tower>{date}</a></p>"), expected);
}

#[test]
fn r12_the_day_on_which_a_page_is_looked_at_is_no_date_of_an_article() {
    let check = |names: &str, expected: Option<&str>| {
        let shown = format!("<div><span {names}>2 January 2020</span></div>");
        let published = written_here("", &shown, "", PageRules::default()).descriptor.published;
        assert_eq!(published.map(|date| date.text).as_deref(), expected, "{names}");
    };
    for names in [
        "today-date",
        "'date today'",
        "todaysDate",
        "current-date",
        "currentDateTime",
        "live-date",
        "'date header-clock'",
    ] {
        check(&format!("class={names}"), None);
    }
    check("class=date id=clock", None);
    check("class='date icon-clock'", Some("2 January 2020"));
    check("class=usatoday-date", Some("2 January 2020"));
}

#[test]
fn r12_one_value_in_an_array_is_one_value() {
    let thing = r#"{"@type": ["NewsArticle"], "headline": [{"@value": "The tower leans"}], "datePublished": ["2024-03-05"], "dateModified": ["2024-03-06", "2024-03-07"],
        "author": ["Ada Lindqvist", "Omar Farouk", "ADA LINDQVIST"]}"#;
    let head = format!("<script type=application/ld+json>{thing}</script>");
    let descriptor = written_here(&head, "", "", PageRules::default()).descriptor;
    let published = descriptor.published.unwrap();
    assert_eq!(written(&published), ("2024-03-05".into(), "json-ld[0].datePublished[0]".into()));
    assert_eq!(descriptor.modified, None);
    // Nobody is named twice.
    let authors: Vec<_> = descriptor.authors.iter().map(|author| author.text.as_str()).collect();
    assert_eq!(authors, ["Ada Lindqvist", "Omar Farouk"]);
}

/// What is no page is not read as one, whatever stands in it; a response without a media type was refused before (R37), a file may have none.
#[test]
fn r37_only_html_is_read_as_a_page() {
    let address: HttpsUrl = "https://www.example.org/bees".parse().unwrap();
    let read = |content_type: &str| {
        let envelope = Envelope { bytes: b"<h1>Bees</h1>", content_type, address: &address };
        extract(&envelope, &Rules::default()).map_err(|error| error.code())
    };
    for content_type in ["text/html", "Text/HTML; charset=utf-8", "application/xhtml+xml", ""] {
        assert!(read(content_type).is_ok(), "{content_type}");
    }
    for content_type in ["text/plain", "application/json", "application/pdf", "text/html5", "image/svg+xml"] {
        assert_eq!(read(content_type), Err("media-type-unexpected"), "{content_type}");
    }
}

#[test]
fn r12_lines_of_one_text_that_are_names_each_are_no_name_together() {
    let check = |author: &str, expected: &[(&str, &str)]| {
        let thing =
            serde_json::json!({"@type": "NewsArticle", "headline": "The tower leans", "author": author});
        let head = format!("<script type=application/ld+json>{thing}</script>");
        let authors = written_here(&head, "", "", PageRules::default()).descriptor.authors;
        let authors: Vec<_> = authors.iter().map(written).collect();
        let expected: Vec<_> = expected
            .iter()
            .map(|(name, place)| ((*name).into(), format!("json-ld[0].author{place}")))
            .collect();
        assert_eq!(authors, expected, "{author}");
    };
    check("Ada Lindqvist\nOmar Farouk", &[("Ada Lindqvist", " #char=0,13"), ("Omar Farouk", " #char=14,25")]);
    check("\n  Ada\n  Lindqvist\n", &[("Ada Lindqvist", "")]);
    check("Ada Lindqvist\nChief of Everything", &[]);
}

#[test]
fn r12_names_of_properties_may_bear_their_vocabulary() {
    let thing = r#"{"@context": {"schema": "https://schema.org/"}, "@type": "schema:NewsArticle", "schema:headline": "The tower leans",
        "https://schema.org/datePublished": "2024-03-05", "http://schema.org/author": {"schema:name": "Ada Lindqvist"}}"#;
    let head = format!("<script type=application/ld+json>{thing}</script>");
    let descriptor = written_here(&head, "", "", PageRules::default()).descriptor;
    assert_eq!(
        written(&descriptor.published.unwrap()),
        ("2024-03-05".into(), "json-ld[0].datePublished".into())
    );
    assert_eq!(written(&descriptor.authors[0]), ("Ada Lindqvist".into(), "json-ld[0].author.name".into()));
}

/// What stands above the characters of a ruby says how they are read, and would double each of them. Where the page has brackets for it, they are
/// the author's own way to write it in the line.
#[test]
fn r12_what_is_written_above_a_ruby_is_told_from_its_text() {
    let check = |ruby: &str, text: &str| {
        let page = format!(
            "<title>東京の塔が傾く</title><article><h1>{ruby}の塔が傾く</h1><p>{ruby}の塔は百年前から傾いている。最初は川のほうへ、次は反対のほうへ傾いた。</p></article>"
        );
        let article = copied(ruby, page.as_bytes(), "/2024/tower", PageRules::default());
        assert_eq!(article.descriptor.headline.unwrap().text, format!("{text}の塔が傾く"), "{ruby}");
        assert!(
            article.blocks[0].text().starts_with(&format!("{text}の塔は百年前から")),
            "{ruby}: {:?}",
            article.blocks
        );
    };
    check("<ruby>東京<rt>とうきょう</rt></ruby>", "東京");
    check("<ruby>東<rt>とう</rt>京<rt>きょう</rt></ruby>", "東京");
    check("<ruby><rb>東京</rb><rtc><rt>とうきょう</rt></rtc></ruby>", "東京");
    check("<ruby>東京<rp>（</rp><rt>とうきょう</rt><rp>）</rp></ruby>", "東京（とうきょう）");
    check("<ruby>東<rp>(<rt>とう<rp>)</rp>京<rp>(<rt>きょう<rp>)</ruby>", "東(とう)京(きょう)");
}

/// What a place would not come back from is not where a value is copied from: `copied` reads each place as it is written.
#[test]
fn r12_a_place_that_cannot_be_written_is_none() {
    let of = |head: &str, below_headline: &str| written_here(head, below_headline, "", PageRules::default());
    // The name would end the place early, or cut it to characters.
    for names in ["don't dateModified", "a] dateModified", "a #char=1,2 dateModified"] {
        let item = format!(
            "<div itemscope itemtype='https://schema.org/Article'><meta itemprop=\"{names}\" content=2017-09-10></div>"
        );
        assert_eq!(of("", &item).descriptor.modified.unwrap().text, "2017-09-10", "{names}");
    }
    // The author is pointed at, below a key with a dot in it.
    let linked = |key: &str| {
        format!(
            r##"<script type=application/ld+json>[{{"@type":"Article","headline":"The tower leans","author":{{"@id":"#a"}}}},{{"{key}":{{"@type":"Person","@id":"#a","name":"Esi Mensah"}}}}]</script>"##
        )
    };
    for (key, readings) in [("people", 1), ("people.of", 0), ("people #char=0,1", 0)] {
        let others = of(&linked(key), "").descriptor.others;
        assert_eq!(others.iter().filter(|other| other.field == Authors).count(), readings, "{key}");
    }
}

#[test]
fn r12_white_space_within_an_attribute_is_normalised() {
    let page = "<!doctype html><html lang='en\n  GB'><title>The tower leans</title><link rel=canonical href='/a\n  b'><h1>The tower leans</h1>";
    let descriptor = copied(page, page.as_bytes(), "/2024/tower", PageRules::default()).descriptor;
    assert_eq!(descriptor.language.unwrap().text, "en GB");
    assert_eq!(descriptor.canonical.unwrap().text, "/a b");
}

#[test]
fn r12_an_attribute_is_read_once_for_what_it_says() {
    let time = "<p class=updated>Updated <time datetime='2024-03-07T11:&amp;nbsp;40:00+00:00'>March 7, 2024</time></p>";
    // What the attribute says is no date, so the day is copied as it is shown.
    let descriptor = written_here("", time, "", PageRules::default()).descriptor;
    assert_eq!(descriptor.modified.unwrap().text, "March 7, 2024");
}
