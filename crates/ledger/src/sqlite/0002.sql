-- Format 2. The walk over a source's backlog that is under way, and the last that came to its end.

-- `place` is the walker's own, NULL once the walk has ended. `complete_at` is when the last complete walk began, and
-- `floor` the date down to which it went, NULL for the end of the list. `report` is JSON.
CREATE TABLE walk (
  source INTEGER PRIMARY KEY REFERENCES source (id),
  began_at INTEGER NOT NULL,
  place TEXT,
  complete_at INTEGER,
  floor TEXT,
  report TEXT
) STRICT;

-- What is sealed as read elsewhere than it was announced: few, so nothing is held twice.
CREATE INDEX reference_moved ON reference (source, sealed_address)
  WHERE sealed_address IS NOT NULL AND sealed_address <> '';
