releve_fuzz::target!(sitemap);
