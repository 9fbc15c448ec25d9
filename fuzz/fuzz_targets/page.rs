//! Feeds `releve_fuzz::page`.
#![cfg_attr(fuzzing, no_main)]

releve_fuzz::target!(page);
