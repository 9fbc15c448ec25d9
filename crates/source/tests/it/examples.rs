//! The example configurations are taken and say what they seem to say.

use std::time::Duration;

use releve_backlog::{Entrance, Numbering, Pagination};
use releve_bounds::Bounds;
use releve_extract::{Field, Rules};
use releve_source::{
    Embargo, File, Identifier, SecretFrom, Source, Trigger, VaultAt, Way, parse_connector, parse_source,
    parse_sources,
};
use releve_url_canon::HttpsUrl;

use super::{fixtures, read_fixture};

fn example(name: &str) -> Source {
    let text = read_fixture(&format!("sources/{name}.toml"));
    let parsed = parse_source(File { name, text: &text }, &Bounds::default()).unwrap();
    assert_eq!(parsed.warnings, []);
    parsed.value
}

fn url(address: &str) -> HttpsUrl {
    address.parse().unwrap()
}

#[test]
fn every_example_is_taken_without_a_warning() {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(fixtures().join("sources")).unwrap() {
        let path = entry.unwrap().path();
        files.push((path.display().to_string(), std::fs::read(&path).unwrap()));
    }
    assert!(files.len() >= 6);
    let files: Vec<File<'_>> = files.iter().map(|(name, text)| File { name, text }).collect();
    let parsed = parse_sources(&files, &Bounds::default()).unwrap();
    assert_eq!(parsed.value.len(), files.len());
    assert_eq!(parsed.warnings, []);
}

#[test]
fn the_wordpress_preset_says_everything() {
    let source = example("wordpress");
    let Trigger::List { address, fields } = source.trigger() else { panic!() };
    assert_eq!(
        address.as_str(),
        "https://www.harbour-news.example/wp-json/wp/v2/posts?_fields=id,link,date_gmt,modified_gmt&order=desc&per_page=100&orderby=modified"
    );
    assert_eq!(fields.items.as_str(), "");
    assert_eq!(fields.address.as_ref().unwrap().as_str(), "/link");
    assert_eq!(fields.published.as_ref().unwrap().at.as_str(), "/date_gmt");
    assert!(fields.modified.as_ref().unwrap().is_utc);

    let backlog = source.backlog().unwrap();
    assert_eq!(backlog.floor.unwrap().to_string(), "2012-01-01");
    let Entrance::List { pages: Pagination::Numbered { address, numbering, past_the_end }, shape } =
        &backlog.entrance
    else {
        panic!()
    };
    assert!(address.page(99).as_str().ends_with("&order=desc&per_page=100&orderby=date&offset=99"));
    assert_eq!((*numbering, *past_the_end), (Numbering::Items { page_size: 100 }, Some(400)));
    assert_eq!(shape.published.as_ref().unwrap().at.to_string(), "/date_gmt");
    assert_eq!(shape.fields, ["/id".parse().unwrap()]);

    let Way::PublicApi { template } = source.way() else { panic!() };
    assert_eq!(
        template.to_string(),
        "https://www.harbour-news.example/wp-json/wp/v2/posts/{id}?_embed=author,wp:term"
    );
    let Identifier::Rules { trigger, backlog, article } = source.identifier() else { panic!() };
    assert_eq!(trigger.as_ref().unwrap().places()[0].to_string(), "/id");
    assert_eq!((trigger, backlog), (article, article));
    let Rules::WordPress(rules) = source.rules() else { panic!() };
    assert_eq!(&rules.identifier, article);
}

#[test]
fn the_wordpress_preset_takes_a_credential_and_another_place() {
    let source = example("wordpress-access");
    let Way::CmsApi { template, access, agreement } = source.way() else { panic!() };
    assert_eq!(
        template.address("12").unwrap().as_str(),
        "https://observer.example/news/wp-json/wp/v2/posts/12?_embed=author,wp:term"
    );
    assert_eq!((access.header.as_str(), access.prefix.as_str()), ("Authorization", "Basic "));
    assert_eq!(access.secret, SecretFrom::File("/run/secrets/observer".into()));
    assert_eq!(agreement.as_deref(), Some("letter of 2 March 2026"));
    let Rules::WordPress(rules) = source.rules() else { panic!() };
    assert_eq!(rules.original.as_ref().unwrap().at.as_str(), "/translation_of");
}

