//! Copies structured text and descriptor out of an article as it was read, each value with its place.
