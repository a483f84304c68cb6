//! The reason that there is no exact answer: the trials that exist instead, and the remedy.

use std::collections::BTreeSet;

use configgen::{Clock, Generator, Target};
use store::{Coverage, Status};

use super::LookupRequest;
use crate::advice;

/// A context of trials: target, device and generator.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ContextRef<'a> {
    pub(crate) target: &'static Target,
    pub(crate) device: &'a str,
    pub(crate) generator: Generator,
}

impl<'a> From<&'a Coverage> for ContextRef<'a> {
    fn from(known: &'a Coverage) -> Self {
        ContextRef {
            target: known.target,
            device: &known.device,
            generator: known.generator,
        }
    }
}

/// Returns the reason that none of `coverage`, all trials of the problem, answers the request.
pub(super) fn reason(request: &LookupRequest, coverage: &[Coverage]) -> String {
    let places: Vec<ContextRef<'_>> = coverage.iter().map(ContextRef::from).collect();
    missing(request, &places).unwrap_or_else(|| {
        let tried = coverage.iter().zip(&places);
        let tried = tried.filter(|(_, place)| request.means(place));
        let tried: Vec<&Coverage> = tried.map(|(known, _)| known).collect();
        let target = names(&tried, |known| known.target.to_string());
        let (problem, known) = (&request.problem, verdicts(&tried));
        format!("{problem} was tried on {target}, and no configuration is served: {known}")
    })
}

/// Returns the reason that no configuration is to be used, if only the generator's default is
/// correct. `unless` names the option that accepts any index.
pub(crate) fn unasked(
    generator: Generator,
    time_us: Option<f64>,
    clock: Clock,
    device: &str,
    unless: &str,
) -> String {
    let time = time_us.map_or_else(String::new, |us| {
        format!(" in {us:.2} µs, {clock} on {device}")
    });
    format!(
        "only {generator}'s own default has the correct tie-break{time}; all known configurations have another \
         one. Use none of them, or accept any index ({unless})"
    )
}

/// Returns the reason that these contexts, all of the problem, do not answer the request; `None`
/// if one of them may.
pub(crate) fn missing(request: &LookupRequest, places: &[ContextRef<'_>]) -> Option<String> {
    if places.iter().any(|place| request.means(place)) {
        return None;
    }
    let problem = &request.problem;
    let is_here = |place: &&ContextRef<'_>| request.target.is_none_or(|it| place.target == it);
    let (here, elsewhere): (Vec<ContextRef<'_>>, Vec<ContextRef<'_>>) =
        places.iter().copied().partition(|place| is_here(&place));
    let targets = |places: &[ContextRef<'_>]| names(places, |place| place.target.to_string());
    if !here.is_empty() {
        let target = targets(&here);
        let known = names(&here, |it| format!("{} by {}", it.device, it.generator));
        return Some(format!(
            "{problem} was tuned for {target}, but only on {known}"
        ));
    }
    let generator = request.generator.unwrap_or_default();
    let device = request.device.as_deref();
    let Some(target) = request.target else {
        let command = advice::command(problem, device, generator);
        return Some(format!(
            "{problem} was never tuned; `{command}` tunes it. A request without --target may have an answer"
        ));
    };
    if !elsewhere.is_empty() {
        let known = targets(&elsewhere);
        return Some(format!(
            "{problem} was never tuned for {target}, only for {known}"
        ));
    }
    let advice = advice::tune(problem, target, device, generator);
    Some(match advice {
        Ok(command) => format!("{problem} was never tuned; `{command}` tunes it"),
        Err(reason) => format!("{problem} was never tuned; {reason}"),
    })
}

fn verdicts(coverage: &[&Coverage]) -> String {
    let count = |status: Status| {
        let of_status = coverage.iter().filter(|known| known.status == status);
        (
            of_status.map(|known| known.trials).sum::<u64>(),
            status.name(),
        )
    };
    let counts = Status::ALL.map(count).into_iter().filter(|&(n, _)| n > 0);
    let counts = counts.map(|(n, name)| match n < Coverage::COUNTED {
        true => format!("{n} {name}"),
        false => format!("{} or more {name}", Coverage::COUNTED),
    });
    let counts: Vec<String> = counts.collect();
    counts.join(", ")
}

fn names<T>(of: &[T], name: impl Fn(&T) -> String) -> String {
    let names: BTreeSet<String> = of.iter().map(name).collect();
    names.into_iter().collect::<Vec<String>>().join(", ")
}
