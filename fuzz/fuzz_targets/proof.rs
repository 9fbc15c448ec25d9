//! Feeds `releve_fuzz::proof`.
#![cfg_attr(fuzzing, no_main)]

releve_fuzz::target!(proof);
