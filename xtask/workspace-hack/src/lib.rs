//! A manifest without code: it chooses the features of shared dependencies once.
//!
//! Building one package therefore rebuilds no dependency of another.
