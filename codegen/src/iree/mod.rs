//! The `iree` generator: `iree-compile` in a child process.
