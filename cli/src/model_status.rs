//! Model status: the tuning status of each operation of a model, as one kernel and as several,
//! and the speedup over untuned kernels. These are times of kernels alone; the gate of
//! `model-profile` compares whole models.

use answers::model::{
    Gain, KernelSequence, Model, ModelProblem, OperationPlace, SequenceKernel, Standing,
    TuningState, UnknownOperations,
};
use configgen::{Generator, Problem, Target, check_problem};
use iree_export::{FusionDecision, ModuleProblem, weigh};
use kernel_export::ExportRequest;
use lookup::{FoundConfiguration, LookupRequest};
use store::Catalogue;

/// Returns the tuning status of each problem of a model.
pub(crate) async fn model_status(
    catalogue: Option<&dyn Catalogue>,
    target: &'static Target,
    seen: &[ModuleProblem],
) -> anyhow::Result<Model> {
    let mut model = Model {
        target: target.name,
        problems: Vec::new(),
        others: Vec::new(),
        gains: Vec::new(),
    };
    let wanted = ExportRequest {
        target,
        device: None,
        wish: false,
        beside_iree: false,
    };
    for one in seen {
        let problem = match &one.problem {
            Ok(problem) => problem,
            Err(reason) => {
                model.others.push(UnknownOperations {
                    count: one.count,
                    reason: reason.clone(),
                    places: places(one).collect(),
                });
                continue;
            }
        };
        // A model repeats operations: equal problems share a row with a count.
        let place = model.problems.iter().position(|it| it.problem == *problem);
        let place = place.unwrap_or_else(|| {
            model.problems.push(ModelProblem {
                problem: problem.clone(),
                count: 0,
                places: Vec::new(),
                forms: Vec::new(),
                generators: Vec::new(),
                shares_with: Vec::new(),
                several: Vec::new(),
            });
            model.problems.len() - 1
        });
        let asked = &mut model.problems[place];
        asked.count += one.count;
        asked.places.extend(places(one));
        if !asked.forms.contains(&one.form) {
            asked.forms.push(one.form);
        }
        let others = one.shares_with.iter();
        let others = others.filter(|it| !asked.shares_with.contains(it)).cloned();
        let others: Vec<Problem> = others.collect();
        asked.shares_with.extend(others);
        let weighed = weigh(catalogue, &wanted, one).await?;
        asked.several.extend(several(&weighed));
        // If no fused kernel is known, the first generator with a known time counts.
        let mut taken: Option<(FoundConfiguration, f64)> =
            weighed.known.clone().zip(weighed.time_us());
        for generator in Generator::ALL.into_iter().filter(|it| one.takes(*it)) {
            let (standing, found) = generator_status(catalogue, problem, target, generator).await?;
            taken = taken.or_else(|| found.map(|it| (it.clone(), it.time_us)));
            // Another operation of the same problem has added this row already.
            if asked.generators.iter().all(|it| it.generator != generator) {
                asked.generators.push(standing);
            }
        }
        // If two problems share operations, the total counts the row operation.
        if let (Some((found, time_us)), None) = (taken, &one.shares_with) {
            gain(&mut model.gains, one.count, &found, time_us);
        }
    }
    Ok(model)
}

/// Returns the places of equal operations.
fn places(one: &ModuleProblem) -> impl Iterator<Item = OperationPlace> {
    one.places.iter().map(|place| OperationPlace {
        function: place.function.clone(),
        operation: place.operation.clone(),
        location: place.location.clone(),
    })
}

/// Returns an operation as a sequence of several kernels, if it has parts.
fn several(weighed: &FusionDecision<'_>) -> Option<KernelSequence> {
    let parts = weighed.part_kernels().into_iter().filter_map(|part| {
        Some(SequenceKernel {
            problem: part.seen.replaced_problem()?.clone(),
            time_us: part.known.as_ref().map(|found| found.time_us),
        })
    });
    let parts: Vec<SequenceKernel> = parts.collect();
    (!parts.is_empty()).then(|| KernelSequence {
        count: weighed.seen.count,
        parts,
        others_us: weighed.others_us(),
        time_us: weighed.parts_us(),
        is_taken: weighed.prefers_parts(),
    })
}

/// Adds the tuned and the default time of `count` operations to their device's total.
fn gain(gains: &mut Vec<Gain>, count: usize, found: &FoundConfiguration, time_us: f64) {
    // Without a default time there is no speedup to add.
    let Some(default) = found.default_time_us else {
        return;
    };
    // Times of two devices, or measured and modelled times, have no common sum.
    let (device, clock) = (&found.provenance.device, found.clock);
    let place = gains
        .iter()
        .position(|it| it.device == *device && it.clock == clock);
    let place = place.unwrap_or_else(|| {
        gains.push(Gain {
            device: device.clone(),
            clock,
            count: 0,
            default_time_us: 0.0,
            time_us: 0.0,
        });
        gains.len() - 1
    });
    let gain = &mut gains[place];
    gain.count += count;
    gain.default_time_us += count as f64 * default;
    gain.time_us += count as f64 * time_us;
}

