//! The replacement of an operation: a function of a module that launches a kernel.
//!
//! Functions are inlined where they are called. Otherwise, IREE 3.13.0 moves constant arguments
//! into a called function and does not find them there.
//!
//! Indices of type `index` are cast on both sides of the launch. If the module itself casts them
//! to or from i64 there, IREE folds the two casts, and no `index` is left.

use std::fmt::{self, Display, Formatter};

use codegen::CompiledKernel;
use configgen::comparator::ScalarType;
use configgen::linalg::Type;
use configgen::{Problem, Target};
use iree::mlir::Tensor;

use super::counted_launch::Launches;
use super::extern_dispatch::{DispatchTensor, ExternDispatch};
use super::module_arg_compare::{ModuleArgCompare, arguments};

/// A function; `Display` prints a `util.func`.
pub(super) struct Dispatch<'a> {
    pub(super) operation: &'a ModuleArgCompare<'a>,
    /// The problem that the kernel was built for.
    pub(super) launched: &'a Problem,
    pub(super) kernel: &'a CompiledKernel,
    pub(super) target: &'a Target,
    /// The code object's file.
    pub(super) file: &'a str,
    /// The number of lanes of a subgroup.
    pub(super) subgroup_size: u32,
    /// True if the function returns the indices first.
    pub(super) indices_first: bool,
}

/// The names of index operands, before and after their cast.
struct IndexNames {
    explicit: &'static str,
    indices: &'static str,
}

const OPERANDS: IndexNames = IndexNames {
    explicit: "%explicit",
    indices: "%indices",
};
const CAST_OPERANDS: IndexNames = IndexNames {
    explicit: "%stored_explicit",
    indices: "%stored_indices",
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

    /// Returns the launches of the kernel.
    fn launches(&self) -> Launches<'_> {
        let Dispatch {
            operation,
            launched,
            kernel,
            target,
            file,
            subgroup_size,
            ..
        } = *self;
        let names = self.operands();
        let given = |name: &str, kind: Type| DispatchTensor {
            name: name.to_owned(),
            kind,
        };
        let mut inputs = vec![given("%input", kind(operation.input()))];
        if operation.is_explicit() {
            let of = kind(operation.stored_input_indices());
            inputs.push(given(names.explicit, of));
        }
        Launches {
            launch: ExternDispatch {
                problem: launched,
                kernel,
                target,
                file,
                subgroup_size,
            },
            inputs,
            results: vec![
                given("%values", kind(operation.values())),
                given(names.indices, kind(operation.stored_indices())),
            ],
            makes_results: !operation.begins_at_operands(),
        }
    }

    fn operands(&self) -> &'static IndexNames {
        match self.operation.casts_indices() {
            true => &CAST_OPERANDS,
            false => &OPERANDS,
        }
    }

    /// Prints the casts of the index operands, if there are any.
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
        let [value, mut index]: [String; 2] = self
            .launches()
            .write(f)?
            .try_into()
            .map_err(|_| fmt::Error)?;
        // The buffer has i64 or i32 indices, but the module expects `index`.
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

/// Returns the type of a tensor.
fn kind<E: Into<ScalarType> + Copy>(tensor: Tensor<'_, E>) -> Type {
    let sizes = tensor.sizes.iter().enumerate();
    let sizes = sizes.map(|(d, &size)| match tensor.open.get(d) {
        Some(true) => None,
        _ => Some(u64::from(size)),
    });
    Type {
        sizes: sizes.collect(),
        element: tensor.element.into(),
    }
}
