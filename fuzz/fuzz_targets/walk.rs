//! Feeds `releve_fuzz::walk`.

releve_fuzz::target!(walk);
