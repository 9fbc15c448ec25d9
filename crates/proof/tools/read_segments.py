#!/usr/bin/env python3
"""Takes what was sealed of one address out of a vault's segments, without the code that wrote them.

    python3 read_segments.py ADDRESS SEGMENT...

For each version, in the order of sealing, it writes NUMBER.envelope and NUMBER.proof.json; and each set of certificate
authorities as roots-SHA256.pem, where SHA256 is what a proof has under tls.roots. It checks no proof: check_evidence.py
does. It replaces no file.
"""

import gzip
import hashlib
import sys


def records(segment):
    """Every record of a WARC file: the fields of its head, and its block, whose digest is the one in the head."""
    with gzip.open(segment) as warc:
        while warc.readline():
            head = {}
            while line := warc.readline().strip():
                name, _, value = line.decode().partition(": ")
                head[name] = value
            block = warc.read(int(head["Content-Length"]))
            warc.read(4)
            if head["WARC-Block-Digest"] != "sha256:" + hashlib.sha256(block).hexdigest():
                sys.exit(f"{segment}: the record {head['WARC-Record-ID']} has another digest than it names")
            yield head, block


def write(name, block):
    with open(name, "xb") as file:
        file.write(block)
    print(name)


def main(address, *segments):
    number, envelope = 0, None
    for segment in segments:
        for head, block in records(segment):
            kind, target = head["WARC-Type"], head.get("WARC-Target-URI", "")
            if target.startswith("urn:releve:roots:"):
                write(f"roots-{target.rpartition(':')[2]}.pem", block)
            elif kind == "resource" and target == address:
                number, envelope = number + 1, head["WARC-Record-ID"]
                write(f"{number}.envelope", block)
            elif kind == "metadata" and envelope and head.get("WARC-Concurrent-To") == envelope:
                write(f"{number}.proof.json", block)
    if number == 0:
        sys.exit(f"nothing was read at {address}")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
