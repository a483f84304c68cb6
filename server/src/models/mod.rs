//! Submitted models: the checks of a request, and the worker that compares models with and without
//! tuned kernels.
//!
//! A module of a client is foreign text for iree-compile. It is compiled in a sandbox only, with
//! options from a list, and with limits of time and memory.

pub(crate) mod compiler_options;
pub(crate) mod description;
pub(crate) mod worker;
