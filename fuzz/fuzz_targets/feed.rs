//! Feeds `releve_fuzz::feed`.

releve_fuzz::target!(feed);
