//! The parts of a spec that IREE's own syntax spells: types, comparisons, and the attribute of a configuration.

use std::fmt::{self, Display, Formatter};

use configgen::{Basis, Configuration, ElementType, Operation};

/// A tensor type: sizes, outermost first, and what the elements are.
pub(super) struct Tensor<'a, E>(pub(super) &'a [u32], pub(super) E);

impl<E: Display> Display for Tensor<'_, E> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("tensor<")?;
        for size in self.0 {
            write!(f, "{size}x")?;
        }
        write!(f, "{}>", self.1)
    }
}

/// The comparison that decides whether a new element beats the best so far.
pub(super) fn comparison(operation: Operation, element: ElementType) -> &'static str {
    match (operation, element.is_float()) {
        (Operation::Argmax, true) => "arith.cmpf ogt",
        (Operation::Argmin, true) => "arith.cmpf olt",
        (Operation::Argmax, false) => "arith.cmpi sgt",
        (Operation::Argmin, false) => "arith.cmpi slt",
    }
}

/// `#iree_codegen.compilation_info<…>`: a configuration for the pipeline VectorDistribute.
pub(super) struct CompilationInfo<'a>(pub(super) &'a Configuration);

impl Display for CompilationInfo<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Configuration {
            lowering,
            subgroup_size,
            workgroup_size: [x, y, z],
        } = self.0;
        write!(
            f,
            "#iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{{\
             workgroup = {}, partial_reduction = {}, thread = {}, lane_basis = {}, subgroup_basis = {}}}>, \
             translation_info = <pipeline = #iree_gpu.pipeline<VectorDistribute> \
             workgroup_size = [{x}, {y}, {z}] subgroup_size = {subgroup_size}>>",
            List(&lowering.workgroup),
            List(&lowering.partial_reduction),
            List(&lowering.thread),
            Pair(&lowering.lane_basis),
            Pair(&lowering.subgroup_basis),
        )
    }
}

/// `[1, 2]`.
struct List<'a, T>(&'a [T]);

impl<T: Display> Display for List<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (position, item) in self.0.iter().enumerate() {
            let comma = if position == 0 { "" } else { ", " };
            write!(f, "{comma}{item}")?;
        }
        f.write_str("]")
    }
}

/// `[[counts], [mapping]]`.
struct Pair<'a>(&'a Basis);

impl Display for Pair<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Basis { counts, mapping } = self.0;
        write!(f, "[{}, {}]", List(counts), List(mapping))
    }
}
