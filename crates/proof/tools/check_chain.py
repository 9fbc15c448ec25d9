#!/usr/bin/env python3
"""Checks a vault's chain of seals, without the code that wrote it.

    python3 check_chain.py [--head DIGEST] SEGMENT...

The segments are given in their order, from the first. Each seal names the digest of the bytes that were sealed, of the seal
before it, and of the record that begins its segment; all are computed again here. It prints the last seal's digest, the head.
A cut at the very end leaves a chain that is whole: compare the head with a receipt that somebody else kept, or give one
as --head.
"""

import hashlib
import json
import sys
import zlib

CHUNK = 1 << 20


def members(path):
    """Every gzip member of a file: its bytes as they lie there, and what is packed in it."""
    with open(path, "rb") as file:
        rest = b""
        while rest or (rest := file.read(CHUNK)):
            unpacker, raw, text = zlib.decompressobj(31), [], []
            while not unpacker.eof:
                if not rest and not (rest := file.read(CHUNK)):
                    sys.exit(f"{path}: the last record is cut off")
                text.append(unpacker.decompress(rest))
                raw.append(rest[: len(rest) - len(unpacker.unused_data)])
                rest = unpacker.unused_data
            yield b"".join(raw), b"".join(text)


def seal_of(text):
    """The JSON of a seal; None for any other record."""
    head, _, block = text.partition(b"\r\n\r\n")
    if b"\r\nWARC-Type: metadata\r\n" not in head or b"\r\nWARC-Concurrent-To:" in head:
        return None
    document = json.loads(block.rstrip(b"\r\n"))
    return document if "seal" in document else None


def main(head, paths):
    previous, sequence = None, 0
    for path in paths:
        segment, unit = None, hashlib.sha256()
        for raw, text in members(path):
            if segment is None:
                segment = hashlib.sha256(raw).hexdigest()
                continue
            seal = seal_of(text)
            if seal is None:
                unit.update(raw)
                continue
            where = f"{path}: the seal {seal['sequence']}"
            for name, found, expected in [
                ("sequence", seal["sequence"], sequence + 1),
                ("unit", seal["unit"], unit.hexdigest()),
                ("previous", seal.get("previous"), previous),
                ("segment", seal["segment"], segment),
            ]:
                if found != expected:
                    sys.exit(f"FAILED  {where} says {name} {found}, and it is {expected}")
            previous, sequence = hashlib.sha256(raw).hexdigest(), sequence + 1
            unit = hashlib.sha256()
    if head is not None and previous != head:
        sys.exit(f"FAILED  the chain ends with {previous}, and not with {head}: it was cut off, or is another")
    print(f"{sequence} seals, each behind the one before; the head is {previous}")


if __name__ == "__main__":
    arguments = sys.argv[1:]
    known = None
    if arguments[:1] == ["--head"]:
        known, arguments = arguments[1], arguments[2:]
    if not arguments:
        sys.exit(__doc__)
    main(known, arguments)
