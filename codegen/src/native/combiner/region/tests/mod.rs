//! Tests of built regions. [`golden`] compares their text. [`operations`] and [`random`] run
//! kernels of them in the emulator ([`device`]), one operation at a time and many together, and
//! compare the results with the evaluator.

mod device;
mod golden;
mod lines;
mod operands;
mod operations;
mod random;
mod rounded;
