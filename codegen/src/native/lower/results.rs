//! The results of a row: their addresses, the index of a position, and the stores.

use configgen::{IndexMode, IndexType};

use super::memory::{integer, scaled};
use super::thread_ids::{Ids, delinearize};
use crate::native::combiner::{Index, ResultPosition, StateValues};
use crate::native::ir::{Builder, Parameter, Type, Value, ValueOrigin};
use crate::native::stages::final_stage::Final;

/// The number of a row among all, as the sum of a uniform part and the lane's own.
pub(super) struct RowNumber {
    first: Value,
    own: Value,
    /// An upper bound of the number.
    largest: u64,
}

impl RowNumber {
    /// Builds the number of the row at these coordinates of the workgroup's tile (i32), one per
    /// parallel dimension.
    pub(super) fn build(ir: &mut Builder, kernel: &Final, ids: &Ids, row: &[Value]) -> RowNumber {
        let grid = &kernel.lanes.block.grid;
        let weights = grid.parallel().map(|(_, dimension)| dimension.weight);
        RowNumber::weighted(ir, kernel, ids, row, weights, grid.rows())
    }

    /// Builds the number as [`Self::build`] does, with a given weight for each parallel
    /// dimension. `largest` bounds the number.
    pub(super) fn weighted(
        ir: &mut Builder,
        kernel: &Final,
        ids: &Ids,
        row: &[Value],
        weights: impl Iterator<Item = u64>,
        largest: u64,
    ) -> RowNumber {
        let kind = integer(largest, u32::MAX.into());
        let [mut first, mut own] = [0, 0].map(|zero| Value::bits(kind, zero));
        let parallel = kernel.lanes.block.grid.parallel().zip(row);
        for (((d, _), &coordinate), weight) in parallel.zip(weights) {
            let uniform = scaled(ir, kind, ids.along[d].first, weight);
            first = ir.add(first, uniform);
            let lanes = scaled(ir, kind, coordinate, weight);
            own = ir.add(own, lanes);
        }
        RowNumber {
            first,
            own,
            largest,
        }
    }

    /// Returns both parts as i64.
    fn widened(&self, ir: &mut Builder) -> [Value; 2] {
        [self.first, self.own].map(|number| ir.resized(number, Type::I64))
    }

    /// Returns the address of part `part` (i32) of a row's `parts` in the buffer `parameter`.
    /// Each part has `bytes` bytes.
    pub(super) fn part(
        &self,
        ir: &mut Builder,
        parameter: Parameter,
        parts: u32,
        part: Value,
        bytes: u32,
    ) -> Value {
        let row = self.address(ir, parameter, parts * bytes);
        let part = scaled(ir, Type::I64, part, bytes.into());
        ir.offset(row, part)
    }

    /// Returns the address of the row's element of `bytes` bytes in the buffer `parameter`.
    pub(super) fn address(&self, ir: &mut Builder, parameter: Parameter, bytes: u32) -> Value {
        let (buffer, bytes) = (Value::buffer(parameter), u64::from(bytes));
        if self.own.kind == Type::I32 && self.largest.saturating_mul(bytes) <= u32::MAX.into() {
            // One vector offset of 32 bits serves all buffers with elements of this size.
            let number = ir.add(self.first, self.own);
            let offset = ir.mul(number, bytes);
            let offset = ir.resized(offset, Type::I64);
            return ir.offset(buffer, offset);
        }
        let [first, own] = self.widened(ir);
        // The uniform part moves the scalar base, the lane's own becomes the vector offset.
        let base = ir.mul(first, bytes);
        let base = ir.offset(buffer, base);
        let offset = ir.mul(own, bytes);
        ir.offset(base, offset)
    }
}

/// Builds the stores of the results of the row at these coordinates of the workgroup's tile, in
/// the current lanes.
pub(super) fn store(
    ir: &mut Builder,
    kernel: &Final,
    ids: &Ids,
    row: &[Value],
    state: &StateValues,
) {
    let combiner = &kernel.lanes.block.grid.combiner;
    let number = RowNumber::build(ir, kernel, ids, row);
    let finished = combiner.finish(ir, state);
    let (Some(index), Some(found)) = (combiner.index(), finished.found) else {
        return put(ir, &number, Parameter::Values, finished.value);
    };
    let place = IndexComputation {
        kernel,
        ids,
        row,
        index,
    };
    let both = |ir: &mut Builder, index: Value| {
        put(ir, &number, Parameter::Values, finished.value);
        put(ir, &number, Parameter::Indices, index);
    };
    match combiner.begins_at_results() {
        // If nothing won, the outputs already hold the result.
        true => ir.guarded(&[found.won], |ir| {
            let index = place.at(ir, found.position);
            both(ir, index);
        }),
        false => {
            let index = place.or_none(ir, &found);
            both(ir, index);
        }
    }
}

