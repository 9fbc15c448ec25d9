//! Decides whether one redirect hop is followed, which hosts are admitted and which IP addresses are public.
