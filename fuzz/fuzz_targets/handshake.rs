releve_fuzz::target!(handshake);
