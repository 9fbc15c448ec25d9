//! Says what a proof of a read holds and checks it, offline.
