releve_fuzz::target!(feed);
