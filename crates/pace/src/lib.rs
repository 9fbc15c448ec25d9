//! Decides when the next request to a host may go, and when a source is due.
