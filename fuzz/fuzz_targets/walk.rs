//! Feeds `releve_fuzz::walk`.
#![cfg_attr(fuzzing, no_main)]

releve_fuzz::target!(walk);
