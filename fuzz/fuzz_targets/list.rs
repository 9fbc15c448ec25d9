//! Feeds `releve_fuzz::list`.
#![cfg_attr(fuzzing, no_main)]

releve_fuzz::target!(list);
