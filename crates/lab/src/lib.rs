//! A scripted https publisher on loopback with its own certificate authority.
