//! Operations in their forms before IREE forms dispatches, as a test describes them.

use crate::iree_kernels::open_counts::LARGEST;
use crate::iree_kernels::rows::{Bf16, Element, F16, F32, I8, I32};

/// The form of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    ArgCompare,
    MaxDim,
    Plain,
    Tosa,
    Iota,
}
use Form::{ArgCompare, Iota, MaxDim, Plain, Tosa};

/// The index of an element.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Indices {
    Position,
    Based(i64),
    Explicit,
}

#[derive(Clone, Copy)]
pub(crate) struct Operation {
    pub(super) form: Form,
    /// Sizes before the reduced dimension, of it, and after it.
    pub(crate) sizes: [usize; 3],
    pub(crate) element: Element,
    pub(crate) index: &'static str,
    pub(crate) greatest_wins: bool,
    pub(super) nan_wins: bool,
    pub(super) indices: Indices,
    /// The function has the initial pair as arguments.
    pub(super) is_given_first: bool,
    /// The first size is known at launch only; the module and the problem then have only `?`.
    pub(super) is_open: bool,
}

pub(crate) const ARGMAX: Operation = Operation {
    form: ArgCompare,
    sizes: [5, 300, 1],
    element: F32,
    index: "i32",
    greatest_wins: true,
    nan_wins: false,
    indices: Indices::Position,
    is_given_first: false,
    is_open: false,
};

/// Returns the operations of CI.
pub(crate) fn some() -> Vec<Operation> {
    vec![
        ARGMAX,
        Operation {
            form: MaxDim,
            index: "i64",
            ..ARGMAX
        },
        Operation {
            form: Plain,
            sizes: [3, 21, 7],
            element: F16,
            greatest_wins: false,
            ..ARGMAX
        },
        Operation {
            form: Tosa,
            nan_wins: true,
            element: Bf16,
            ..ARGMAX
        },
        Operation {
            form: Iota,
            nan_wins: true,
            sizes: [5, 40, 3],
            ..ARGMAX
        },
        // Values and indices have one type, and so one empty tensor.
        Operation {
            form: Iota,
            element: I32,
            ..ARGMAX
        },
        Operation {
            indices: Indices::Based(70_000),
            ..ARGMAX
        },
        Operation {
            indices: Indices::Explicit,
            ..ARGMAX
        },
        Operation {
            is_given_first: true,
            nan_wins: true,
            form: Tosa,
            sizes: [6, 65, 1],
            ..ARGMAX
        },
        Operation {
            is_given_first: true,
            element: I32,
            sizes: [6, 65, 1],
            ..ARGMAX
        },
    ]
}

/// Returns an operation with long rows.
pub(crate) fn split() -> Operation {
    Operation {
        form: MaxDim,
        sizes: [4, 3000, 1],
        ..ARGMAX
    }
}

/// Returns the product of all options, without impossible forms.
pub(crate) fn all() -> Vec<Operation> {
    let mut all = Vec::new();
    for form in [ArgCompare, MaxDim, Plain, Tosa, Iota] {
        for element in [F32, F16, Bf16, I32, I8] {
            for (greatest_wins, nan_wins) in
                [(true, false), (false, false), (true, true), (false, true)]
            {
                let has = match (form, nan_wins) {
                    (_, true) if !element.is_float() => false,
                    (MaxDim, wins) => !wins,
                    (Iota, wins) => wins == element.is_float(),
                    _ => true,
                };
                let number = all.len();
                let sizes = [[5, 300, 1], [1, 200, 9], [3, 33, 4], [1, 257, 1]][number % 4];
                let index = ["i32", "i64"][number / 4 % 2];
                if has {
                    all.push(Operation {
                        form,
                        sizes,
                        element,
                        index,
                        greatest_wins,
                        nan_wins,
                        ..ARGMAX
                    });
                }
            }
        }
    }
    for index in ["i32", "i64"] {
        for indices in [
            Indices::Position,
            Indices::Based(-3),
            Indices::Based(5),
            Indices::Explicit,
        ] {
            if index == "i64" && matches!(indices, Indices::Based(_)) {
                continue;
            }
            for is_given_first in [false, true] {
                // One larger than the other, so that no problem occurs twice.
                let sizes = [4, 100 + all.len(), 1];
                all.push(Operation {
                    index,
                    indices,
                    is_given_first,
                    sizes,
                    ..ARGMAX
                });
            }
        }
    }
    all
}

/// Returns an operation in its own module, equal to the problem argmax:3x[64]xf32.
pub(crate) fn plain() -> String {
    module(&[Operation {
        form: Plain,
        sizes: [3, 64, 1],
        ..ARGMAX
    }])
}

