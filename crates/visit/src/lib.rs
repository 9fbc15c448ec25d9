//! One polite retrieval: robots, turn, dial, redirect, bounded body.
