"""Reads the files that `bench-backlog DIR` has written with ultimate-sitemap-parser, and prints how long it takes.

    python peer.py DIR
"""

import logging
import pathlib
import resource
import sys
import time

from usp.tree import sitemap_from_str

logging.disable(logging.CRITICAL)
files = [path.read_text() for path in sorted(pathlib.Path(sys.argv[1]).glob("*.xml"))]
begin = time.perf_counter()
count = sum(sum(1 for _ in sitemap_from_str(text).all_pages()) for text in files)
took = (time.perf_counter() - begin) * 1e3
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
print(f"{'ultimate-sitemap-parser':<30} {took:>7.1f} ms for {count} addresses, {peak} MiB at most")
