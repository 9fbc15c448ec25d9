#!/usr/bin/env python3
"""Checks a proof without the code that made it.

    check_evidence.py PROOF.json [--envelope FILE] [--roots ROOTS.pem]

It needs Python 3.9 or later with nothing installed, and the `openssl` command, version 3. It prints a line per check and exits with 0 if
all of them passed, with 1 if one failed, and with 2 if the proof could not be read at all.

What the lines mean, and what they do not, is said in GUIDE.md beside this folder.
"""

import argparse
import base64
import calendar
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.parse

CLIENT_HELLO, SERVER_HELLO, ENCRYPTED_EXTENSIONS = 1, 2, 8
CERTIFICATE, SERVER_KEY_EXCHANGE, CERTIFICATE_REQUEST, CERTIFICATE_VERIFY = 11, 12, 13, 15

# RFC 8446 section 4.1.3: a ServerHello with this random is a HelloRetryRequest.
RETRY = hashlib.sha256(b"HelloRetryRequest").digest()

# RFC 8446 section B.4: the number of each suite, and its hash.
TLS13_SUITES = {
    0x1301: ("TLS_AES_128_GCM_SHA256", "sha256"),
    0x1302: ("TLS_AES_256_GCM_SHA384", "sha384"),
    0x1303: ("TLS_CHACHA20_POLY1305_SHA256", "sha256"),
}

PSS = ["-pkeyopt", "rsa_padding_mode:pss", "-pkeyopt", "rsa_pss_saltlen:digest"]
# RFC 8446 section 4.2.3: how openssl is told to verify each signature scheme.
SCHEMES = {
    0x0403: ["-digest", "sha256"],
    0x0503: ["-digest", "sha384"],
    0x0804: ["-digest", "sha256", *PSS],
    0x0805: ["-digest", "sha384", *PSS],
    0x0806: ["-digest", "sha512", *PSS],
    0x0807: [],
}
# RFC 5246 section 7.4.1.4.1: those that TLS 1.2 has besides.
TLS12_SCHEMES = {0x0401: ["-digest", "sha256"], 0x0501: ["-digest", "sha384"], 0x0601: ["-digest", "sha512"], **SCHEMES}


class Failed(Exception):
    """A check that failed, with the reason."""


def ensure(holds, reason):
    if not holds:
        raise Failed(reason)


class Reader:
    """Reads TLS's numbers and vectors from the front of a byte string, and fails where it is too short."""

    def __init__(self, data):
        self.data = data

    def take(self, length):
        ensure(length <= len(self.data), "a message is cut off")
        taken, self.data = self.data[:length], self.data[length:]
        return taken

    def number(self, size):
        return int.from_bytes(self.take(size), "big")

    def vector(self, size):
        return self.take(self.number(size))

    def end(self):
        ensure(not self.data, "a message is longer than it should be")


def messages(data):
    """Splits handshake messages: (type, body, whole)."""
    found = []
    while data:
        reader = Reader(data)
        kind, body = reader.number(1), reader.vector(3)
        whole = data[: 4 + len(body)]
        data = reader.data
        found.append((kind, body, whole))
    return found


def extensions(reader):
    """The extensions at the end of a hello."""
    block = Reader(reader.vector(2))
    reader.end()
    found = {}
    while block.data:
        kind, body = block.number(2), block.vector(2)
        ensure(kind not in found, "an extension is there twice")
        found[kind] = body
    return found


def read_client_hello(body):
    """The server name asked for."""
    reader = Reader(body)
    reader.take(2 + 32)
    reader.vector(1), reader.vector(2), reader.vector(1)
    names = Reader(extensions(reader).get(0, b""))
    names = Reader(names.vector(2))
    ensure(names.number(1) == 0, "the ClientHello asks for no host name")
    return names.vector(2).decode("ascii")


def read_server_hello(body):
    """The random, the cipher suite and the version chosen."""
    reader = Reader(body)
    reader.take(2)
    random = reader.take(32)
    reader.vector(1)
    suite = reader.number(2)
    reader.take(1)
    return random, suite, extensions(reader).get(43)


def read_certificates(body):
    """The chain, and the OCSP response stapled to its first certificate."""
    reader = Reader(body)
    ensure(reader.vector(1) == b"", "the Certificate message has a context")
    entries = Reader(reader.vector(3))
    reader.end()
    chain, ocsp = [], None
    while entries.data:
        certificate, extra = entries.vector(3), Reader(entries.vector(2))
        while extra.data:
            kind, body = extra.number(2), Reader(extra.vector(2))
            if kind == 5 and not chain:
                ensure(body.number(1) == 1, "what is stapled is no OCSP response")
                ocsp = body.vector(3)
        chain.append(certificate)
    return chain, ocsp


