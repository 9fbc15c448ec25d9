//! Feeds `releve_fuzz::redirect`.

releve_fuzz::target!(redirect);
