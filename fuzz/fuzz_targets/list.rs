//! Feeds `releve_fuzz::list`.

releve_fuzz::target!(list);
