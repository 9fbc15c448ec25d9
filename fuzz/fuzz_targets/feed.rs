//! Feeds `releve_fuzz::feed`.
#![cfg_attr(fuzzing, no_main)]

releve_fuzz::target!(feed);
