//! The ids of a thread: its lane, its subgroup, and the tile of its workgroup.

use configgen::comparator::IntegerPredicate;

use crate::native::ir::{Binary, Builder, Id, IrOperation, KernelPart, Lds, Type, Value};
use crate::native::isa::cross_lane::Field;
use crate::native::stages::blockwise::Subgroups;
use crate::native::stages::dimension::{Dimension, TailHandling};
use crate::native::stages::final_stage::Final;
use crate::native::stages::gridwise::{Gridwise, Split};
use crate::native::stages::lanewise::Lanes;

/// The ids of a thread, as i32 unless noted otherwise.
pub(super) struct Ids {
    /// The thread in the workgroup.
    pub(super) thread: Value,
    /// The lane in the subgroup.
    pub(super) lane: Value,
    /// The ids along each dimension.
    pub(super) along: Vec<DimensionIds>,
    /// The number of the workgroup's tile, of type
    /// [`Gridwise::id_kind`](crate::native::stages::gridwise::Gridwise::id_kind), and the
    /// workgroup's piece of it. Uniform.
    pub(super) tile: Value,
    pub(super) piece: Value,
    /// A pointer to LDS with one word per thread, for exchanges through LDS.
    pub(super) exchange_words: Value,
}

/// The ids of a thread along one dimension, as i32.
pub(super) struct DimensionIds {
    /// The number of the lane, counted through [all
    /// subgroups](crate::native::stages::lanewise::Lanes::threads) if these have no number of
    /// their own.
    pub(super) lane: Value,
    /// The number of the subgroup, unless lanes are counted through all subgroups. Uniform.
    pub(super) subgroup: Value,
    /// The first element of the workgroup's tile, or of the first step. Uniform.
    pub(super) first: Value,
    /// The number of leading elements that belong to another workgroup, if there may be some.
    /// Along a parallel dimension it stores their rows; of a piece it takes them. Computed for a
    /// piece only if repeated elements matter. Uniform.
    pub(super) others: Option<Value>,
    /// The number of existing elements of the workgroup's tile, at least 1, if the count is known
    /// only at launch. Uniform.
    pub(super) extent: Option<Value>,
}

impl Ids {
    pub(super) fn build(ir: &mut Builder, kernel: &Final) -> Ids {
        let block = &kernel.lanes.block;
        let lanes = block.grid.subgroup_size;
        let thread = ir.value(Type::I32, IrOperation::Id(Id::Thread));
        ir.named(thread, "thread");
        let lane = match block.subgroups() {
            1 => thread,
            _ => {
                let lane = ir.masked(thread, u64::from(lanes - 1));
                ir.named(lane, "lane")
            }
        };
        let is_apart = |(subgroups, lanes): (&Subgroups, &Lanes)| {
            subgroups.field.bits > 0 && lanes.threads.is_none()
        };
        // The subgroup id costs a readfirstlane, so it is built only if a dimension needs it.
        let subgroup = match block.along.iter().zip(&kernel.lanes.along).any(is_apart) {
            true => subgroup(ir, kernel, thread),
            false => Value::i32(0),
        };
        let mut along: Vec<DimensionIds> = Vec::new();
        for (subgroups, along_lanes) in block.along.iter().zip(&kernel.lanes.along) {
            let (lane, subgroup) = match along_lanes.threads {
                Some(field) => (digit(ir, thread, field, block.grid.threads), Value::i32(0)),
                None => (
                    digit(ir, lane, along_lanes.field, lanes),
                    digit(ir, subgroup, subgroups.field, block.subgroups()),
                ),
            };
            along.push(DimensionIds {
                subgroup,
                lane,
                first: Value::i32(0),
                others: None,
                extent: None,
            });
        }
        let (tile, piece) = ir.part(KernelPart::Tile, |ir| {
            workgroup_tile(ir, kernel, &mut along)
        });
        Ids {
            tile,
            piece,
            thread,
            lane,
            along,
            exchange_words: Value::lds(Lds::Exchange),
        }
    }
}

impl DimensionIds {
    /// Sets the start to that of a piece (i32, uniform). The last pieces may start earlier.
    /// `is_once` says that no two workgroups may take the same element.
    fn begin(&mut self, ir: &mut Builder, piece: Value, split: Split, is_once: bool) {
        let first = ir.mul(piece, split.piece.into());
        self.first = ir.at_most(first, split.last.into());
        // Only then do the last pieces overlap those before.
        if is_once && split.last < (split.pieces - 1) * split.piece {
            self.others = Some(ir.binary(Binary::Sub, first, self.first));
        }
    }
}

