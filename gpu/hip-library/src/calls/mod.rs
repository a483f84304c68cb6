//! The exported functions, with a file for each concept of HIP.
//!
//! Each function is small: it takes C's arguments, does one thing to the state and ends with a
//! status.

mod allocate;
mod capture;
mod context;
mod device;
mod error;
mod event;
mod function;
mod graph;
mod host_memory;
mod launch;
mod module;
mod pitched_copy;
mod pool;
mod properties;
mod registration;
mod stream;
mod unimplemented;
