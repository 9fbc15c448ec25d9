//! Feeds `releve_fuzz::cms_json`.

releve_fuzz::target!(cms_json);
