-- Format 1. Instants are microseconds since 1970 (UTC), lengths microseconds, digests their 32 bytes.

-- What the file is: `realm` (see Realm), `boot` (the boot that it was made in).
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- A host's turn. `record` is JSON (see wire.rs); `boot` is that of the last stamp.
CREATE TABLE turn (host TEXT PRIMARY KEY, boot TEXT NOT NULL, record TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- `standing` is "rules", "absent" or the code of why the host is blocked, with `status` where one was the reason.
CREATE TABLE robots (
  authority TEXT PRIMARY KEY,
  host TEXT NOT NULL,
  fetched_at INTEGER NOT NULL,
  standing TEXT NOT NULL,
  status INTEGER,
  ends_at INTEGER NOT NULL,
  crawl_delay INTEGER,
  body BLOB NOT NULL
) STRICT;
CREATE INDEX robots_of_host ON robots (host, crawl_delay);

-- `lock` is JSON (see wire.rs). The last four count the references in each state.
CREATE TABLE source (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  lock TEXT NOT NULL,
  trigger_at INTEGER,
  backlog_at INTEGER,
  queued INTEGER NOT NULL DEFAULT 0,
  refused INTEGER NOT NULL DEFAULT 0,
  sealed INTEGER NOT NULL DEFAULT 0,
  set_aside INTEGER NOT NULL DEFAULT 0
) STRICT;

-- AUTOINCREMENT, so that no number comes again after old passes were dropped. `holder` is JSON.
CREATE TABLE pass (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  source INTEGER NOT NULL REFERENCES source (id),
  began_at INTEGER NOT NULL,
  holder TEXT NOT NULL,
  ended_at INTEGER,
  report TEXT,
  interrupted INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX pass_of_source ON pass (source, id);

CREATE TABLE vault (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;

-- Two receipts with one sequence are kept both: they are the trace of a vault that was put back to an earlier state.
CREATE TABLE receipt (
  id INTEGER PRIMARY KEY,
  vault INTEGER NOT NULL REFERENCES vault (id),
  sequence INTEGER NOT NULL,
  unit BLOB NOT NULL,
  seal BLOB NOT NULL,
  received_at INTEGER NOT NULL
) STRICT;
CREATE INDEX receipt_in_order ON receipt (vault, sequence);

-- `state`: 0 queued, 1 refused, 2 sealed, 3 set aside. `seen_in`: 0 trigger, 1 backlog.
-- `address` is '' where it equals the identifier, `sealed_address` is '' where it equals the address: ten million
-- references should not hold the same text twice. `address_key` is a hash of the address, an eighth of its size.
-- `date` is what references are ordered by.
CREATE TABLE reference (
  id INTEGER PRIMARY KEY,
  source INTEGER NOT NULL REFERENCES source (id),
  identifier TEXT NOT NULL,
  address TEXT,
  address_key INTEGER,
  seen_in INTEGER NOT NULL,
  first_seen INTEGER NOT NULL,
  published INTEGER,
  modified INTEGER,
  date INTEGER NOT NULL,
  state INTEGER NOT NULL,
  read_under INTEGER,
  read_at INTEGER,
  tried_in INTEGER,
  code TEXT,
  detail TEXT,
  refused_at INTEGER,
  attempts INTEGER,
  not_before INTEGER,
  receipt INTEGER REFERENCES receipt (id),
  content_key BLOB,
  sealed_address TEXT
) STRICT;
CREATE UNIQUE INDEX reference_by_identifier ON reference (source, identifier);
CREATE INDEX reference_by_address ON reference (source, address_key) WHERE address_key IS NOT NULL;
-- What is sealed is in neither of these, what is queued in the first alone: it comes and goes with every article.
CREATE INDEX reference_to_read ON reference (source, seen_in, date DESC) WHERE state <= 1;
CREATE INDEX reference_by_state ON reference (source, state, identifier) WHERE state IN (1, 3);
