//! Feeds `releve_fuzz::redirect`.
#![cfg_attr(fuzzing, no_main)]

releve_fuzz::target!(redirect);
