//! Feeds `releve_fuzz::address`.

releve_fuzz::target!(address);
