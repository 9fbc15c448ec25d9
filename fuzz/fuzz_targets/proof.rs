//! Feeds `releve_fuzz::proof`.

releve_fuzz::target!(proof);
