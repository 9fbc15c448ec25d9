//! How long and how large.
