//! Decides what an address becomes before it is requested, deposited or compared.
