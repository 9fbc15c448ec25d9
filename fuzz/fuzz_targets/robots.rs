//! Feeds `releve_fuzz::robots`.
#![cfg_attr(fuzzing, no_main)]

releve_fuzz::target!(robots);
