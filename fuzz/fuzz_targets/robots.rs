releve_fuzz::target!(robots);
