//! The forms of a problem before IREE forms dispatches, found with iree-compile 3.13.0 and
//! `--compile-to=preprocessing`.

use configgen::IndexMode;
use configgen::comparator::{Comparator, Opcode};

use super::module_arg_compare::{InitialState, ModuleArgCompare};

/// A form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FrontendForm {
    /// `iree_linalg_ext.arg_compare`: ONNX ArgMax and ArgMin, torch's argmax and argmin.
    ArgCompare,
    /// A `linalg.generic` with one input.
    Loop(&'static Loop),
    /// A `linalg.generic` with the elements and their iota: a reduction of StableHLO with two
    /// results, as jax.numpy.argmax emits.
    WithIota,
}

/// The body of a `linalg.generic` with one input.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Loop {
    pub(super) name: &'static str,
    /// The operations, in their order.
    pub(super) steps: &'static [LoopBodyPart],
    /// True if the indices are the first result.
    pub(super) indices_first: bool,
}

/// A part of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LoopBodyPart {
    /// The index of the element.
    Index,
    /// The comparison.
    Compare,
    /// The better value, selected by the comparison.
    Value,
    /// The better value, by an operation without a comparison, such as `maximumf`.
    Extreme,
    /// The index of the better value, selected by the comparison.
    Place,
}

use LoopBodyPart::{Compare, Extreme, Index, Place, Value as Better};

/// The known bodies. They differ in the order of their operations, which matchers take into
/// account.
const LOOPS: &[Loop] = &[
    Loop {
        name: "max_dim",
        steps: &[Index, Extreme, Compare, Place],
        indices_first: false,
    },
    Loop {
        name: "tosa",
        steps: &[Index, Compare, Better, Place],
        indices_first: true,
    },
    Loop {
        name: "tosa_integer",
        steps: &[Index, Compare, Extreme, Place],
        indices_first: true,
    },
    Loop {
        name: "generic_integer",
        steps: &[Index, Compare, Extreme, Place],
        indices_first: false,
    },
    Loop {
        name: "generic",
        steps: &[Index, Compare, Better, Place],
        indices_first: false,
    },
    Loop {
        name: "generic_index_later",
        steps: &[Compare, Better, Index, Place],
        indices_first: false,
    },
    Loop {
        name: "generic_index_second",
        steps: &[Compare, Index, Better, Place],
        indices_first: false,
    },
    Loop {
        name: "generic_index_selected_first",
        steps: &[Index, Compare, Place, Better],
        indices_first: false,
    },
];

impl FrontendForm {
    /// Returns the forms of a problem.
    pub(super) fn of(operation: &ModuleArgCompare<'_>) -> Vec<FrontendForm> {
        let mut forms = vec![FrontendForm::ArgCompare];
        if operation.arg_compare.index_mode != IndexMode::Position {
            return forms;
        }
        let comparator = &operation.arg_compare.comparator;
        let loops = LOOPS.iter().filter(|it| it.is_of(operation));
        forms.extend(loops.map(FrontendForm::Loop));
        match operation.first {
            InitialState::Worst(_) if Reducer::of(comparator).is_some() => {
                forms.push(FrontendForm::WithIota)
            }
            // For an initial pair that equals an element, JAX takes the lower index, and not the
            // first of both.
            InitialState::Worst(_) | InitialState::Pair(..) | InitialState::Given => {}
        }
        forms
    }

    /// Returns the name, which is part of the matchers' names.
    pub(super) fn name(self) -> &'static str {
        match self {
            FrontendForm::ArgCompare => "arg_compare",
            FrontendForm::Loop(body) => body.name,
            FrontendForm::WithIota => "stablehlo",
        }
    }

    /// Returns true if an operation such as `maximumf` computes the value.
    pub(super) fn has_extreme(self) -> bool {
        matches!(self, FrontendForm::Loop(body) if body.steps.contains(&Extreme))
    }

    /// Returns true if the indices are the first result.
    pub(super) fn has_indices_first(self) -> bool {
        matches!(self, FrontendForm::Loop(body) if body.indices_first)
    }
}

impl Loop {
    /// Returns true if frontends emit a problem in this form.
    fn is_of(&self, operation: &ModuleArgCompare<'_>) -> bool {
        let comparator = &operation.arg_compare.comparator;
        let is_integer = comparator.element().is_integer();
        let has_extreme = comparator.extreme().is_some();
        match self.steps {
            // For a pair with a NaN or a zero, `maximumf` continues differently from `cmpf`.
            [Index, Extreme, ..] => match operation.first {
                InitialState::Worst(_) => has_extreme,
                InitialState::Pair(..) | InitialState::Given => has_extreme && is_integer,
            },
            // MLIR canonicalizes a comparison and a selection of integers to `maxsi`, but those
            // of floats never to `maximumf`.
            steps if steps.contains(&Extreme) => has_extreme && is_integer,
            _ => !(has_extreme && is_integer),
        }
    }
}

/// The comparison in JAX's reducer. If two elements are equal, the reducer keeps the one with
/// the lower index.
#[derive(Debug, Clone, Copy)]
pub(super) enum Reducer {
    /// The predicate `ogt` or `olt`; the first NaN wins.
    Float(&'static str),
    /// The predicate, and the operation that returns the better of two.
    Integer(&'static str, Opcode),
}

impl Reducer {
    /// Returns the reducer of a comparator, if JAX has one.
    pub(super) fn of(comparator: &Comparator) -> Option<Reducer> {
        if comparator.element().is_integer() {
            let extreme = comparator.extreme()?;
            let predicate = match extreme {
                Opcode::Maxsi => "sgt",
                Opcode::Minsi => "slt",
                Opcode::Maxui => "ugt",
                _ => "ult",
            };
            return Some(Reducer::Integer(predicate, extreme));
        }
        match comparator.name() {
            Some("argmax_nan") => Some(Reducer::Float("ogt")),
            Some("argmin_nan") => Some(Reducer::Float("olt")),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(problem: &str, expected: &[&str]) {
        let problem = problem.parse().unwrap();
        let forms = FrontendForm::of(&ModuleArgCompare::of(&problem).unwrap()).into_iter();
        // The forms whose result depends on the initial pair.
        let told = |name: &&str| matches!(*name, "max_dim" | "stablehlo");
        let forms: Vec<&str> = forms.map(FrontendForm::name).filter(told).collect();
        assert_eq!(forms, expected, "{problem}");
    }

    #[test]
    fn forms_of_initial_values() {
        check("argmax:4x[64]xf32", &["max_dim"]);
        check("argmax:4x[64]xf32:i32:initial=3.5@7", &[]);
        check("argmax:4x[64]xf32:i32:initial", &[]);
        check("argmax_nan:4x[64]xf32", &["stablehlo"]);
        check("argmax_nan:4x[64]xf32:i32:initial=-inf@1", &[]);
        check("argmax_nan:4x[64]xf32:i32:initial", &[]);
        check("argmin:4x[64]xi32", &["max_dim", "stablehlo"]);
        check("argmin:4x[64]xi32:i32:initial=3@7", &["max_dim"]);
        check("argmin:4x[64]xi32:i32:initial", &["max_dim"]);
    }
}
