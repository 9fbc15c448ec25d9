//! Feeds `releve_fuzz::cms_json`.
#![cfg_attr(fuzzing, no_main)]

releve_fuzz::target!(cms_json);
