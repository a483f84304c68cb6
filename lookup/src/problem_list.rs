//! The list of problems with trials, from memory, a page at a time.

use std::collections::BTreeSet;
use std::sync::Arc;

use configgen::{ElementType, Generator, Problem, Target};
use store::{KnownStudy, Unreadable};

/// A problem with trials.
#[derive(Debug, Clone, PartialEq)]
pub struct TriedProblem {
    /// The canonical text.
    pub problem: String,
    /// The kind of operation.
    pub operation: &'static str,
    /// The type of the elements.
    pub element: ElementType,
    /// The number of rows.
    pub rows: u64,
    /// The number of elements in a row.
    pub columns: u64,
    /// The contexts of its trials, each once.
    pub places: Vec<TriedContext>,
}

/// A context of trials.
#[derive(Debug, Clone, PartialEq)]
pub struct TriedContext {
    /// The ISA of the kernels.
    pub target: &'static Target,
    /// The device's name.
    pub device: Arc<str>,
    /// The generator of the kernels.
    pub generator: Generator,
}

/// A filter of problems: by operation and type, and by one context of their trials. A field that
/// is `None` matches any.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProblemFilter {
    /// The ISA.
    pub target: Option<&'static Target>,
    /// The device's name.
    pub device: Option<String>,
    /// The generator of the kernels.
    pub generator: Option<Generator>,
    /// The kind of operation.
    pub operation: Option<String>,
    /// The type of the elements.
    pub element: Option<ElementType>,
}

/// A page of the list.
#[derive(Debug, Clone, PartialEq)]
pub struct ProblemPage {
    /// The problems, in the order of their texts.
    pub rows: Vec<TriedProblem>,
    /// The last text of this page; none if this is the last page.
    pub next: Option<String>,
    /// The unreadable rows that may match.
    pub unreadable: Unreadable,
}

impl TriedProblem {
    /// Creates a problem without trials.
    pub(crate) fn untried(problem: &Problem) -> Self {
        TriedProblem {
            problem: problem.to_string(),
            operation: problem.reduction.operation(),
            element: problem.element,
            rows: problem.shape.rows(),
            columns: problem.shape.reduced_size(),
            places: Vec::new(),
        }
    }

    /// Adds the context of a study, on the device with this name.
    pub(crate) fn add(&mut self, study: &KnownStudy, device: &Arc<str>) {
        let made = &study.provenance;
        let place = TriedContext {
            target: made.target,
            device: Arc::clone(device),
            generator: made.generator,
        };
        // Sorted, so that `is_only` can compare in order.
        let at = self
            .places
            .binary_search_by(|it| it.key().cmp(&place.key()));
        if let Err(at) = at {
            self.places.insert(at, place);
        }
    }

    /// Returns whether these contexts are all.
    pub(crate) fn is_only<'a>(&self, places: impl Iterator<Item = ContextKey<'a>>) -> bool {
        let places: BTreeSet<ContextKey<'_>> = places.collect();
        places
            .into_iter()
            .eq(self.places.iter().map(TriedContext::key))
    }
}

/// The sort key of a context: target, device and generator.
pub(crate) type ContextKey<'a> = (&'static str, &'a str, &'static str);

impl TriedContext {
    fn key(&self) -> ContextKey<'_> {
        (self.target.name, &self.device, self.generator.name())
    }
}

impl ProblemFilter {
    /// Returns whether the problem matches.
    pub(crate) fn matches(&self, tried: &TriedProblem) -> bool {
        let is_here = |place: &TriedContext| {
            self.target.is_none_or(|wanted| wanted == place.target)
                && self
                    .device
                    .as_ref()
                    .is_none_or(|wanted| **wanted == *place.device)
                && self
                    .generator
                    .is_none_or(|wanted| wanted == place.generator)
        };
        self.operation
            .as_ref()
            .is_none_or(|wanted| wanted == tried.operation)
            && self.element.is_none_or(|wanted| wanted == tried.element)
            && tried.places.iter().any(is_here)
    }
}
