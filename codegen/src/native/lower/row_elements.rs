//! The elements that whole rows use, such as a label and the element at the label. Each is one
//! load for a row, the same in all lanes.

use configgen::comparator::IntegerPredicate;

use super::lane_offset::{self, LaneOffsets};
use super::memory::scaled;
use super::results::RowNumber;
use super::thread_ids::Ids;
use crate::native::combiner::{RegisterForm, region, register};
use crate::native::ir::{Builder, Type, Value};
use crate::native::stages::epilogue::Epilogue;
use crate::native::stages::final_stage::Final;

/// The elements of one row. Those at positions are missing at first.
type RowElements = Vec<Option<Value>>;

/// Builds the loads that depend on no other, and returns the elements of each of the lane's rows.
pub(super) fn first(
    ir: &mut Builder,
    kernel: &Final,
    sequel: &Epilogue,
    ids: &Ids,
    places: &[LaneOffsets],
) -> Vec<RowElements> {
    let rows = kernel.lanes.rows();
    if sequel.elements.is_empty() {
        return vec![Vec::new(); rows.len()];
    }
    ir.comment("The elements that whole rows use.");
    let rows = rows.iter().map(|row| {
        let (row, _) = lane_offset::row(ir, kernel, places, row);
        let elements = sequel.elements.iter().map(|element| {
            let is_fixed = element.position.is_none();
            is_fixed.then(|| RowSource::build(ir, kernel, ids, &row, element.input).load(ir, None))
        });
        elements.collect()
    });
    rows.collect()
}

/// Builds the loads at positions, and returns all elements. They come behind the loads of the
/// rows, so that these do not wait for a position.
pub(super) fn at_positions(
    ir: &mut Builder,
    kernel: &Final,
    sequel: &Epilogue,
    ids: &Ids,
    places: &[LaneOffsets],
    first: Vec<RowElements>,
) -> Vec<Vec<Value>> {
    let rows = kernel.lanes.rows().into_iter().zip(first);
    let rows = rows.map(|(row, known)| {
        if known.is_empty() {
            return Vec::new();
        }
        let (row, _) = lane_offset::row(ir, kernel, places, &row);
        let mut values: Vec<Value> = Vec::new();
        for (element, known) in sequel.elements.iter().zip(known) {
            let value = match (known, &element.position) {
                (None, Some(position)) => {
                    let position = region::build(ir, position, &values);
                    let of_row = RowSource::build(ir, kernel, ids, &row, element.input);
                    of_row.load(ir, Some(position))
                }
                (known, _) => known.expect("it has no position"),
            };
            values.push(value);
        }
        values
    });
    rows.collect()
}

/// A row of an input.
struct RowSource<'k> {
    kernel: &'k Final,
    input: usize,
    /// The address of the row's first element.
    address: Value,
}

impl<'k> RowSource<'k> {
    /// Builds the address of the row at these coordinates (i32).
    fn build(ir: &mut Builder, kernel: &'k Final, ids: &Ids, row: &[Value], input: usize) -> Self {
        let grid = &kernel.lanes.block.grid;
        let source = &grid.sources[input];
        let strides = grid.parallel().map(|(d, _)| source.strides[d]);
        let number = RowNumber::weighted(ir, kernel, ids, row, strides, source.span);
        RowSource {
            kernel,
            input,
            address: number.address(ir, source.parameter, source.element.bytes()),
        }
    }

    /// Builds the load of the element at a position (i32 or i64), by default the first.
    fn load(&self, ir: &mut Builder, position: Option<Value>) -> Value {
        let grid = &self.kernel.lanes.block.grid;
        let element = grid.sources[self.input].element;
        let Some(position) = position else {
            return one(ir, element, self.address);
        };
        let (d, dimension) = grid
            .reduced()
            .next()
            .expect("a position is along a dimension");
        // Without a sign, a negative position is a great one.
        let columns = Value::bits(position.kind, dimension.whole.into());
        let is_inside = ir.compare(IntegerPredicate::Ult, position, columns);
        let first = Value::bits(position.kind, 0);
        let within = ir.select(is_inside, position, first);
        let within = ir.resized(within, Type::I64);
        let bytes = grid.sources[self.input].strides[d] * u64::from(element.bytes());
        let offset = scaled(ir, Type::I64, within, bytes);
        let address = ir.offset(self.address, offset);
        let loaded = one(ir, element, address);
        let outside = Value::bits(loaded.kind, 0);
        ir.select(is_inside, loaded, outside)
    }
}

/// Builds the load of one element, in the form of a region's arguments.
fn one(ir: &mut Builder, element: configgen::ElementType, address: Value) -> Value {
    let loaded = register::load(ir, element, 1, address);
    let value = register::elements(ir, loaded, element, RegisterForm::Plain)[0];
    match region::held(element.into()) {
        Type::I1 => register::truth(ir, value),
        _ => value,
    }
}