/// Single differences that each make another operation.
pub(crate) const DIFFERENCES: [(&str, &str); 9] = [
    ("cmpf ogt", "cmpf oge"),
    ("cmpf ogt", "cmpf ugt"),
    ("cmpf ogt, %new, %held", "cmpf ogt, %held, %new"),
    (
        "arith.select %wins, %new, %held",
        "arith.select %wins, %held, %new",
    ),
    (
        "arith.select %wins, %index, %place",
        "arith.select %wins, %place, %index",
    ),
    ("linalg.index 1", "linalg.index 0"),
    ("0xFF800000", "0xFF7FFFFF"),
    ("arith.constant 0 : i32", "arith.constant 1 : i32"),
    ("3x64xf32", "3x65xf32"),
];

/// Returns a module with a function for each operation.
pub(crate) fn module(operations: &[Operation]) -> String {
    let functions = operations.iter().enumerate();
    let functions = functions.map(|(number, operation)| operation.mlir(&format!("f{number}")));
    functions.collect::<Vec<_>>().join("\n")
}

impl Operation {
    /// Returns the sizes above one, with the reduced one among them, and its position.
    pub(super) fn dimensions(&self) -> (Vec<usize>, usize) {
        let [before, reduced, after] = self.sizes;
        let (mut all, mut at) = (vec![reduced], 0);
        if before > 1 || self.is_open {
            all.insert(0, before);
            at = 1;
        }
        if after > 1 {
            all.push(after);
        }
        (all, at)
    }

    fn tensor(sizes: &[usize], kind: &str) -> String {
        let sizes: String = sizes.iter().map(|size| format!("{size}x")).collect();
        format!("tensor<{sizes}{kind}>")
    }

    pub(super) fn index_bytes(&self) -> usize {
        if self.index == "i32" { 4 } else { 8 }
    }

    pub(crate) fn problem(&self) -> String {
        let (sizes, at) = self.dimensions();
        let shape = sizes.iter().enumerate().map(|(d, size)| match d == at {
            true => format!("[{size}]x"),
            false => format!("{size}x"),
        });
        let shape: String = shape.collect();
        let name = if self.greatest_wins {
            "argmax"
        } else {
            "argmin"
        };
        let nan = if self.nan_wins { "_nan" } else { "" };
        let mode = match self.indices {
            Indices::Position => "",
            Indices::Based(_) => ":index_base",
            Indices::Explicit => ":explicit_index",
        };
        let first = if self.is_given_first { ":initial" } else { "" };
        let (outermost, counts) = match self.is_open {
            true => ("?", format!(":count=1..{LARGEST}")),
            false => ("", String::new()),
        };
        let shape = match self.is_open {
            true => shape.trim_start_matches(|c: char| c.is_ascii_digit()),
            false => &shape,
        };
        format!(
            "{name}{nan}:{outermost}{shape}{}:{}{mode}{first}{counts}",
            self.element.name(),
            self.index
        )
    }

    /// Formats its problem and its form.
    pub(crate) fn said(&self) -> String {
        format!("{} as {:?}", self.problem(), self.form)
    }

