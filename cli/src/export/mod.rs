//! `wavetune export`: what is known, in the forms that other programs take.

mod iree_kernels;
mod iree_spec;
mod kernels;
mod ranges;
mod table;
mod which;

use clap::{Args, Subcommand};

use crate::Exit;

/// Write what is known in the form that another program takes.
#[derive(Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    form: Form,
}

#[derive(Subcommand)]
enum Form {
    IreeSpec(iree_spec::Arguments),
    IreeKernels(iree_kernels::Arguments),
    Kernels(kernels::Arguments),
    Table(table::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    match &arguments.form {
        Form::IreeSpec(arguments) => iree_spec::run(arguments),
        Form::IreeKernels(arguments) => iree_kernels::run(arguments),
        Form::Kernels(arguments) => kernels::run(arguments),
        Form::Table(arguments) => table::run(arguments),
    }
}
