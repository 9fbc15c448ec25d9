//! Parses a source's configuration once, into types that can't be wrong.