    fn mlir(&self, name: &str) -> String {
        let (sizes, at) = self.dimensions();
        let mut rows = sizes.clone();
        rows.remove(at);
        let (e, i) = (self.element.name(), self.index);
        let (input, iota) = (Self::tensor(&sizes, e), Self::tensor(&sizes, i));
        let (values, indices) = (Self::tensor(&rows, e), Self::tensor(&rows, i));
        let mut parameters = format!("%x: {input}");
        if self.indices == Indices::Explicit {
            parameters += &format!(", %given: {iota}");
        }
        let mut body = String::new();
        if self.is_given_first {
            parameters += &format!(", %v: {values}, %p: {indices}");
        } else {
            body += &format!(
                "  %worst = arith.constant {} : {e}
  %none = arith.constant 0 : {i}
  %ve = tensor.empty() : {values}
  %pe = tensor.empty() : {indices}
  %v = linalg.fill ins(%worst : {e}) outs(%ve : {values}) -> {values}
  %p = linalg.fill ins(%none : {i}) outs(%pe : {indices}) -> {indices}
",
                self.element
                    .constant(self.element.worst(self.greatest_wins))
            );
        }
        body += &match self.form {
            ArgCompare => self.arg_compare(&input, &iota, &values, &indices, at),
            Iota => self.iota(&sizes, at, &input, &iota, &values, &indices),
            _ => self.generic(&sizes, at, &input, &values, &indices),
        };
        let (value, place) = if self.form == Tosa { (1, 0) } else { (0, 1) };
        if self.is_open {
            let dimension = format!(
                "  %outermost = arith.constant 0 : index
  %count = tensor.dim %x, %outermost : {input}
"
            );
            body = dimension + &body.replace("tensor.empty()", "tensor.empty(%count)");
        }
        let text = format!(
            "func.func @{name}({parameters}) -> ({values}, {indices}) {{
{body}  return %r#{value}, %r#{place} : {values}, {indices}
}}
"
        );
        match self.is_open {
            true => text.replace(&format!("tensor<{}x", sizes[0]), "tensor<?x"),
            false => text,
        }
    }

    /// Returns the lines that set `%wins` if `%new` replaces `%held`.
    fn compare(&self) -> String {
        let e = self.element.name();
        match (self.element.is_float(), self.nan_wins, self.greatest_wins) {
            (false, _, true) => format!("    %wins = arith.cmpi sgt, %new, %held : {e}\n"),
            (false, _, false) => format!("    %wins = arith.cmpi slt, %new, %held : {e}\n"),
            (true, false, true) => format!("    %wins = arith.cmpf ogt, %new, %held : {e}\n"),
            (true, false, false) => format!("    %wins = arith.cmpf olt, %new, %held : {e}\n"),
            (true, true, greatest) => format!(
                "    %more = arith.cmpf {}, %new, %held : {e}
    %number = arith.cmpf ord, %held, %held : {e}
    %wins = arith.andi %more, %number : i1
",
                if greatest { "ugt" } else { "ult" }
            ),
        }
    }

    fn arg_compare(
        &self,
        input: &str,
        iota: &str,
        values: &str,
        indices: &str,
        at: usize,
    ) -> String {
        let e = self.element.name();
        let (operands, types) = match self.indices {
            Indices::Explicit => ("%x, %given", format!("{input}, {iota}")),
            _ => ("%x", input.to_owned()),
        };
        let (base, uses) = match self.indices {
            Indices::Based(base) => (
                format!("  %base = arith.constant {base} : index\n"),
                " index_base(%base : index)",
            ),
            _ => (String::new(), ""),
        };
        // As the problem's comparator is printed, because matchers compare the text.
        let compare = match self.nan_wins {
            true => {
                let predicate = if self.greatest_wins { "ugt" } else { "ult" };
                format!(
                    "    %number = arith.cmpf ord, %held, %held : {e}
    %more = arith.cmpf {predicate}, %new, %held : {e}
    %wins = arith.andi %number, %more : i1
"
                )
            }
            false => self.compare(),
        };
        format!(
            "{base}  %r:2 = iree_linalg_ext.arg_compare dimension({at}) ins({operands} : {types}) outs(%v, %p : {values}, {indices}){uses} {{
  ^bb0(%new: {e}, %held: {e}):
{compare}    iree_linalg_ext.yield %wins : i1
  }} -> {values}, {indices}
"
        )
    }

    pub(super) fn map(rank: usize, to: &[usize]) -> String {
        let list = |dimensions: &[usize]| {
            let names: Vec<String> = dimensions.iter().map(|d| format!("d{d}")).collect();
            names.join(", ")
        };
        let from: Vec<usize> = (0..rank).collect();
        format!("affine_map<({}) -> ({})>", list(&from), list(to))
    }

    fn generic(
        &self,
        sizes: &[usize],
        at: usize,
        input: &str,
        values: &str,
        indices: &str,
    ) -> String {
        let (e, i, rank) = (self.element.name(), self.index, sizes.len());
        let all: Vec<usize> = (0..rank).collect();
        let rows: Vec<usize> = all.iter().copied().filter(|d| *d != at).collect();
        let (all, rows) = (Self::map(rank, &all), Self::map(rank, &rows));
        let kinds: Vec<&str> = (0..rank)
            .map(|d| {
                if d == at {
                    "\"reduction\""
                } else {
                    "\"parallel\""
                }
            })
            .collect();
        let kinds = kinds.join(", ");
        let extreme = match (self.element.is_float(), self.greatest_wins) {
            (true, true) => "maximumf",
            (true, false) => "minimumf",
            (false, true) => "maxsi",
            (false, false) => "minsi",
        };
        let extreme = format!("    %value = arith.{extreme} %new, %held : {e}\n");
        let select = format!("    %value = arith.select %wins, %new, %held : {e}\n");
        let compare = self.compare();
        let steps = match (self.form, self.element.is_float()) {
            (MaxDim, _) => extreme + &compare,
            (Tosa, false) => compare + &extreme,
            _ => compare + &select,
        };
        let (outs, types, arguments, yields, kind) = match self.form {
            Tosa => (
                "%p, %v",
                format!("{indices}, {values}"),
                format!("%place: {i}, %held: {e}"),
                "%found, %value",
                format!("{i}, {e}"),
            ),
            _ => (
                "%v, %p",
                format!("{values}, {indices}"),
                format!("%held: {e}, %place: {i}"),
                "%value, %found",
                format!("{e}, {i}"),
            ),
        };
        format!(
            "  %r:2 = linalg.generic {{indexing_maps = [{all}, {rows}, {rows}], iterator_types = [{kinds}]}} ins(%x : {input}) outs({outs} : {types}) {{
  ^bb0(%new: {e}, {arguments}):
    %at = linalg.index {at} : index
    %index = arith.index_cast %at : index to {i}
{steps}    %found = arith.select %wins, %index, %place : {i}
    linalg.yield {yields} : {kind}
  }} -> ({types})
"
        )
    }
}
