//! Feeds `releve_fuzz::handshake`.

releve_fuzz::target!(handshake);
