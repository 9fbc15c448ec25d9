//! Feeds `releve_fuzz::unit`.
#![cfg_attr(fuzzing, no_main)]

releve_fuzz::target!(unit);
