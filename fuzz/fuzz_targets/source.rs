//! Feeds `releve_fuzz::source`.

releve_fuzz::target!(source);