/// Returns the number (i32, uniform) of a thread's subgroup.
fn subgroup(ir: &mut Builder, kernel: &Final, thread: Value) -> Value {
    let block = &kernel.lanes.block;
    if block.subgroups() == 1 {
        return Value::i32(0);
    }
    let subgroup = ir.shifted_right(thread, block.grid.subgroup_size.trailing_zeros());
    // The subgroup is uniform, but LLVM cannot know that.
    let subgroup = ir.value(Type::I32, IrOperation::ReadFirstLane(subgroup));
    ir.named(subgroup, "subgroup")
}

/// Returns the coordinates (i32) of row `number` (i32) of a workgroup's tile.
pub(super) fn tile_row(ir: &mut Builder, kernel: &Final, number: Value) -> Vec<Value> {
    let parallel = kernel.lanes.block.grid.parallel();
    let extents: Vec<u32> = parallel.map(|(_, dimension)| dimension.extent()).collect();
    delinearize(ir, number, &extents)
}

/// Returns the number (i32) of the row at these coordinates (i32) of a workgroup's tile.
pub(super) fn number_in_tile(ir: &mut Builder, kernel: &Final, row: &[Value]) -> Value {
    let parallel = kernel.lanes.block.grid.parallel().zip(row);
    parallel.fold(Value::i32(0), |number, ((_, dimension), &coordinate)| {
        let number = ir.mul(number, dimension.extent().into());
        ir.add(number, coordinate)
    })
}

impl Ids {
    /// Returns the number (i32, uniform) of the subgroup among those that share a row.
    pub(super) fn sharer(&self, ir: &mut Builder, kernel: &Final) -> Value {
        let block = &kernel.lanes.block;
        let subgroup = subgroup(ir, kernel, self.thread);
        let mut number = Value::i32(0);
        for (d, _) in block.grid.reduced() {
            let field = block.along[d].field;
            let digit = digit(ir, subgroup, field, block.subgroups());
            number = ir.mul(number, field.count().into());
            number = ir.add(number, digit);
        }
        number
    }

    /// Returns conditions (i1) that all hold if the workgroup stores the row at these coordinates
    /// (i32) of its tile.
    pub(super) fn is_stored(&self, ir: &mut Builder, kernel: &Final, row: &[Value]) -> Vec<Value> {
        let parallel = kernel.lanes.block.grid.parallel().zip(row);
        let conditions = parallel.map(|((d, _), &coordinate)| {
            let others = self.along[d].others?;
            Some(ir.compare(IntegerPredicate::Uge, coordinate, others))
        });
        conditions.flatten().collect()
    }

    /// Returns conditions (i1) that all hold if the row at these coordinates (i32) of the
    /// workgroup's tile exists. There is one for each dimension with a count known only at
    /// launch.
    pub(super) fn exists(&self, ir: &mut Builder, kernel: &Final, row: &[Value]) -> Vec<Value> {
        let parallel = kernel.lanes.block.grid.parallel().zip(row);
        let conditions = parallel.map(|((d, _), &coordinate)| {
            let extent = self.along[d].extent?;
            Some(ir.compare(IntegerPredicate::Ult, coordinate, extent))
        });
        conditions.flatten().collect()
    }

    /// Builds `body` for each number (i32) below `count`, one per thread, in rounds if there are
    /// more numbers than threads.
    pub(super) fn distribute(
        &self,
        ir: &mut Builder,
        kernel: &Final,
        count: u32,
        mut body: impl FnMut(&mut Builder, Value),
    ) {
        let threads = kernel.lanes.block.grid.threads;
        for first in (0..count).step_by(threads as usize) {
            let number = ir.add(self.thread, Value::i32(first));
            let mut condition = None;
            if count - first < threads {
                condition = Some(ir.compare(IntegerPredicate::Ult, number, Value::i32(count)));
            }
            ir.guarded(condition.as_slice(), |ir| body(ir, number));
        }
    }
}

/// Returns the digit `field` of `id`, which is below `ids`.
fn digit(ir: &mut Builder, id: Value, field: Field, ids: u32) -> Value {
    if field.bits == 0 {
        return Value::i32(0);
    }
    let shifted = match field.low {
        0 => id,
        low => ir.shifted_right(id, low),
    };
    // The topmost digit needs no mask.
    match field.count() << field.low < ids {
        true => ir.masked(shifted, u64::from(field.count() - 1)),
        false => shifted,
    }
}

