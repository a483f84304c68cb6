//! `cargo xtask train`: trains the time model of searches on modelled trials.

use anyhow::Result;

use crate::setup;
use crate::step;
use crate::workspace;

/// The test that makes the trials and writes the model.
const TRAINING: &str = "kernel_search::training::train_the_time_model";

/// Makes the trials of all training problems and rewrites the model.
pub(crate) fn run() -> Result<()> {
    setup::run(setup::SetupPurpose::Demo)?;
    let mut training = workspace::cargo();
    training.args(["test", "--package", "tuner", "--lib", "--"]);
    training.args(["--ignored", "--exact", TRAINING, "--nocapture"]);
    step::run(&mut training)
}
