//! The fusion decision: whether an operation of a model becomes one kernel or several, by known
//! times.
//!
//! One kernel is chosen if its time is at most that of its parts together. Only times of one
//! device and one toolchain compare; if one is missing, the choice is one kernel.
//!
//! IREE compiles the operations outside of the parts, and may fuse them with neighbours. They
//! count with the least modelled time for their bytes, although others may take longer: the
//! decision takes several kernels at their best.

use std::collections::HashMap;

use answers::lookup::Provenance;
use bench_harness::least_us;
use configgen::Problem;
use configgen::linalg::Traffic;
use lookup::{FoundConfiguration, part};
use store::{Catalogue, StoreError};

use crate::replacement::ModuleProblem;
use kernel_export::ExportRequest;

/// The known times of an operation as one kernel and as several.
#[derive(Debug, Clone)]
pub struct FusionDecision<'a> {
    /// The operation.
    pub seen: &'a ModuleProblem,
    /// The best known configuration of it as one kernel.
    pub known: Option<FoundConfiguration>,
    /// Its parts.
    pub parts: Vec<FusionDecision<'a>>,
    /// The least time of the operations outside of the parts, in microseconds. `None` if the
    /// device is unknown.
    pub rest_us: Option<f64>,
}

/// Compares the known times of an operation.
///
/// # Errors
///
/// Those of reading the catalogue. An unknown problem is no error.
pub async fn weigh<'a>(
    catalogue: Option<&dyn Catalogue>,
    wanted: &ExportRequest<'_>,
    seen: &'a ModuleProblem,
) -> Result<FusionDecision<'a>, StoreError> {
    let mut known: HashMap<&Problem, FoundConfiguration> = HashMap::new();
    if let (Some(catalogue), Some(whole)) = (catalogue, seen.replaced_problem()) {
        let mut request = wanted.request(whole);
        let answer = lookup::look(catalogue, &request).await?;
        if let Some(found) = answer.found() {
            // Times of other devices would not compare.
            request.device = Some(found.provenance.device.clone());
            for problem in within(seen) {
                request.problem = problem.clone();
                let answer = lookup::look(catalogue, &request).await?;
                let of_part = answer.found().cloned();
                // The lookup may answer with another driver or compiler, whose times do not
                // compare.
                let of_part = of_part.filter(|it| is_alike(&it.provenance, &found.provenance));
                known.extend(of_part.map(|it| (problem, it)));
            }
            known.insert(whole, found.clone());
        }
    }
    let device = seen.replaced_problem().and_then(|whole| known.get(whole));
    let device = device.and_then(|it| part(&it.provenance.device));
    let least = |traffic: Traffic| {
        // An operation without traffic needs no launch.
        match traffic == Traffic::default() {
            true => Some(0.0),
            false => Some(least_us(traffic.read, traffic.written, device?)),
        }
    };
    Ok(FusionDecision::of(seen, &known, &least))
}

/// Returns the problems of an operation's parts, recursively.
fn within(seen: &ModuleProblem) -> Vec<&Problem> {
    let parts = seen.parts.iter();
    let of = parts.map(|part| part.replaced_problem().into_iter().chain(within(part)));
    of.flatten().collect()
}

/// Returns true if two numbers were made under the same conditions.
fn is_alike(one: &Provenance, other: &Provenance) -> bool {
    // Each problem has its own inputs, samples and dates.
    let made = |it: &Provenance| Provenance {
        input_seed: 0,
        samples: 0,
        when: String::new(),
        ..it.clone()
    };
    made(one) == made(other)
}

impl<'a> FusionDecision<'a> {
    /// Creates the decision from known configurations by problem. `least` returns the least time
    /// for some traffic.
    fn of(
        seen: &'a ModuleProblem,
        known: &HashMap<&Problem, FoundConfiguration>,
        least: &dyn Fn(Traffic) -> Option<f64>,
    ) -> FusionDecision<'a> {
        let parts = seen.parts.iter();
        let parts = parts.map(|part| Self::of(part, known, least));
        let problem = seen.replaced_problem();
        FusionDecision {
            known: problem.and_then(|it| known.get(it).cloned()),
            parts: parts.collect(),
            rest_us: least(seen.rest),
            seen,
        }
    }

    /// Returns the time of the parts and of the operations outside of them, in microseconds.
    /// `None` without parts, or if a time is unknown.
    pub fn parts_us(&self) -> Option<f64> {
        let parts = self.parts.iter().map(FusionDecision::time_us);
        let all = parts.sum::<Option<f64>>()? + self.rest_us?;
        // An empty sum is 0 µs, which would beat every kernel.
        (!self.parts.is_empty()).then_some(all)
    }

    /// Returns true if the operation should become several kernels, because these are known to be
    /// faster.
    pub fn prefers_parts(&self) -> bool {
        let one = self.known.as_ref().map(|found| found.time_us);
        one.zip(self.parts_us())
            .is_some_and(|(one, several)| several < one)
    }

    /// Returns the time of the chosen form in microseconds, if it is known.
    pub fn time_us(&self) -> Option<f64> {
        match self.prefers_parts() {
            true => self.parts_us(),
            false => self.known.as_ref().map(|found| found.time_us),
        }
    }

    /// Returns the chosen kernels: the operation itself, or those of its parts.
    pub fn kernels(&self) -> Vec<&FusionDecision<'a>> {
        match self.prefers_parts() {
            true => self.part_kernels(),
            false => vec![self],
        }
    }

    /// Returns the kernels of the form that is not chosen.
    pub fn other_kernels(&self) -> Vec<&FusionDecision<'a>> {
        match self.prefers_parts() {
            true => vec![self],
            false => self.part_kernels(),
        }
    }

    /// Returns the chosen kernels of its parts.
    pub fn part_kernels(&self) -> Vec<&FusionDecision<'a>> {
        self.parts
            .iter()
            .flat_map(FusionDecision::kernels)
            .collect()
    }

    /// Returns the least time of everything outside of its parts' kernels, in microseconds.
    pub fn others_us(&self) -> Option<f64> {
        let several = self.parts.iter().filter(|part| part.prefers_parts());
        // A part that becomes one kernel does its whole work; only split parts leave operations
        // to IREE.
        let within = several
            .map(FusionDecision::others_us)
            .sum::<Option<f64>>()?;
        Some(self.rest_us? + within)
    }
}
