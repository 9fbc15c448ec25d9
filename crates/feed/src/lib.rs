//! Reads announcements (references and dates, nothing else) from RSS, Atom, JSON Feed and JSON lists.
