//! One pass over one source: lock, trigger, articles, extract, prove, deposit.
