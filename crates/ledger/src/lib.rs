//! The ledger port: what is known, the pace, the locks; SQLite by default.