/// Returns the digits of `number`, one per count, with the last one fastest. The number must be
/// below the product of the counts.
pub(super) fn delinearize(ir: &mut Builder, number: Value, counts: &[u32]) -> Vec<Value> {
    let mut digits = vec![Value::bits(number.kind, 0); counts.len()];
    let mut rest = number;
    let mut larger: Vec<usize> = (0..counts.len()).filter(|&d| counts[d] > 1).collect();
    while let Some(d) = larger.pop() {
        if larger.is_empty() {
            digits[d] = rest;
            break;
        }
        digits[d] = ir.rem(rest, counts[d].into());
        rest = ir.div(rest, counts[d].into());
    }
    digits
}

/// Sets the workgroup's first element along each dimension. Returns the numbers of its tile and
/// piece. Surplus workgroups end here.
fn workgroup_tile(ir: &mut Builder, kernel: &Final, along: &mut [DimensionIds]) -> (Value, Value) {
    let grid = &kernel.lanes.block.grid;
    let [x, y] = grid.workgroups;
    let kind = grid.id_kind();
    if [x, y] == [1, 1] {
        cut_off(ir, grid, along);
        return (Value::bits(kind, 0), Value::i32(0));
    }
    let id = ir.value(Type::I32, IrOperation::Id(Id::WorkgroupX));
    let mut id = ir.resized(id, kind);
    if y > 1 {
        let row = ir.value(Type::I32, IrOperation::Id(Id::WorkgroupY));
        let row = ir.resized(row, kind);
        let before = ir.mul(row, x.into());
        id = ir.add(before, id);
    }
    ir.named(id, "workgroup");
    // With a count, `cut_off` ends surplus workgroups.
    if grid.has_surplus() && !grid.is_counted() {
        let pieces = Value::bits(kind, grid.pieces());
        let is_tile = ir.compare(IntegerPredicate::Ult, id, pieces);
        ir.act(IrOperation::ContinueIf(is_tile));
    }
    let mut piece = Value::i32(0);
    if let Some(split) = grid.split {
        let pieces = split.pieces.into();
        piece = ir.rem(id, pieces);
        id = ir.div(id, pieces);
        piece = ir.resized(piece, Type::I32);
        ir.named(piece, "piece");
        // An output of an element must be stored once, too.
        let is_once = grid.combiner.neutral().is_some() || grid.sequel.is_some();
        along[split.dimension].begin(ir, piece, split, is_once);
    }
    let (numbers, dimensions): (Vec<usize>, Vec<&Dimension>) = grid.parallel().unzip();
    let counts: Vec<u32> = dimensions
        .iter()
        .map(|dimension| dimension.tiles())
        .collect();
    let digits = delinearize(ir, id, &counts);
    for ((number, dimension), tile) in numbers.into_iter().zip(dimensions).zip(digits) {
        let tile = ir.resized(tile, Type::I32);
        let own = ir.mul(tile, dimension.tile().into());
        let along = &mut along[number];
        along.first = own;
        if dimension.cover() == TailHandling::Shifted {
            along.first = ir.at_most(own, dimension.last().into());
            // A shifted tile repeats rows of the tile before, which stores them.
            along.others = Some(ir.binary(Binary::Sub, own, along.first));
        }
        ir.named(along.first, "first");
    }
    cut_off(ir, grid, along);
    (id, piece)
}

/// Sets the existing elements of the workgroup's tile if the count is known only at launch.
/// Workgroups without any end here. The launch has none along x.
fn cut_off(ir: &mut Builder, grid: &Gridwise, along: &mut [DimensionIds]) {
    for (number, dimension) in grid.parallel() {
        if !dimension.counted {
            continue;
        }
        let along = &mut along[number];
        if grid.workgroups[1] > 1 {
            let is_tile = ir.compare(IntegerPredicate::Ult, along.first, Value::count());
            ir.act(IrOperation::ContinueIf(is_tile));
        }
        if dimension.cover() == TailHandling::Counted {
            let left = match along.first.is_zero() {
                true => Value::count(),
                false => ir.binary(Binary::Sub, Value::count(), along.first),
            };
            let extent = ir.at_most(left, dimension.tile().into());
            along.extent = Some(ir.named(extent, "extent"));
        }
    }
}