/// Returns the status of a problem with one generator, and its best configuration.
async fn generator_status(
    catalogue: Option<&dyn Catalogue>,
    problem: &Problem,
    target: &'static Target,
    generator: Generator,
) -> anyhow::Result<(Standing, Option<FoundConfiguration>)> {
    let mut standing = Standing {
        generator,
        state: TuningState::Untuned,
        time_us: None,
        default_time_us: None,
        clock: None,
        reason: None,
    };
    if let Err(rejection) = check_problem(problem, target, generator) {
        standing.state = TuningState::Refused;
        standing.reason = Some(rejection.to_string());
        return Ok((standing, None));
    }
    let Some(catalogue) = catalogue else {
        return Ok((standing, None));
    };
    let request = LookupRequest {
        generator: Some(generator),
        ..LookupRequest::new(problem.clone(), target)
    };
    if let Some(found) = lookup::look(catalogue, &request).await?.found() {
        standing.state = TuningState::Tuned;
        standing.time_us = Some(found.time_us);
        standing.default_time_us = found.default_time_us;
        standing.clock = Some(found.clock);
        return Ok((standing, Some(found.clone())));
    }
    // IREE's own choice, which no configuration expresses, may be the best known one.
    if let Some(ranking) = lookup::best_unasked(catalogue, &request).await? {
        standing.state = TuningState::Tuned;
        standing.time_us = ranking.default_time_us();
        standing.default_time_us = ranking.default_time_us();
        standing.clock = Some(ranking.provenance.clock);
    }
    Ok((standing, None))
}

const TIMED_ALONE: &str = "Each kernel was timed alone. iree-compile may fuse operations that these kernels separate. `tune` \
and `export iree-kernels` of a model compare the whole model with and without them.\n";

/// Formats the model status: a line for each problem, generator and kernel sequence, then the
/// total speedups.
pub(crate) fn text(model: &Model) -> String {
    let mut text = String::new();
    for asked in &model.problems {
        let forms: Vec<&str> = asked.forms.iter().map(|it| it.unwrap_or("kept")).collect();
        text += &format!(
            "{} ({}, {})\n",
            asked.problem,
            asked.count,
            forms.join(", ")
        );
        for standing in &asked.generators {
            text += &format!("  {}: {}\n", standing.generator, told(standing));
        }
        for other in &asked.shares_with {
            text += &format!("  shares operations with {other}: one kernel of the two is placed\n");
        }
        for several in &asked.several {
            text += &format!("  {}\n", told_several(several));
        }
    }
    for other in &model.others {
        text += &format!("no problem ({}): {}\n", other.count, other.reason);
        text += &told_places(other);
    }
    for gain in &model.gains {
        let times = gain.default_time_us / gain.time_us;
        let operations = match gain.count {
            1 => "1 operation".to_owned(),
            count => format!("{count} operations"),
        };
        text += &format!(
            "{operations} on {}: {:.2} us ({}), {:.2} us with untuned kernels of the same generators, {times:.2} times as fast\n",
            gain.device, gain.time_us, gain.clock, gain.default_time_us
        );
    }
    if !model.gains.is_empty() {
        text += TIMED_ALONE;
    }
    text
}

/// The largest number of places that are printed of one kind of operation.
const MAX_PLACES: usize = 3;

/// Formats the places of operations that are no problem.
fn told_places(other: &UnknownOperations) -> String {
    let shown = other.places.iter().take(MAX_PLACES);
    let mut text = String::new();
    for place in shown.clone() {
        let function = match &*place.function {
            "" => String::new(),
            name => format!(" in @{name}"),
        };
        let location = place.location.as_ref();
        let location = location.map_or(String::new(), |it| format!("{it}: "));
        text += &format!("  {location}{}{function}\n", place.operation);
    }
    match other.count - shown.len() {
        0 => {}
        more => text += &format!("  and {more} more\n"),
    }
    text
}

fn told(standing: &Standing) -> String {
    match (standing.time_us, standing.clock, &standing.reason) {
        (Some(time), Some(clock), _) => {
            let default = match standing.default_time_us {
                Some(default) => format!("{default:.2} us"),
                None => "no time".to_owned(),
            };
            format!("{time:.2} us ({clock}), untuned {default}")
        }
        (_, _, Some(reason)) => format!("refused: {reason}"),
        _ => "not tuned".to_owned(),
    }
}

/// Formats the times of several kernels, and whether they replace the fused one.
fn told_several(several: &KernelSequence) -> String {
    let us = |time: Option<f64>| time.map_or("not tuned".to_owned(), |it| format!("{it:.2} us"));
    let parts = several.parts.iter();
    let mut parts: Vec<String> = parts
        .map(|part| format!("{} {}", part.problem, us(part.time_us)))
        .collect();
    if let Some(others) = several.others_us.filter(|it| *it > 0.0) {
        parts.push(format!("others at least {others:.2} us"));
    }
    let parts = parts.join(", ");
    match (several.time_us, several.is_taken) {
        (None, _) => format!("as several: {parts}"),
        (Some(all), true) => format!("as several: {all:.2} us, selected: {parts}"),
        (Some(all), false) => format!("as several: {all:.2} us, not selected: {parts}"),
    }
}

#[cfg(test)]
mod tests {
    use configgen::Clock;

    use super::*;

    /// The base of a gain is our own untuned kernels: the model itself was not timed.
    #[test]
    fn a_gain_names_its_base() {
        let gain = |count| Gain {
            device: "emulated:mi300x".to_owned(),
            clock: Clock::Modelled,
            count,
            default_time_us: 9.0,
            time_us: 4.5,
        };
        let model = Model {
            target: "gfx942",
            problems: Vec::new(),
            others: Vec::new(),
            gains: vec![gain(1), gain(2)],
        };
        let rest = "on emulated:mi300x: 4.50 us (modelled), 9.00 us with untuned kernels of the same generators, \
                    2.00 times as fast";
        assert_eq!(
            text(&model),
            format!("1 operation {rest}\n2 operations {rest}\n{TIMED_ALONE}")
        );
    }
}
