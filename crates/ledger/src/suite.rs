//! The tests that every adapter must pass.
