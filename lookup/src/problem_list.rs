//! The list of problems of which something is known, a page at a time, from memory.

use std::collections::BTreeSet;
use std::sync::Arc;

use configgen::{ElementType, Generator, Problem, Target};
use store::{KnownStudy, Unreadable};

/// A problem of which something is known.
#[derive(Debug, Clone, PartialEq)]
pub struct TriedProblem {
    /// Its canonical text.
    pub problem: String,
    /// The kind of operation that it is.
    pub operation: &'static str,
    /// The type of its elements.
    pub element: ElementType,
    /// Number of reductions.
    pub rows: u64,
    /// Elements of each.
    pub columns: u64,
    /// Where it was tried, each place once.
    pub places: Vec<TriedContext>,
}

/// Where a problem was tried.
#[derive(Debug, Clone, PartialEq)]
pub struct TriedContext {
    /// What it was built for.
    pub target: &'static Target,
    /// The device's name.
    pub device: Arc<str>,
    /// Who made the kernels.
    pub generator: Generator,
}

/// Which problems are meant: those of this operation and type that were tried in such a place; what is left open is any.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProblemFilter {
    /// The ISA.
    pub target: Option<&'static Target>,
    /// The device's name.
    pub device: Option<String>,
    /// Who made the kernels.
    pub generator: Option<Generator>,
    /// The kind of operation.
    pub operation: Option<String>,
    /// The type of the elements.
    pub element: Option<ElementType>,
}

/// A part of the list.
#[derive(Debug, Clone, PartialEq)]
pub struct ProblemPage {
    /// The problems, in the order of their text.
    pub rows: Vec<TriedProblem>,
    /// After which text it goes on; none where this is the end.
    pub next: Option<String>,
    /// What could not be read and may belong to them.
    pub unreadable: Unreadable,
}

impl TriedProblem {
    /// A problem that was tried nowhere yet.
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

    /// It was tried by this study, too, on the device with this name.
    pub(crate) fn add(&mut self, study: &KnownStudy, device: &Arc<str>) {
        let made = &study.provenance;
        let place = TriedContext {
            target: made.target,
            device: Arc::clone(device),
            generator: made.generator,
        };
        let at = self
            .places
            .binary_search_by(|it| it.key().cmp(&place.key()));
        if let Err(at) = at {
            self.places.insert(at, place);
        }
    }

    /// Whether these places are all.
    pub(crate) fn is_only<'a>(&self, places: impl Iterator<Item = ContextKey<'a>>) -> bool {
        let places: BTreeSet<ContextKey<'_>> = places.collect();
        places
            .into_iter()
            .eq(self.places.iter().map(TriedContext::key))
    }
}

/// What a place is told from others by.
pub(crate) type ContextKey<'a> = (&'static str, &'a str, &'static str);

impl TriedContext {
    fn key(&self) -> ContextKey<'_> {
        (self.target.name, &self.device, self.generator.name())
    }
}

impl ProblemFilter {
    /// Whether this problem is meant.
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
