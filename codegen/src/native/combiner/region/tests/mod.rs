//! What is printed of regions: [`golden`] as text; [`operations`] each alone and [`random`] many together, by what kernels
//! of them compute in the emulator ([`device`]), against the evaluator on the host.

mod device;
mod golden;
mod lines;
mod operands;
mod operations;
mod random;
