//! Timestamps: asked of an authority that is openssl, and checked by openssl.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::support::{Ran, Sandbox, article, example, feed};

const A: &str = "https://www.example.test/a";
const B: &str = "https://www.example.test/b";

const CONFIGURATION: &str = "
[req]
distinguished_name = dn
prompt = no
[dn]
CN = Test
[ca]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign
[tsa]
extendedKeyUsage = critical,timeStamping
keyUsage = critical,digitalSignature
[tls]
subjectAltName = DNS:localhost
[authority]
serial = serial
signer_cert = tsa.pem
certs = ca.pem
signer_key = tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
accuracy = secs:1
ordering = yes
tsa_name = yes
";

/// Answers over HTTPS with what openssl replies; once the file `stubborn` is there, always with the same reply, and with the
/// status and media type that stand in it.
const SERVER: &str = r#"
import http.server, os, ssl, subprocess
class Authority(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        query = self.rfile.read(int(self.headers["Content-Length"]))
        assert self.headers["Content-Type"] == "application/timestamp-query"
        if not os.path.exists("stubborn"):
            open("query", "wb").write(query)
            reply = ["openssl", "ts", "-reply", "-config", "tsa.cnf", "-section", "authority"]
            subprocess.run(reply + ["-queryfile", "query", "-out", "reply"], check=True, stderr=subprocess.DEVNULL)
        body = open("reply", "rb").read()
        how = open("stubborn").read() if os.path.exists("stubborn") else "200 application/timestamp-reply"
        status, media_type = how.split()
        self.send_response(int(status))
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *args):
        print(self.headers["User-Agent"], flush=True)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("tls.pem", "tls.key")
server = http.server.HTTPServer(("127.0.0.1", 0), Authority)
server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_port, flush=True)
server.serve_forever()
"#;

/// An authority of its own, with a CA that vouches for its name and for its timestamps.
struct Authority {
    folder: TempDir,
    server: Child,
    address: String,
}

impl Authority {
    /// `None` where there is no openssl or no Python.
    fn start() -> Option<Self> {
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("tsa.cnf"), CONFIGURATION).unwrap();
        fs::write(folder.path().join("serial"), "01\n").unwrap();
        let key = ["-config", "tsa.cnf", "-newkey", "rsa:2048", "-nodes"];
        let ca = ["req", "-x509", "-extensions", "ca", "-days", "2", "-keyout", "ca.key", "-out", "ca.pem"];
        if openssl(folder.path(), &[&ca[..], &key].concat()).is_none_or(|ran| ran.code != 0) {
            assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "openssl is not installed");
            println!("skipped: openssl is not installed");
            return None;
        }
        for name in ["tsa", "tls"] {
            let file = |kind: &str| format!("{name}.{kind}");
            let (private, request, certificate) = (file("key"), file("csr"), file("pem"));
            let make = ["req", "-new", "-subj", "/CN=Test", "-keyout", &private, "-out", &request];
            openssl(folder.path(), &[&make[..], &key].concat()).unwrap().expect(0);
            let sign =
                ["x509", "-req", "-in", &request, "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial"];
            let how = ["-days", "2", "-extfile", "tsa.cnf", "-extensions", name, "-out", &certificate];
            openssl(folder.path(), &[&sign[..], &how].concat()).unwrap().expect(0);
        }
        let mut server = Command::new("python3")
            .args(["-c", SERVER])
            .current_dir(folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut port = String::new();
        BufReader::new(server.stdout.as_mut().unwrap()).read_line(&mut port).unwrap();
        Some(Self { folder, server, address: format!("https://localhost:{}/tsr", port.trim()) })
    }

    fn stamp(&self, sandbox: &Sandbox) -> Ran {
        let ca = self.folder.path().join("ca.pem");
        sandbox.run(&[
            "vault",
            "timestamp",
            "--authority",
            &self.address,
            "--authority-ca",
            ca.to_str().unwrap(),
            "--json",
        ])
    }
}

