releve_fuzz::target!(list);
