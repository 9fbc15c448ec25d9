"""What the field's own library takes to keep the same deposits: three records each, compressed, synced, indexed.

Reads the parts of the deposits from a folder, says that it is ready, and then writes as many as each line on its
standard input asks for, one after the other, with an answer for each line.
"""

import os
import sqlite3
import sys
from io import BytesIO

from warcio.warcwriter import WARCWriter


def main(parts, folder):
    envelope = open(os.path.join(parts, "envelope"), "rb").read()
    article = open(os.path.join(parts, "article.json"), "rb").read()
    proof = open(os.path.join(parts, "proof.json"), "rb").read()
    out = open(os.path.join(folder, "deposits.warc.gz"), "ab", buffering=0)
    writer = WARCWriter(out, gzip=True, warc_version="1.1")
    index = sqlite3.connect(os.path.join(folder, "index.sqlite"), isolation_level=None)
    index.execute("PRAGMA journal_mode = WAL")
    index.execute("PRAGMA synchronous = FULL")
    index.execute("CREATE TABLE unit (address TEXT PRIMARY KEY, offset INTEGER)")
    number = 0
    print("ready", flush=True)
    for line in sys.stdin:
        for _ in range(int(line)):
            number += 1
            address = f"https://www.example.org/articles/{number}"
            offset = out.tell()
            # Each has another envelope, as ours have.
            page = envelope[:-8] + b"%08d" % number
            for kind, media_type, block in [
                ("resource", "text/html", page),
                ("conversion", "application/json", article),
                ("metadata", "application/json", proof),
            ]:
                record = writer.create_warc_record(
                    address, kind, payload=BytesIO(block), length=len(block), warc_content_type=media_type
                )
                writer.write_record(record)
            os.fdatasync(out.fileno())
            index.execute("INSERT INTO unit VALUES (?, ?)", (address, offset))
        print("done", flush=True)


main(*sys.argv[1:])
