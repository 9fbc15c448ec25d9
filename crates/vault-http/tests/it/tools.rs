//! A server on loopback, and a client that writes what it likes.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::{Duration, Instant};

use releve_deposit::testing::HOST;
use releve_deposit::{Admission, Clock, ConnectorKey, LocalOptions, LocalVault, Permission};
use releve_redirect_policy::AdmittedHosts;
use releve_vault_http::{Access, Bounds, HttpVault, HttpVaultOptions, Server};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use serde_json::Value;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A vault in a folder of its own, and its server.
pub(crate) struct Served {
    pub(crate) local: LocalVault,
    pub(crate) at: SocketAddr,
    pub(crate) key: ConnectorKey,
    pub(crate) log: Arc<Mutex<Vec<Access>>>,
    pub(crate) clock: Clock,
    pub(crate) authority: String,
    stop: Option<oneshot::Sender<()>>,
    serving: Option<JoinHandle<bool>>,
    runtime: Runtime,
    folder: TempDir,
}

/// What the key `north` may deposit.
pub(crate) const SOURCES: [&str; 4] = ["example", "other", "even", "odd"];

pub(crate) fn permission(source: &str, hosts: &[&str]) -> Permission {
    Permission { source: source.to_owned(), hosts: AdmittedHosts::parse(hosts).unwrap() }
}

impl Served {
    pub(crate) fn new(admission: Admission, clock: Clock, bounds: Bounds) -> Self {
        let folder = TempDir::new().unwrap();
        let options = LocalOptions::new(admission, Arc::clone(&clock));
        let local = LocalVault::open_or_create(&folder.path().join("vault"), options).unwrap();
        let permissions = SOURCES.map(|source| permission(source, &[HOST]));
        let key = local.control().create_key("north", &permissions).unwrap().unwrap();

        let issued = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let (certificate, private_key) = (issued.cert.pem(), issued.signing_key.serialize_pem());
        let log = Arc::new(Mutex::new(Vec::new()));
        let lines = Arc::clone(&log);
        let write = Arc::new(move |access: &Access| lines.lock().unwrap().push(access.clone()));
        let server =
            Server::new(local.clone(), certificate.as_bytes(), private_key.as_bytes(), bounds, write)
                .unwrap();
        let runtime = Runtime::new().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let at = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        let serving = runtime.spawn(server.serve(listener, async move { drop(stopped.await) }));
        Self {
            local,
            at,
            key,
            log,
            clock,
            authority: certificate,
            stop: Some(stop),
            serving: Some(serving),
            runtime,
            folder,
        }
    }

    pub(crate) fn client(&self) -> HttpVault {
        self.client_of(&self.key, self.at)
    }

    pub(crate) fn client_of(&self, key: &ConnectorKey, at: SocketAddr) -> HttpVault {
        HttpVault::new(HttpVaultOptions {
            address: format!("https://localhost:{}", at.port()).parse().unwrap(),
            key: key.clone(),
            authority_pem: Some(self.authority.clone().into_bytes()),
            clock: Arc::clone(&self.clock),
        })
        .unwrap()
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Asks the server to stop.
    pub(crate) fn stop(&mut self) {
        self.stop.take().unwrap().send(()).unwrap();
    }

    /// Waits until it has stopped, and returns whether all was finished.
    pub(crate) fn stopped(&mut self) -> bool {
        self.runtime.block_on(self.serving.take().unwrap()).unwrap()
    }

    /// Waits until the log has a line with this code, and returns how many lines it has.
    #[track_caller]
    pub(crate) fn until_logged(&self, code: &str) -> usize {
        let began = Instant::now();
        loop {
            let log = self.log.lock().unwrap();
            if log.iter().any(|access| access.code == code) {
                return log.len();
            }
            assert!(began.elapsed() < Duration::from_secs(20), "no {code} in {log:#?}");
            drop(log);
            sleep(Duration::from_millis(5));
        }
    }

    /// A TLS connection on which anything can be written.
    pub(crate) fn raw(&self) -> Raw {
        let mut roots = RootCertStore::empty();
        use rustls_pki_types::pem::PemObject as _;
        for certificate in rustls_pki_types::CertificateDer::pem_slice_iter(self.authority.as_bytes()) {
            roots.add(certificate.unwrap()).unwrap();
        }
        let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let session = ClientConnection::new(Arc::new(config), "localhost".try_into().unwrap()).unwrap();
        let stream = TcpStream::connect(self.at).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.set_write_timeout(Some(Duration::from_secs(20))).unwrap();
        Raw(StreamOwned::new(session, stream))
    }

    pub(crate) fn bearer(&self) -> String {
        format!("Authorization: Bearer {}\r\n", self.key.secret())
    }
}

pub(crate) struct Raw(pub(crate) StreamOwned<ClientConnection, TcpStream>);

impl Raw {
    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.0.write_all(bytes.as_ref()).unwrap();
        self.0.flush().unwrap();
    }

    /// Everything until the server closes.
    pub(crate) fn rest(&mut self) -> String {
        let mut text = Vec::new();
        // A server that cuts off says no goodbye.
        drop(self.0.read_to_end(&mut text));
        String::from_utf8_lossy(&text).into_owned()
    }

    /// The next answer: its status, its head, and its body as JSON.
    #[track_caller]
    pub(crate) fn answer(&mut self) -> (u16, String, Value) {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            let read = self.0.read(&mut byte);
            assert!(matches!(read, Ok(1)), "{read:?} after {:?}", String::from_utf8_lossy(&head));
            head.push(byte[0]);
        }
        let head = String::from_utf8(head).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
        self.0.read_exact(&mut body).unwrap();
        (status, head, serde_json::from_slice(&body).unwrap_or(Value::Null))
    }
}
