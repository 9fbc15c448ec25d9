use super::Place;

#[test]
fn r12_a_place_is_read_as_it_is_written() {
    for text in [
        "address",
        "#",
        "/title/rendered",
        "/a~1b/0",
        "json-ld[0]",
        "json-ld[0].author[1].name",
        "json-ld[2].@graph[3].headline",
        "meta[property=og:title]",
        "meta[name=author][2]",
        "meta[http-equiv=last-modified]",
        "script[4]/props/article/title",
        "script[17] App.state/article/title",
        "script[0]",
        "h1",
        "time@datetime",
        "#main > p:nth-of-type(2)",
        "article[data-id]@data-id",
        "meta[name=\"a b\"]",
        "meta[name=author] #char=3,11",
        "/type & \"-\" & /id",
        "/type & \"\" & /id #char=0,2",
        "/type & \" & \\\"\\n\" & /id",
        "meta[itemprop=datePublished dateModified]",
    ] {
        let place: Place = text.parse().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(place.to_string(), text);
    }
}

#[test]
fn what_names_no_place_is_refused() {
    for text in [
        "",
        "json-ld[x].a",
        "json-ld[0].",
        "json-ld[0].a[",
        "/a~2",
        "h1 #char=5",
        "h1 #char=5,2",
        "p:hover",
        "/a & \"-\" & ",
    ] {
        assert!(text.parse::<Place>().is_err(), "{text}");
    }
    assert_eq!(
        "p..x".parse::<Place>().unwrap_err().to_string(),
        "`p..x` is neither a JSON Pointer, nor a CSS selector, nor another way to write a place"
    );
}

#[test]
fn a_part_of_a_part_is_counted_from_the_whole() {
    let place: Place = "h1".parse().unwrap();
    assert_eq!(place.characters(4..20).characters(2..5).to_string(), "h1 #char=6,9");
}