impl Drop for Authority {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn openssl(folder: &Path, args: &[&str]) -> Option<Ran> {
    Command::new("openssl").args(args).current_dir(folder).output().ok().as_ref().map(Ran::of)
}

#[test]
fn openssl_verifies_the_timestamp_of_a_unit() {
    let Some(authority) = Authority::start() else { return };
    let host =
        example().at("/feed.xml", feed([("a", A), ("b", B)])).at("/a", article("a")).at("/b", article("b"));
    let sandbox = Sandbox::of_pages(host);
    assert_eq!(sandbox.pass()["sealed"], 2);
    let segment = sandbox.path("vault/segments/000001.warc.gz");
    let before = fs::read(&segment).unwrap();
    let ran = sandbox.run(&["show", "a", "--format", "timestamp"]).expect(2);
    assert!(ran.stderr.contains("has no timestamp"), "{}", ran.stderr);

    assert_eq!(authority.stamp(&sandbox).expect(0).json()["stamped"], 2);
    assert_eq!(authority.stamp(&sandbox).expect(0).json()["stamped"], 0);
    // What was sealed before is there, bit for bit, and the timestamps behind it.
    assert_eq!(&fs::read(&segment).unwrap()[..before.len()], before);
    let verified = sandbox.run(&["verify", "--json"]).expect(0).json();
    assert_eq!((&verified["units"], &verified["timestamps"]), (&2.into(), &2.into()), "{verified}");

    let bytes = |format: &str| {
        let shown = sandbox.command(&["show", "a", "--format", format]).output().unwrap();
        let path = authority.folder.path().join(format);
        fs::write(&path, shown.stdout).unwrap();
        path
    };
    let unit = bytes("unit");
    bytes("timestamp");
    let verify = ["ts", "-verify", "-data", "unit", "-in", "timestamp", "-token_in", "-CAfile", "ca.pem"];
    let found = openssl(authority.folder.path(), &verify).unwrap().expect(0);
    assert!(found.stdout.contains("OK") || found.stderr.contains("OK"), "{found:?}");
    let mut altered = fs::read(&unit).unwrap();
    altered[100] ^= 1;
    fs::write(&unit, altered).unwrap();
    assert_ne!(openssl(authority.folder.path(), &verify).unwrap().code, 0);

    let shown = sandbox.run(&["show", "a"]).expect(0).stdout;
    assert!(shown.contains("known to a timestamp authority at 20"), "{shown}");
    // They are found again from the segments alone.
    for suffix in ["", "-wal", "-shm"] {
        drop(fs::remove_file(sandbox.path(&format!("vault/index.sqlite{suffix}"))));
    }
    sandbox.run(&["vault", "reindex"]).expect(0);
    assert_eq!(sandbox.run(&["show", "a"]).expect(0).stdout, shown);
    assert_eq!(authority.stamp(&sandbox).expect(0).json()["stamped"], 0);

    // A token that was altered is found by the chain.
    let mut bytes = fs::read(&segment).unwrap();
    let at = bytes.windows(15).rposition(|window| window == b"application/cms").unwrap() + 200;
    bytes[at] ^= 1;
    fs::write(&segment, bytes).unwrap();
    sandbox.run(&["verify"]).expect(1);
}

#[test]
fn a_timestamp_of_something_else_is_not_sealed() {
    let Some(authority) = Authority::start() else { return };
    let host =
        example().at("/feed.xml", feed([("a", A), ("b", B)])).at("/a", article("a")).at("/b", article("b"));
    let sandbox = Sandbox::of_pages(host);
    assert_eq!(sandbox.pass()["sealed"], 2);
    let args = ["vault", "timestamp", "--authority", &authority.address, "--json"];
    // Its certificate leads to no public authority.
    let unknown = sandbox.run(&args).expect(1).json();
    assert_eq!(unknown["stamped"], 0);
    sandbox.run(&["vault", "timestamp", "--authority", "http://localhost/tsr"]).expect(2);

    // A reply to somebody else's request, and other answers that are none.
    let query = ["ts", "-query", "-digest", &"ab".repeat(32), "-sha256", "-cert", "-out", "query"];
    openssl(authority.folder.path(), &query).unwrap().expect(0);
    let reply = [
        "ts",
        "-reply",
        "-config",
        "tsa.cnf",
        "-section",
        "authority",
        "-queryfile",
        "query",
        "-out",
        "reply",
    ];
    openssl(authority.folder.path(), &reply).unwrap().expect(0);
    let whole = fs::read(authority.folder.path().join("reply")).unwrap();
    let large = [whole.as_slice(), &vec![0; 100_000]].concat();
    for (how, reply, why) in [
        ("200 application/timestamp-reply", whole.as_slice(), "of another digest"),
        ("200 application/timestamp-reply", b"<html>", "not as RFC 3161 has it"),
        ("200 application/timestamp-reply", &large, "length limit"),
        ("200 text/html", &whole, "its answer is not application/timestamp-reply"),
        ("503 application/timestamp-reply", &whole, "it answered 503"),
        ("302 application/timestamp-reply", &whole, "it answered 302"),
    ] {
        fs::write(authority.folder.path().join("stubborn"), how).unwrap();
        fs::write(authority.folder.path().join("reply"), reply).unwrap();
        let refused = authority.stamp(&sandbox).expect(1).json();
        assert_eq!(refused["stamped"], 0);
        assert!(refused["error"].as_str().unwrap().contains(why), "{why} is not in {refused}");
    }
    assert_eq!(sandbox.run(&["verify", "--json"]).expect(0).json()["timestamps"], 0);

    fs::remove_file(authority.folder.path().join("stubborn")).unwrap();
    assert_eq!(authority.stamp(&sandbox).expect(0).json()["stamped"], 2);
}
