//! The fetch port: one request, one hop, over checked addresses, with the certificate chain kept.
