//! Feeds `releve_fuzz::sitemap`.

releve_fuzz::target!(sitemap);
