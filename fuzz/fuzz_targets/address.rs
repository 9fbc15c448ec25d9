releve_fuzz::target!(address);
