releve_fuzz::target!(cms_json);
