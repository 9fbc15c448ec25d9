releve_fuzz::target!(proof);
