releve_fuzz::target!(page);
