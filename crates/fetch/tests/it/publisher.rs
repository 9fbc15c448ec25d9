//! The publisher of the fetch in memory: what it answers at an instant, and the handshake that it presents.

use std::sync::Arc;

use jiff::Timestamp;
use releve_bounds::Bounds;
use releve_fetch::{Clock, Connection, Fetch, MemoryAnswer, MemoryFetch, Request, every_body};
use releve_proof::{CipherSuite, Protocol, Tls};
use releve_redirect_policy::AdmittedHosts;

/// The runtime's clock, from the beginning of the era on.
struct Wall(tokio::time::Instant);

impl Clock for Wall {
    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH + self.0.elapsed()
    }
}

/// The status of an answer, and the certificate that was presented with it.
async fn get(fetch: &MemoryFetch, path: &str) -> (u16, Vec<u8>) {
    let url = format!("https://www.example.org{path}").parse().unwrap();
    let host = AdmittedHosts::parse(["www.example.org"]).unwrap().admit(&url).unwrap();
    let bounds = Bounds::default();
    let user_agent = "Example/1 (+https://example.org; bot@example.org)".parse().unwrap();
    let mut connection = fetch.connect(&host, &bounds).await.unwrap();
    let request = Request {
        url: &url,
        user_agent: &user_agent,
        accept: "text/html",
        access: None,
        bounds: &bounds,
        wanted: &every_body,
    };
    let response = connection.send(request).await.outcome.unwrap();
    (response.status, response.tls.presented[0].clone())
}

#[tokio::test(start_paused = true)]
async fn a_publisher_answers_by_address_and_instant_and_presents_what_it_was_given() {
    let fetch = MemoryFetch::new(Arc::new(Wall(tokio::time::Instant::now())));
    fetch.put("https://www.example.org/put", MemoryAnswer::new(203, "text/html", ""));
    fetch.answer_with(|url, now| {
        let status = if now.as_second() < 10 { 200 } else { 410 };
        (!url.ends_with("/none")).then(|| MemoryAnswer::new(status, "text/html", ""))
    });
    let made_up = b"made up".to_vec();
    assert_eq!(get(&fetch, "/a").await, (200, made_up.clone()));
    assert_eq!(get(&fetch, "/none").await, (404, made_up.clone()));
    assert_eq!(get(&fetch, "/put").await, (203, made_up));
    tokio::time::sleep(std::time::Duration::from_secs(10)).await;
    fetch.present(Tls {
        protocol: Protocol::Tls13,
        cipher_suite: CipherSuite::from_code(0x1301).unwrap(),
        server_name: "www.example.org".to_owned(),
        presented: vec![b"recorded".to_vec()],
        ocsp: None,
        evidence: None,
    });
    assert_eq!(get(&fetch, "/a").await, (410, b"recorded".to_vec()));
}
