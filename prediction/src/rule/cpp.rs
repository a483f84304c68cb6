//! A rule as C++, in the form of IREE's `setReductionConfig`.

use std::fmt::Write as _;

use super::recipe::subgroup_size;
use super::{ReductionRule, RuleRow, VALUES};

/// The code before the decisions.
const HEAD: &str = "\
static LogicalResult
setReductionConfig(IREE::GPU::TargetAttr target,
                   mlir::FunctionOpInterface entryPoint, linalg::LinalgOp op) {
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  // The rule knows rows with one reduced dimension, the innermost.
  if (sizes.size() < 2 || reduced.size() != 1 ||
      reduced.front() + 1 != sizes.size() ||
      ShapedType::isDynamicShape(sizes)) {
    return failure();
  }
  int64_t columns = sizes.back();
  int64_t rows = 1;
  for (int64_t size : ArrayRef<int64_t>(sizes).drop_back()) {
    rows *= size;
  }
  Type element = getElementTypeOrSelf(op.getDpsInputOperand(0)->get());
  int64_t bits = element.getIntOrFloatBitWidth();
  int64_t thread, subgroups, rowLanes, loads;
";

/// The code behind the decisions.
const TAIL: &str = "\
  // A short row has fewer subgroups and loads: each subgroup has an element.
  int64_t columnLanes = lanes / rowLanes;
  while (thread > columns) {
    thread /= 2;
  }
  while (subgroups > 1 && (subgroups - 1) * columnLanes * thread >= columns) {
    subgroups /= 2;
  }
  int64_t load = columnLanes * subgroups * thread;
  int64_t others = load - columnLanes * thread;
  while (loads > 1 &&
         ((loads - 1) * load >= columns || loads * others >= columns)) {
    --loads;
  }

  int64_t rank = sizes.size();
  SmallVector<int64_t> workgroup(rank, 1), step(rank, 0), threads(rank, 0);
  SmallVector<int64_t> laneCounts(rank, 1), subgroupCounts(rank, 1);
  workgroup[rank - 1] = 0;
  workgroup[rank - 2] = rowLanes;
  step[rank - 1] = load * loads;
  threads[rank - 1] = thread;
  laneCounts[rank - 2] = rowLanes;
  laneCounts[rank - 1] = columnLanes;
  subgroupCounts[rank - 1] = subgroups;
  SmallVector<int64_t> mapping = llvm::to_vector(llvm::seq<int64_t>(0, rank));

  Builder b(op.getContext());
  ArrayAttr laneBasis = b.getArrayAttr(
      {b.getI64ArrayAttr(laneCounts), b.getI64ArrayAttr(mapping)});
  ArrayAttr subgroupBasis = b.getArrayAttr(
      {b.getI64ArrayAttr(subgroupCounts), b.getI64ArrayAttr(mapping)});
  NamedAttribute attributes[] = {
      b.getNamedAttr(\"workgroup\", b.getI64ArrayAttr(workgroup)),
      b.getNamedAttr(\"partial_reduction\", b.getI64ArrayAttr(step)),
      b.getNamedAttr(\"thread\", b.getI64ArrayAttr(threads)),
      b.getNamedAttr(\"lane_basis\", laneBasis),
      b.getNamedAttr(\"subgroup_basis\", subgroupBasis)};
  auto config = IREE::GPU::LoweringConfigAttr::get(
      op.getContext(), b.getDictionaryAttr(attributes));
  return setOpConfigAndEntryPointFnTranslation(
      entryPoint, op, config,
      IREE::Codegen::DispatchLoweringPassPipeline::LLVMGPUVectorDistribute,
      {lanes * subgroups, 1, 1}, lanes);
}
";

impl ReductionRule {
    /// Returns the rule as a C++ function.
    pub fn cpp(&self) -> String {
        let lanes = subgroup_size(self.device.target());
        let mut text = format!(
            "// {} on {} ({}, {} compute units), by `wavetune rule`.\n\
             // Learnt from the estimated times of {} shapes. Mean regret on {} others: {:.1} %.\n\
             {HEAD}  const int64_t lanes = {lanes};\n",
            self.operation,
            self.device.target(),
            self.device.name,
            self.device.compute_units,
            self.shapes,
            self.held_out.len(),
            100.0 * self.mean_regret(),
        );
        for (place, row) in self.rows.iter().enumerate() {
            let is_last = place + 1 == self.rows.len();
            let begins = match (place, is_last) {
                // The rows cover all shapes, so the last one needs no condition.
                (0, true) => "  {".to_owned(),
                (_, true) => " else {".to_owned(),
                (0, _) => format!("  if ({}) {{", row.condition(" && ")),
                _ => format!(" else if ({}) {{", row.condition(" && ")),
            };
            let recipe = row.recipe;
            write!(
                text,
                "{begins}\n    thread = {}, subgroups = {}, rowLanes = {}, loads = {};\n  }}",
                recipe.thread, recipe.subgroups, recipe.row_lanes, recipe.loads
            )
            .expect("a string takes all");
        }
        text + "\n" + TAIL
    }
}

impl RuleRow {
    /// Returns the conditions as text with `and` between them.
    pub fn condition(&self, and: &str) -> String {
        let texts = self.conditions.iter().map(|one| {
            let sign = if one.is_most { "<=" } else { ">" };
            format!("{} {sign} {}", VALUES[one.value], one.limit)
        });
        texts.collect::<Vec<String>>().join(and)
    }
}
