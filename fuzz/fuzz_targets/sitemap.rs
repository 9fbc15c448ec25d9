//! Feeds `releve_fuzz::sitemap`.
#![cfg_attr(fuzzing, no_main)]

releve_fuzz::target!(sitemap);
