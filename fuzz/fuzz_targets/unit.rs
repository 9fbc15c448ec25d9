releve_fuzz::target!(unit);
