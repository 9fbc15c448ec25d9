//! Feeds `releve_fuzz::robots`.

releve_fuzz::target!(robots);
