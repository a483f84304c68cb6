//! What is put in place of an operation: a function of a module that launches a kernel.
//!
//! Functions are inlined where they are called: of one that is called with constants, IREE 3.13.0 moves these into it, and does
//! not find them there.
//!
//! Where the count is known at launch only, a kernel is launched once for all places, if there are any and no more than the
//! largest count that it was made for; else once for each so many of them, as its offsets and its grid hold no more.
//!
//! Indices of type `index` are cast on both sides of the launch. Where the module has a cast of its own to or from i64 there, IREE folds
//! the two, and no `index` is left.

use std::fmt::{self, Display, Formatter};

use codegen::CompiledKernel;
use configgen::Target;
use configgen::mlir::Tensor;

use super::launch::{All, Given, Launch};
use super::operation::{Operation, arguments};
use crate::grid::CountedGrid;

/// A function; `Display` prints a `util.func`.
pub(super) struct Dispatch<'a> {
    pub(super) operation: &'a Operation<'a>,
    pub(super) kernel: &'a CompiledKernel,
    pub(super) target: &'a Target,
    /// The code object's file.
    pub(super) file: &'a str,
    /// Lanes of a subgroup.
    pub(super) subgroup_size: u32,
    /// Whether it returns the indices first.
    pub(super) indices_first: bool,
}

/// What the tensors of an operation are called.
struct Names {
    input: &'static str,
    explicit: &'static str,
    values: &'static str,
    indices: &'static str,
    /// Where it is known at launch only.
    count: &'static str,
}

/// The operands of the operation, or what stands for them.
const OPERANDS: Names = Names {
    input: "%input",
    explicit: "%explicit",
    values: "%values",
    indices: "%indices",
    count: "%count",
};
/// The same, where the indices of the operation are cast.
const CAST_OPERANDS: Names = Names {
    explicit: "%stored_explicit",
    indices: "%stored_indices",
    ..OPERANDS
};
/// Some of their places.
const PART: Names = Names {
    input: "%some_input",
    explicit: "%some_explicit",
    values: "%some_values",
    indices: "%some_indices",
    count: "%some",
};

impl Dispatch<'_> {
    pub(super) fn name(&self) -> String {
        let order = if self.indices_first {
            "_indices_first"
        } else {
            ""
        };
        format!("{}{order}", self.kernel.symbol)
    }

    fn launch(&self) -> Launch<'_> {
        let Dispatch {
            operation,
            kernel,
            target,
            file,
            subgroup_size,
            ..
        } = *self;
        Launch {
            problem: operation.problem,
            kernel,
            target,
            file,
            subgroup_size,
        }
    }

    /// What a launch is given, by these names.
    fn all(&self, names: &Names) -> All {
        let operation = self.operation;
        let given = |name: &str, kind: String| Given {
            name: name.to_owned(),
            kind,
        };
        let mut inputs = vec![given(names.input, operation.input().to_string())];
        if operation.is_explicit() {
            let kind = operation.stored_input_indices();
            inputs.push(given(names.explicit, kind.to_string()));
        }
        All {
            inputs,
            results: vec![
                given(names.values, operation.values().to_string()),
                given(names.indices, operation.stored_indices().to_string()),
            ],
            count: names.count,
        }
    }

    /// Launches the kernel with tensors of these names, and gives the names of its values and indices.
    fn launches(&self, f: &mut Formatter<'_>, names: &Names) -> Result<[String; 2], fmt::Error> {
        let results = self.launch().write(f, &self.all(names))?;
        results.try_into().map_err(|_| fmt::Error)
    }

    fn operands(&self) -> &'static Names {
        match self.operation.casts_indices() {
            true => &CAST_OPERANDS,
            false => &OPERANDS,
        }
    }

    /// The casts of the operands that are indices, where there are any.
    fn casts(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let operation = self.operation;
        if !operation.casts_indices() {
            return Ok(());
        }
        let mut cast = |to: &str, from: &str, of: Tensor<'_, _>, stored: Tensor<'_, _>| {
            writeln!(f, "    {to} = arith.index_cast {from} : {of} to {stored}")
        };
        if operation.is_explicit() {
            let (of, stored) = (operation.input_indices(), operation.stored_input_indices());
            cast(CAST_OPERANDS.explicit, OPERANDS.explicit, of, stored)?;
        }
        if operation.begins_at_operands() {
            let (of, stored) = (operation.indices(), operation.stored_indices());
            cast(CAST_OPERANDS.indices, OPERANDS.indices, of, stored)?;
        }
        Ok(())
    }

    /// What results are written to, where the fold does not begin at operands.
    fn empty(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let operation = self.operation;
        if operation.begins_at_operands() {
            return Ok(());
        }
        let (values, indices) = (operation.values(), operation.stored_indices());
        let count = if operation.is_open() { "%count" } else { "" };
        writeln!(f, "    %values = tensor.empty({count}) : {values}")?;
        let name = self.operands().indices;
        writeln!(f, "    {name} = tensor.empty({count}) : {indices}")
    }

    /// Values and indices for any count.
    fn of_any_count(&self, f: &mut Formatter<'_>, largest: u32) -> fmt::Result {
        let operation = self.operation;
        let (input, values) = (operation.input(), operation.values());
        let (indices, given) = (operation.stored_indices(), self.operands());
        let both = format!("{values}, {indices}");
        write!(
            f,
            "    %none = arith.constant 0 : index
    %one = arith.constant 1 : index
    %largest = arith.constant {largest} : index
    %count = tensor.dim %input, %none : {input}
    %last = arith.subi %count, %one : index
    %is_made_for = arith.cmpi ult, %last, %largest : index
    %both:2 = scf.if %is_made_for -> ({both}) {{
"
        )?;
        self.empty(f)?;
        let [value, index] = self.launches(f, given)?;
        write!(
            f,
            "    scf.yield {value}, {index} : {both}\n    }} else {{\n"
        )?;
        self.empty(f)?;
        write!(
            f,
            "    %parts:2 = scf.for %from = %none to %count step %largest iter_args(%these = %values, %those = {}) -> ({both}) {{
    %left = arith.subi %count, %from : index
    %some = arith.minui %left, %largest : index
",
            given.indices
        )?;
        take(f, PART.input, "%input", &input)?;
        if operation.is_explicit() {
            let kind = operation.stored_input_indices();
            take(f, PART.explicit, given.explicit, &kind)?;
        }
        take(f, PART.values, "%these", &values)?;
        take(f, PART.indices, "%those", &indices)?;
        let [value, index] = self.launches(f, &PART)?;
        put(f, "%more_of_these", &value, "%these", &values)?;
        put(f, "%more_of_those", &index, "%those", &indices)?;
        writeln!(
            f,
            "    scf.yield %more_of_these, %more_of_those : {both}
    }}
    scf.yield %parts#0, %parts#1 : {both}
    }}"
        )
    }
}