/// Builds the store of a row's element in the buffer `parameter`.
pub(super) fn put(ir: &mut Builder, row: &RowNumber, parameter: Parameter, value: Value) {
    let bytes = value.kind.bits() / 8;
    let address = row.address(ir, parameter, bytes);
    ir.store(value, address, bytes);
}

/// Returns the type of indices in memory.
pub(super) fn index_type(index: IndexType) -> Type {
    match index {
        IndexType::I32 => Type::I32,
        IndexType::I64 | IndexType::Index => Type::I64,
    }
}

/// Returns the index base, which is added to positions.
pub(super) fn base(index: IndexType) -> Value {
    Value {
        kind: index_type(index),
        origin: ValueOrigin::Parameter(Parameter::Base),
    }
}

/// The inputs of an index computation.
struct IndexComputation<'a> {
    kernel: &'a Final,
    ids: &'a Ids,
    row: &'a [Value],
    index: Index,
}

impl IndexComputation<'_> {
    /// Computes the index of the winner, in the index type, or the index for "none".
    fn or_none(&self, ir: &mut Builder, found: &ResultPosition) -> Value {
        if self.index.mode == IndexMode::Position && found.is_always_one {
            return self.at(ir, found.position);
        }
        let or = |ir: &mut Builder, value: Value, other: u64| {
            ir.select(found.won, value, Value::bits(value.kind, other))
        };
        // A constant must have no bits beyond its type.
        let of_none = self.index.of_none as u64 & u64::MAX >> (64 - self.index.kind.bits());
        match self.index.mode {
            IndexMode::Position if of_none == 0 => {
                let position = or(ir, found.position, 0);
                self.at(ir, position)
            }
            IndexMode::Position | IndexMode::Based => {
                let index = self.at(ir, found.position);
                or(ir, index, of_none)
            }
            IndexMode::Explicit => {
                // Position 0 always exists, so its explicit index can be loaded.
                let position = or(ir, found.position, 0);
                let index = self.at(ir, position);
                or(ir, index, of_none)
            }
        }
    }

    /// Computes the index of the element at `position` of the row, in the index type.
    fn at(&self, ir: &mut Builder, position: Value) -> Value {
        let kind = index_type(self.index.kind);
        match self.index.mode {
            IndexMode::Position => ir.resized(position, kind),
            IndexMode::Based => {
                let number = ir.resized(position, kind);
                ir.add(number, base(self.index.kind))
            }
            IndexMode::Explicit => {
                let address = self.explicit(ir, position);
                ir.load(kind, address, self.index.kind.bytes())
            }
        }
    }

    /// Returns the address of an element's explicit index. Explicit indices lie like the
    /// problem's elements, without gaps.
    fn explicit(&self, ir: &mut Builder, position: Value) -> Value {
        let grid = &self.kernel.lanes.block.grid;
        let sizes: Vec<u32> = grid.dimensions.iter().map(|d| d.whole).collect();
        let strides: Vec<u64> = (0..sizes.len())
            .map(|d| sizes[d + 1..].iter().map(|&size| u64::from(size)).product())
            .collect();
        let weights = grid.parallel().map(|(d, _)| strides[d]);
        let row = RowNumber::weighted(
            ir,
            self.kernel,
            self.ids,
            self.row,
            weights,
            grid.elements(),
        );
        let [first, mut own] = row.widened(ir);
        let position = ir.resized(position, Type::I64);
        let (reduced, counts): (Vec<usize>, Vec<u32>) =
            grid.reduced().map(|(d, r)| (d, r.whole)).unzip();
        for (d, digit) in reduced.into_iter().zip(delinearize(ir, position, &counts)) {
            let offset = ir.mul(digit, strides[d]);
            own = ir.add(own, offset);
        }
        let number = RowNumber { first, own, ..row };
        number.address(ir, Parameter::Explicit, self.index.kind.bytes())
    }
}
