//! Feeds `releve_fuzz::page`.

releve_fuzz::target!(page);