impl Display for Dispatch<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let operation = self.operation;
        let (values, indices) = (operation.values(), operation.indices());
        let returned = match self.indices_first {
            true => format!("{indices}, {values}"),
            false => format!("{values}, {indices}"),
        };
        let operands = arguments(&operation.operands());
        writeln!(
            f,
            "  util.func private @{}({operands}) -> ({returned}) {{",
            self.name()
        )?;
        self.casts(f)?;
        let grid = CountedGrid::of(operation.problem, self.kernel);
        let [value, mut index] = match grid {
            Some(CountedGrid { largest, .. }) => {
                self.of_any_count(f, largest)?;
                ["%both#0", "%both#1"].map(str::to_owned)
            }
            None => {
                self.empty(f)?;
                self.launches(f, self.operands())?
            }
        };
        if operation.casts_indices() {
            let stored = operation.stored_indices();
            writeln!(
                f,
                "    %cast = arith.index_cast {index} : {stored} to {indices}"
            )?;
            "%cast".clone_into(&mut index);
        }
        match self.indices_first {
            true => writeln!(f, "    util.return {index}, {value} : {returned}")?,
            false => writeln!(f, "    util.return {value}, {index} : {returned}")?,
        }
        writeln!(f, "  }}")
    }
}

/// Takes `%some` places, from `%from` on, of the outermost dimension of a tensor.
fn take<E: Display>(
    f: &mut Formatter<'_>,
    part: &str,
    whole: &str,
    kind: &Tensor<'_, E>,
) -> fmt::Result {
    let places = Places(kind.sizes);
    writeln!(
        f,
        "    {part} = tensor.extract_slice {whole}{places} : {kind} to {kind}"
    )
}

/// Puts them back.
fn put<E: Display>(
    f: &mut Formatter<'_>,
    name: &str,
    part: &str,
    whole: &str,
    kind: &Tensor<'_, E>,
) -> fmt::Result {
    let places = Places(kind.sizes);
    writeln!(
        f,
        "    {name} = tensor.insert_slice {part} into {whole}{places} : {kind} into {kind}"
    )
}

/// `[%from, 0][%some, 300][1, 1]`.
struct Places<'a>(&'a [u32]);

impl Display for Places<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let inner = &self.0[1..];
        let [mut first, mut sizes, mut steps] = ["%from", "%some", "1"].map(str::to_owned);
        for size in inner {
            first += ", 0";
            sizes += &format!(", {size}");
            steps += ", 1";
        }
        write!(f, "[{first}][{sizes}][{steps}]")
    }
}
