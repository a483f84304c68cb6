//! Samples of ranges: each is compiled, run and verified on the emulated device of its
//! configuration, as a trial is.

use std::collections::BTreeMap;

use anyhow::bail;
use bench_harness::{EmulatedDevice, Rig};
use codegen_sandbox::Sandbox;
use configgen::Generator;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use iree::TIME_LIMIT;
use iree_export::tuning_spec::Ranges;
use tuner::Choice;

use crate::verbosity::note;
use crate::{log, sandbox};

/// Tries samples until all ranges are decided. Returns the number of samples tried. `asked` is
/// the version of iree-compile that the spec is for, if the user names one.
pub(super) fn try_samples(
    ranges: &mut Ranges,
    asked: Option<&str>,
    sandbox: Option<Sandbox>,
) -> anyhow::Result<usize> {
    let process = sandbox::compiler(sandbox)?;
    let builder = tuner::builder(Generator::IREE, TIME_LIMIT, process)?;
    let found = &builder.compiler().version;
    if let Some(asked) = asked.filter(|asked| asked != found) {
        bail!(
            "iree-compile {found} would compile the samples of ranges, but the spec is for iree-compile {asked}"
        );
    }
    let mut rigs: BTreeMap<String, EmulatedDevice> = BTreeMap::new();
    let devices: Vec<String> = ranges.devices().into_iter().map(str::to_owned).collect();
    for device in devices {
        match EmulatedDevice::named(&device) {
            Ok(rig) => drop(rigs.insert(device, rig)),
            Err(_) => {
                note!("no ranges for tunings on {device}: it is not emulated");
                ranges.leave_out(&device);
            }
        }
    }
    let style =
        ProgressStyle::with_template("samples {bar:24} {pos}/{len} {elapsed}\n  {wide_msg}")
            .expect("the template is valid");
    let bar =
        ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr()).with_style(style);
    log::set_progress_bar(&bar);
    let mut tried = 0;
    while let Some(next) = ranges.next() {
        // A verdict may decide other samples of its range, so the length changes.
        bar.set_length((tried + ranges.open()) as u64);
        bar.set_message(next.problem.to_string());
        let Some(rig) = rigs.get_mut(&next.device) else {
            bail!("there is no emulated device {}", next.device);
        };
        let choice = Choice::Configured(next.configuration.clone());
        let rig: &mut dyn Rig = rig;
        let trial = tuner::try_configuration(rig, builder.as_ref(), &next.problem, choice)?;
        ranges.tell(&next, trial.outcome.status());
        tried += 1;
        bar.set_position(tried as u64);
    }
    bar.finish_and_clear();
    Ok(tried)
}
