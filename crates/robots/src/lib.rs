//! Decides what a robots.txt lets us read, by which line, and how long that holds.
