//! Feeds `releve_fuzz::handshake`.
#![cfg_attr(fuzzing, no_main)]

releve_fuzz::target!(handshake);
