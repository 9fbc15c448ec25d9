-- Format 2. The walk over a source's backlog that is under way or was the last.

-- `place` and `history` are the walker's own texts; `place` is NULL once the walk has ended. `report` is JSON.
CREATE TABLE walk (
  source INTEGER PRIMARY KEY REFERENCES source (id),
  began_at INTEGER NOT NULL,
  place TEXT,
  history TEXT,
  report TEXT
) STRICT;

-- What is sealed as read elsewhere than it was announced: few, so nothing is held twice.
CREATE INDEX reference_moved ON reference (source, sealed_address)
  WHERE sealed_address IS NOT NULL AND sealed_address <> '';
