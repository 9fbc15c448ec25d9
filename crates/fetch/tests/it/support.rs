//! What every test here needs: a lab, a clock, a fetch over both.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use releve_bounds::Bounds;
use releve_fetch::{
    AccessHeader, Clock, Connection, Exchange, Fetch, FetchError, HttpsConnection, HttpsFetch, LabFile,
    Network, Request, Wanted, every_body,
};
use releve_lab::{Host, Lab};
use releve_redirect_policy::{AdmittedHost, AdmittedHosts};
use releve_url_canon::HttpsUrl;

/// A clock that moves a second each time it is read, so that two readings never agree.
pub(crate) struct Ticking(Mutex<Timestamp>);

impl Ticking {
    pub(crate) fn from(start: &str) -> Self {
        Self(Mutex::new(start.parse().unwrap()))
    }
}

impl Clock for Ticking {
    fn now(&self) -> Timestamp {
        let mut now = self.0.lock().unwrap();
        *now += SignedDuration::from_secs(1);
        *now
    }
}

/// The system's clock.
struct Real;

impl Clock for Real {
    #[allow(clippy::disallowed_methods)]
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// A lab with a fetch that reaches it.
pub(crate) struct Bench {
    pub(crate) lab: Lab,
    pub(crate) fetch: HttpsFetch,
    pub(crate) bounds: Bounds,
    pub(crate) access: Option<AccessHeader>,
    pub(crate) wanted: Wanted<'static>,
    network: Network,
}

impl Bench {
    pub(crate) fn with(host: Host) -> Self {
        Self::of([host])
    }

    pub(crate) fn of(hosts: impl IntoIterator<Item = Host>) -> Self {
        let lab = Lab::start().unwrap();
        for host in hosts {
            lab.add(host).unwrap();
        }
        let file = lab.lab_file("ca.pem", None);
        Self::over(lab, &file)
    }

    /// One host, under another port than 443.
    pub(crate) fn on_port(host: Host, port: u16) -> Self {
        let lab = Lab::start().unwrap();
        let name = host.name().to_owned();
        let address = lab.add(host).unwrap();
        Self::over(lab, &format!("root = \"ca.pem\"\n[hosts]\n\"{name}:{port}\" = \"{address}\"\n"))
    }

    fn over(lab: Lab, file: &str) -> Self {
        let file: LabFile = file.parse().unwrap();
        let network = Network::lab(&file, lab.ca_pem().as_bytes()).unwrap();
        let fetch = HttpsFetch::new(network.clone(), Arc::new(Ticking::from("2026-03-01T12:00:00Z")));
        Self { lab, fetch, bounds: short(), access: None, wanted: &every_body, network }
    }

    /// Another clock.
    pub(crate) fn set_clock(&mut self, clock: Arc<dyn Clock>) {
        self.fetch = HttpsFetch::new(self.network.clone(), clock);
    }

    /// The system's clock instead of one that ticks when it is read; handed out as well.
    pub(crate) fn tick_in_real_time(&mut self) -> impl Fn() -> Timestamp + use<> {
        self.set_clock(Arc::new(Real));
        || Real.now()
    }

    pub(crate) async fn connect(&self, address: &str) -> Result<HttpsConnection, FetchError> {
        self.fetch.connect(&admitted(address), &self.bounds).await
    }

    pub(crate) async fn send(&self, connection: &mut HttpsConnection, address: &str) -> Exchange {
        let url: HttpsUrl = address.parse().unwrap();
        let user_agent = "Releve/1 (+https://example.org; contact@example.org)".parse().unwrap();
        let request = Request {
            url: &url,
            user_agent: &user_agent,
            accept: "text/html",
            access: self.access.as_ref(),
            bounds: &self.bounds,
            wanted: self.wanted,
        };
        connection.send(request).await
    }

    pub(crate) async fn get(&self, address: &str) -> Exchange {
        let mut connection = self.connect(address).await.unwrap();
        self.send(&mut connection, address).await
    }
}

/// Bounds under which a hostile answer ends soon, and that a busy machine still keeps.
pub(crate) fn short() -> Bounds {
    Bounds::default()
        .with_connect(Duration::from_secs(10))
        .and_then(|bounds| bounds.with_head(Duration::from_secs(5)))
        .and_then(|bounds| bounds.with_between_bytes(Duration::from_secs(1)))
        .and_then(|bounds| bounds.with_whole(Duration::from_secs(10)))
        .unwrap()
}

pub(crate) fn admitted(address: &str) -> AdmittedHost {
    let url: HttpsUrl = address.parse().unwrap();
    AdmittedHosts::parse([url.authority()]).unwrap().admit(&url).unwrap()
}

pub(crate) fn check_whole(exchange: &Exchange, status: u16, body: &[u8]) {
    let response = exchange.outcome.as_ref().unwrap();
    assert_eq!(response.status, status);
    assert_eq!(&response.body.as_ref().unwrap().decoded[..], body);
    assert!(exchange.sent_at.unwrap() < response.read_at);
}
