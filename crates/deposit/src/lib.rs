//! A deposit's parts and format, the vault port, and the vault on disk.
