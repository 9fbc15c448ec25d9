releve_fuzz::target!(redirect);
