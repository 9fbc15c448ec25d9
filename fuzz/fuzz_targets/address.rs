//! Feeds `releve_fuzz::address`.
#![cfg_attr(fuzzing, no_main)]

releve_fuzz::target!(address);
