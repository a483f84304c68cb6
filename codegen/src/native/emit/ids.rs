//! Who a thread is: its lane, its subgroup, and the rows of its workgroup.

use crate::native::cross_lane::Field;
use crate::native::gridwise::Cover;
use crate::native::ir::{Ir, Value};
use crate::native::last::Final;

/// Values of type i32, but for the last.
pub(super) struct Ids {
    /// Thread of the workgroup.
    pub(super) thread: Value,
    /// Lane of the subgroup.
    pub(super) lane: Value,
    /// Position of the lane along the rows, in thread tiles.
    pub(super) lane_row: Value,
    /// Position of the lane along the elements, in thread tiles.
    pub(super) lane_element: Value,
    /// First row of the subgroup, from the first of the workgroup. Uniform.
    pub(super) subgroup_row: Value,
    /// First element of the subgroup in a step. Uniform.
    pub(super) subgroup_element: Value,
    /// Number of the subgroup along the elements. Uniform.
    pub(super) subgroup_part: Value,
    /// First row of the workgroup. Uniform.
    pub(super) first_row: Value,
    /// Rows from the first one on that the workgroup does not store, where there may be such. Uniform.
    pub(super) stored_by_others: Option<Value>,
    /// LDS with a word of each thread, where an exchange needs it.
    pub(super) exchange_words: Value,
}

impl Ids {
    pub(super) fn print(ir: &mut Ir, kernel: &Final, exchange: &str) -> Ids {
        let block = &kernel.lanes.block;
        let lanes = block.grid.subgroup_size;
        let thread = ir.value(format_args!("call i32 @llvm.amdgcn.workitem.id.x()"));
        let (lane, subgroup) = match block.subgroups() {
            1 => (thread.clone(), Value::Int(0)),
            _ => {
                let lane = ir.value(format_args!("and i32 {thread}, {}", lanes - 1));
                let bits = lanes.trailing_zeros();
                let subgroup = ir.value(format_args!("lshr i32 {thread}, {bits}"));
                // The same in all lanes, which LLVM cannot know.
                let subgroup = ir.value(format_args!(
                    "call i32 @llvm.amdgcn.readfirstlane.i32(i32 {subgroup})"
                ));
                (lane, subgroup)
            }
        };
        let row = digit(ir, &subgroup, block.rows.field, block.subgroups());
        let element = digit(ir, &subgroup, block.elements.field, block.subgroups());
        let lane_row = digit(ir, &lane, kernel.lanes.rows.field, lanes);
        let lane_element = digit(ir, &lane, kernel.lanes.elements.field, lanes);
        let (first_row, stored_by_others) = workgroup_rows(ir, kernel);
        Ids {
            lane_row,
            lane_element,
            subgroup_row: ir.mul("i32", &row, block.rows.tile.into()),
            subgroup_element: ir.mul("i32", &element, block.elements.tile.into()),
            subgroup_part: element,
            thread,
            lane,
            first_row,
            stored_by_others,
            exchange_words: Value::text(exchange),
        }
    }
}

/// The digit `field` of `id`, which is below `ids`.
fn digit(ir: &mut Ir, id: &Value, field: Field, ids: u32) -> Value {
    if field.bits == 0 {
        return Value::Int(0);
    }
    let shifted = match field.low {
        0 => id.clone(),
        low => ir.value(format_args!("lshr i32 {id}, {low}")),
    };
    match field.count() << field.low < ids {
        true => ir.value(format_args!("and i32 {shifted}, {}", field.count() - 1)),
        false => shifted,
    }
}

fn workgroup_rows(ir: &mut Ir, kernel: &Final) -> (Value, Option<Value>) {
    let grid = &kernel.lanes.block.grid;
    if grid.workgroups == [1, 1] {
        return (Value::Int(0), None);
    }
    let mut id = ir.value(format_args!("call i32 @llvm.amdgcn.workgroup.id.x()"));
    if grid.workgroups[1] > 1 {
        let y = ir.value(format_args!("call i32 @llvm.amdgcn.workgroup.id.y()"));
        let before = ir.mul("i32", &y, grid.workgroups[0].into());
        id = ir.add("i32", &before, &id);
    }
    let own = ir.mul("i32", &id, grid.tile.into());
    match grid.cover() {
        Cover::Shifted => {
            let last = grid.rows - grid.tile;
            let first = ir.value(format_args!(
                "call i32 @llvm.umin.i32(i32 {own}, i32 {last})"
            ));
            let others = ir.value(format_args!("sub i32 {own}, {first}"));
            (first, Some(others))
        }
        Cover::Exact | Cover::Repeated => (own, None),
    }
}
