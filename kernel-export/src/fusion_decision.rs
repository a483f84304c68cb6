//! Whether an operation of a model is to be one kernel or several: what is known of both is compared.
//!
//! One kernel is taken where its time is at most that of its parts together. Only times of one device and one toolchain are
//! compared; where one is missing, it is one kernel. What is in none of the parts is left to IREE, which may make it one with what
//! stands beside it. So it counts with the least that the time model of the device gives to a kernel that moves its bytes,
//! though others may take longer: several kernels are taken at their best.

use std::collections::HashMap;

use ::lookup::{FoundConfiguration, part};
use answers::lookup::Provenance;
use bench_harness::least_us;
use configgen::Problem;
use configgen::linalg::Traffic;
use store::{Catalogue, StoreError};

use crate::choice::ExportRequest;
use crate::iree::ModuleProblem;

/// What is known of an operation as one kernel and as several.
#[derive(Debug, Clone)]
pub struct FusionDecision<'a> {
    /// The operation.
    pub seen: &'a ModuleProblem,
    /// The best that is known of it as one kernel.
    pub known: Option<FoundConfiguration>,
    /// The parts that it has.
    pub parts: Vec<FusionDecision<'a>>,
    /// Least time in microseconds of what is in no part; none where the device is not known.
    pub rest_us: Option<f64>,
}

/// Compares what is known of an operation.
///
/// # Errors
///
/// What reading the catalogue returns. That nothing is known is none.
pub async fn weigh<'a>(
    catalogue: Option<&dyn Catalogue>,
    wanted: &ExportRequest<'_>,
    seen: &'a ModuleProblem,
) -> Result<FusionDecision<'a>, StoreError> {
    let mut known: HashMap<&Problem, FoundConfiguration> = HashMap::new();
    if let (Some(catalogue), Some(whole)) = (catalogue, seen.replaced_problem()) {
        let mut request = wanted.request(whole);
        let answer = ::lookup::look(catalogue, &request).await?;
        if let Some(found) = answer.found() {
            request.device = Some(found.provenance.device.clone());
            for problem in within(seen) {
                request.problem = problem.clone();
                let answer = ::lookup::look(catalogue, &request).await?;
                let of_part = answer.found().cloned();
                let of_part = of_part.filter(|it| is_alike(&it.provenance, &found.provenance));
                known.extend(of_part.map(|it| (problem, it)));
            }
            known.insert(whole, found.clone());
        }
    }
    let device = seen.replaced_problem().and_then(|whole| known.get(whole));
    let device = device.and_then(|it| part(&it.provenance.device));
    let least = |traffic: Traffic| {
        // Nothing is no launch.
        match traffic == Traffic::default() {
            true => Some(0.0),
            false => Some(least_us(traffic.read, traffic.written, device?)),
        }
    };
    Ok(FusionDecision::of(seen, &known, &least))
}

/// The problems of the parts of an operation, and of theirs.
fn within(seen: &ModuleProblem) -> Vec<&Problem> {
    let parts = seen.parts.iter();
    let of = parts.map(|part| part.replaced_problem().into_iter().chain(within(part)));
    of.flatten().collect()
}

/// Whether two numbers were made in the same way.
fn is_alike(one: &Provenance, other: &Provenance) -> bool {
    // Of inputs there are others for each problem.
    let made = |it: &Provenance| Provenance {
        input_seed: 0,
        samples: 0,
        when: String::new(),
        ..it.clone()
    };
    made(one) == made(other)
}

impl<'a> FusionDecision<'a> {
    /// What is compared of an operation, where this is known of problems and this is the least time of what others do.
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

    /// Microseconds of the parts, and of what is in none of them; none where there are none, or something is not known.
    pub fn parts_us(&self) -> Option<f64> {
        let parts = self.parts.iter().map(FusionDecision::time_us);
        let all = parts.sum::<Option<f64>>()? + self.rest_us?;
        (!self.parts.is_empty()).then_some(all)
    }

    /// Whether it is to be several kernels: these are known to be faster.
    pub fn prefers_parts(&self) -> bool {
        let one = self.known.as_ref().map(|found| found.time_us);
        one.zip(self.parts_us())
            .is_some_and(|(one, several)| several < one)
    }

    /// Microseconds of what it is to be; none where that is not known.
    pub fn time_us(&self) -> Option<f64> {
        match self.prefers_parts() {
            true => self.parts_us(),
            false => self.known.as_ref().map(|found| found.time_us),
        }
    }

    /// The kernels that it is to be: itself, or those of its parts.
    pub fn kernels(&self) -> Vec<&FusionDecision<'a>> {
        match self.prefers_parts() {
            true => self.part_kernels(),
            false => vec![self],
        }
    }

    /// The kernels that its parts are to be.
    pub fn part_kernels(&self) -> Vec<&FusionDecision<'a>> {
        self.parts
            .iter()
            .flat_map(FusionDecision::kernels)
            .collect()
    }

    /// Least time in microseconds of all that none of the kernels of its parts does.
    pub fn others_us(&self) -> Option<f64> {
        let several = self.parts.iter().filter(|part| part.prefers_parts());
        let within = several
            .map(FusionDecision::others_us)
            .sum::<Option<f64>>()?;
        Some(self.rest_us? + within)
    }
}
