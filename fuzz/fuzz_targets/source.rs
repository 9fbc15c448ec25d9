//! Feeds `releve_fuzz::source`.
#![cfg_attr(fuzzing, no_main)]

releve_fuzz::target!(source);