def decode(text):
    return base64.b64decode(text, validate=True)


def pem(der):
    body = base64.encodebytes(der).decode()
    return f"-----BEGIN CERTIFICATE-----\n{body}-----END CERTIFICATE-----\n"


def openssl(*arguments):
    """Runs openssl; gives its output if it is content, None if it is not."""
    run = subprocess.run(["openssl", *map(str, arguments)], capture_output=True, text=True, check=False)
    return run.stdout if run.returncode == 0 else None


class Check:
    def __init__(self, proof, folder, arguments):
        self.proof, self.tls, self.folder, self.arguments = proof, proof["tls"], folder, arguments
        self.presented = [decode(text) for text in self.tls["presented"]]
        self.verified = [decode(text) for text in self.tls["verified"]]

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def document(self):
        """The document is of version 1 and has no second spelling."""
        ensure(self.proof["version"] == 1, "the version is not 1")
        canonical = json.dumps(self.proof, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        ensure(canonical.encode() == self.arguments.proof.read_bytes(), "the document is not in the form of RFC 8785")
        ensure(not self.proof["lab"], "it is a proof from the lab and attests nothing")

    def server_name(self):
        """The address is https, at the host whose name the client asked for."""
        address = urllib.parse.urlsplit(self.proof["address"])
        ensure(address.scheme == "https", "the address is not https")
        ensure(address.hostname == self.tls["server_name"], "the address is at another host")

    def chain(self):
        """openssl verifies the recorded path at the instant of the read."""
        ensure(self.verified[0] == self.presented[0], "the path begins with another certificate")
        ensure(all(der in self.presented for der in self.verified[:-1]), "the path holds what was not presented")
        leaf, *issuers, root = self.verified
        root_file = self.write("root.pem", pem(root))
        arguments = ["-CAfile", root_file, "-no-CApath", "-no-CAstore", "-purpose", "sslserver", "-auth_level", "2"]
        # A root need not be self-signed.
        arguments += ["-partial_chain"]
        if issuers:
            arguments += ["-untrusted", self.write("issuers.pem", "".join(map(pem, issuers)))]
        # openssl leaves fractions of a second out, and so does a certificate.
        instant = calendar.timegm(time.strptime(self.proof["read_at"][:19], "%Y-%m-%dT%H:%M:%S"))
        verified = openssl("verify", "-attime", instant, *arguments, self.write("leaf.pem", pem(leaf)))
        ensure(verified is not None, "openssl does not verify the path at the instant of the read")

    def name(self):
        """The certificate names the server. openssl's own check is more lenient, so the names are compared here."""
        text = openssl("x509", "-in", self.write("leaf.pem", pem(self.presented[0])), "-noout", "-ext", "subjectAltName")
        names = re.findall(r"DNS:([^,\s]+)", text or "")
        host = self.tls["server_name"].lower()
        wildcard = "*." + host.partition(".")[2]
        ensure(any(name.lower() in (host, wildcard) for name in names), f"it names {', '.join(names) or 'no server'}")

    def roots(self):
        """The root is in the set that the proof records."""
        text = self.arguments.roots.read_bytes()
        ensure(hashlib.sha256(text).hexdigest() == self.tls["roots"]["sha256"], "it is another set than the one recorded")
        blocks = re.findall(rb"-----BEGIN CERTIFICATE-----(.*?)-----END CERTIFICATE-----", text, re.DOTALL)
        ensure(self.verified[-1] in [base64.b64decode(block) for block in blocks], "the root is not in the set")

    def evidence(self):
        """The key of the server's certificate signed the handshake."""
        ensure("evidence" in self.tls, "there is none")
        evidence = self.tls["evidence"]
        if list(evidence) == ["tls13"]:
            ensure(self.tls["protocol"] == "TLS 1.3", "the evidence is of another protocol version")
            signed, signature, schemes = self.tls13(evidence["tls13"])
        else:
            ensure(self.tls["protocol"] == "TLS 1.2", "the evidence is of another protocol version")
            signed, signature, schemes = self.tls12(evidence["tls12"])
        reader = Reader(signature)
        scheme, signature = reader.number(2), reader.vector(2)
        reader.end()
        ensure(scheme in schemes, "the signature is of a scheme that is not supported")
        key = openssl("x509", "-in", self.write("leaf.pem", pem(self.presented[0])), "-noout", "-pubkey")
        ensure(key is not None, "the certificate cannot be read")
        files = ["-inkey", self.write("key.pem", key), "-in", self.write("signed", signed)]
        files += ["-sigfile", self.write("signature", signature)]
        verified = openssl("pkeyutl", "-verify", "-pubin", "-rawin", *files, *schemes[scheme])
        ensure(verified is not None, "the signature is not by the key of the server's certificate")

    def tls13(self, evidence):
        """What CertificateVerify signs, and that it is the handshake that the proof describes."""
        transcript = messages(decode(evidence["transcript"]))
        first = []
        if [kind for kind, _, _ in transcript[:2]] == [CLIENT_HELLO, SERVER_HELLO]:
            if read_server_hello(transcript[1][1])[0] == RETRY:
                first, transcript = transcript[:2], transcript[2:]
        kinds = [kind for kind, _, _ in transcript if kind != CERTIFICATE_REQUEST]
        ensure(
            kinds == [CLIENT_HELLO, SERVER_HELLO, ENCRYPTED_EXTENSIONS, CERTIFICATE], "the messages are not a handshake's"
        )
        server_name = read_client_hello(transcript[0][1])
        random, suite, version = read_server_hello(transcript[1][1])
        chain, ocsp = read_certificates(transcript[-1][1])
        ensure(random != RETRY and version == b"\x03\x04" and suite in TLS13_SUITES, "the handshake is not one of TLS 1.3")
        suite, hash_name = TLS13_SUITES[suite]
        stapled = decode(self.tls["ocsp"]) if "ocsp" in self.tls else None
        ensure(suite == self.tls["cipher_suite"], "the handshake has another cipher suite")
        ensure(server_name == self.tls["server_name"], "the handshake asked for another name")
        ensure(chain == self.presented, "the handshake holds another chain")
        ensure(ocsp == stapled, "the handshake holds another OCSP response")

        digest = hashlib.new(hash_name)
        if first:
            # RFC 8446 section 4.4.1: the hash of the first ClientHello stands in its place.
            inner = hashlib.new(hash_name, first[0][2]).digest()
            digest.update(bytes([254, 0, 0, len(inner)]) + inner + first[1][2])
        for _, _, whole in transcript:
            digest.update(whole)
        verify = messages(decode(evidence["certificate_verify"]))
        ensure([kind for kind, _, _ in verify] == [CERTIFICATE_VERIFY], "there is no CertificateVerify")
        signed = b" " * 64 + b"TLS 1.3, server CertificateVerify\0" + digest.digest()
        return signed, verify[0][1], SCHEMES

    def tls12(self, evidence):
        """What ServerKeyExchange signs: the two randoms and the parameters before the signature."""
        randoms = decode(evidence["client_random"]) + decode(evidence["server_random"])
        ensure(len(randoms) == 64, "a random is not 32 bytes long")
        exchange = messages(decode(evidence["server_key_exchange"]))
        ensure([kind for kind, _, _ in exchange] == [SERVER_KEY_EXCHANGE], "there is no ServerKeyExchange")
        reader = Reader(exchange[0][1])
        ensure(reader.number(1) == 3, "the key exchange is not over a named curve")
        reader.number(2), reader.vector(1)
        parameters = exchange[0][1][: -len(reader.data)]
        return randoms + parameters, reader.data, TLS12_SCHEMES

    def envelope(self):
        """The envelope is the one that was sealed."""
        content, expected = self.arguments.envelope.read_bytes(), self.proof["envelope"]
        ensure(hashlib.sha256(content).hexdigest() == expected["sha256"], "the SHA-256 differs")
        ensure(len(content) == expected["length"], "the length differs")


def main():
    parser = argparse.ArgumentParser(description="Checks a proof without the code that made it.")
    parser.add_argument("proof", type=pathlib.Path, metavar="PROOF.json")
    parser.add_argument("--envelope", type=pathlib.Path, help="the body as sealed, to compare with the proof")
    parser.add_argument("--roots", type=pathlib.Path, help="the set of roots as sealed, in PEM")
    arguments = parser.parse_args()
    try:
        proof = json.loads(arguments.proof.read_bytes())
        print(proof["attests"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"the proof cannot be read: {error}", file=sys.stderr)
        return 2
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        check = Check(proof, pathlib.Path(folder), arguments)
        checks = [
            ("document", check.document),
            ("host", check.server_name),
            ("chain", check.chain),
            ("name", check.name),
            ("evidence", check.evidence),
        ]
        if arguments.roots:
            checks.append(("roots", check.roots))
        if arguments.envelope:
            checks.append(("envelope", check.envelope))
        for name, run in checks:
            try:
                run()
                print(f"passed   {name}")
            except (Failed, ValueError, KeyError, IndexError) as reason:
                failures += 1
                print(f"FAILED   {name}: {reason}")
    for name, given in [("roots", arguments.roots), ("envelope", arguments.envelope)]:
        if not given:
            print(f"not made {name}: --{name} is not given")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
