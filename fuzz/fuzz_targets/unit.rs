//! Feeds `releve_fuzz::unit`.

releve_fuzz::target!(unit);