#[test]
fn a_source_of_pages_can_say_everything() {
    let source = example("page");
    assert_eq!((source.name().as_str(), source.is_active(), source.way()), ("courier", true, &Way::Page));
    assert_eq!(
        source.hosts().entries().collect::<Vec<_>>(),
        ["www.courier.example", "feeds.courier.example"]
    );
    assert!(source.necessary_parameters().has_name("article"));
    assert_eq!(source.trigger().address(), &url("https://feeds.courier.example/all.xml?format=rss"));

    let Rules::Page(rules) = source.rules() else { panic!() };
    assert_eq!(rules.body.as_ref().unwrap().as_str(), "main .story-text");
    assert!(rules.drop.is_some() && rules.original.is_some() && rules.identifier.is_some());
    assert_eq!(rules.fields.len(), Field::ALL.len());
    let published = &rules.fields[&"published".parse().unwrap()];
    assert_eq!(published.attribute.as_deref(), Some("datetime"));

    let Identifier::Rules { trigger, backlog, article } = source.identifier() else { panic!() };
    let read = |rule: &Option<releve_extract::IdentifierRule>, text: &str| {
        rule.as_ref().unwrap().read(|_| Some(text.to_owned())).unwrap()
    };
    assert_eq!(read(trigger, "urn:courier:77"), "77");
    assert_eq!(read(backlog, "https://www.courier.example/?part=1&article=77"), "77");
    assert_eq!(read(article, "77"), "77");

    let backlog = source.backlog().unwrap();
    assert_eq!(
        backlog.entrance,
        Entrance::Sitemaps(vec![url("https://www.courier.example/sitemap-index.xml")])
    );
    assert!(backlog.necessary_parameters.has_name("part"));
    assert!(!backlog.necessary_parameters.has_name("article"));

    let rhythm = source.rhythm();
    assert_eq!(rhythm.trigger(), Duration::from_secs(1_800));
    assert_eq!(rhythm.backlog(), Duration::from_secs(172_800));
    assert_eq!(rhythm.host().promised(), Duration::from_secs(5));
    assert_eq!(source.bounds().whole(), Duration::from_secs(90));
    assert_eq!(source.bounds().decoded_bytes(), 12 << 20);
    assert_eq!(source.bounds().connect(), Bounds::default().connect());
    assert_eq!(source.embargo(), Some(&Embargo::Element("courier:embargo".to_owned())));
}

#[test]
fn a_source_may_be_as_short_as_its_system_allows() {
    let source = example("address");
    assert_eq!(source.identifier(), &Identifier::Address);
    assert_eq!(source.rules(), &Rules::default());
    assert_eq!(source.backlog().unwrap().entrance, Entrance::Robots);
    assert_eq!(source.embargo(), None);
    assert_eq!((source.rhythm(), *source.bounds()), (releve_pace::Rhythm::default(), Bounds::default()));
}

#[test]
fn an_api_is_described_field_by_field() {
    let source = example("public-api");
    let Rules::Json(rules) = source.rules() else { panic!() };
    assert_eq!(rules.body.as_ref().unwrap().at.as_str(), "/article/text");
    let authors = &rules.fields[&"authors".parse().unwrap()];
    assert_eq!((authors.at.as_str(), authors.each.as_ref().unwrap().as_str()), ("/article/authors", "/name"));
    assert_eq!(source.way().access(), None);

    let Identifier::Rules { article, .. } = source.identifier() else { panic!() };
    let read = article
        .as_ref()
        .unwrap()
        .read(|at| Some(if at.to_string() == "/article/kind" { "report" } else { "/2026/88" }.to_owned()));
    assert_eq!(read.unwrap(), "report-88");

    let Entrance::List { pages, shape } = &source.backlog().unwrap().entrance else { panic!() };
    assert_eq!(pages.first(), url("https://api.tribune.example/v1/articles?sort=-published&limit=100"));
    let Pagination::Cursor { at, parameter, .. } = pages else { panic!() };
    assert_eq!((at.to_string(), parameter.as_str()), ("/paging/after".to_owned(), "after"));
    assert!(shape.published.as_ref().unwrap().is_utc && shape.address.is_none());
}

#[test]
fn an_api_with_a_credential_is_described_likewise() {
    let source = example("cms-api");
    let access = source.way().access().unwrap();
    assert_eq!((access.host.as_str(), access.port), ("cms.gazette.example", 8443));
    assert!(access.also_for_backlog && !access.also_for_trigger);
    let Entrance::List { pages: Pagination::Numbered { address, numbering, .. }, .. } =
        &source.backlog().unwrap().entrance
    else {
        panic!()
    };
    assert_eq!(*numbering, Numbering::Items { page_size: 100 });
    assert!(address.page(300).as_str().ends_with("&limit=100&offset=300"));
}

#[test]
fn the_connectors_examples_are_taken() {
    let text = read_fixture("releve.toml");
    let parsed = parse_connector(File { name: "releve.toml", text: &text }).unwrap();
    assert_eq!(parsed.warnings, []);
    assert_eq!(parsed.value.user_agent.contact(), "bot@example.org");
    assert_eq!(parsed.value.vault, VaultAt::Folder("vault".into()));

    let text = read_fixture("releve-full.toml");
    let full = parse_connector(File { name: "releve-full.toml", text: &text }).unwrap().value;
    assert_eq!(
        full.vault,
        VaultAt::Network {
            address: url("https://vault.example.org:8443"),
            key: SecretFrom::File("/run/secrets/vault-key".into()),
            ca: Some("vault-ca.pem".into()),
        }
    );
    assert_eq!(full.bounds.frames(), 32_768);
    assert_eq!(full.bounds.head_bytes(), 32 << 10);
}
