releve_fuzz::target!(source);
