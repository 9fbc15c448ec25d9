releve_fuzz::target!(walk);
