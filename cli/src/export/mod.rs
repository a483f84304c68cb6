//! `wavetune export`: what is known, in the forms that other programs take.

mod iree_spec;
mod kernels;

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
    Kernels(kernels::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    match &arguments.form {
        Form::IreeSpec(arguments) => iree_spec::run(arguments),
        Form::Kernels(arguments) => kernels::run(arguments),
    }
}
