//! Who a thread is: its lane, its subgroup, and the tile of its workgroup.

use crate::native::blockwise::Subgroups;
use crate::native::cross_lane::Field;
use crate::native::dimension::{Cover, Dimension};
use crate::native::ir::{Ir, Value};
use crate::native::lanewise::Lanes;
use crate::native::last::Final;

/// Values of type i32 unless another is named.
pub(super) struct Ids {
    /// Thread of the workgroup.
    pub(super) thread: Value,
    /// Lane of the subgroup.
    pub(super) lane: Value,
    /// Of each dimension.
    pub(super) along: Vec<Along>,
    /// Number of the workgroup's tile, of [`Gridwise::id_kind`](crate::native::gridwise::Gridwise::id_kind), and its piece
    /// of it. Uniform.
    pub(super) tile: Value,
    pub(super) piece: Value,
    /// LDS with a word of each thread, where an exchange needs it; a pointer.
    pub(super) exchange_words: Value,
}

/// Where a thread is along one dimension: values of type i32.
pub(super) struct Along {
    /// Number of the lane, counted through [all subgroups](crate::native::lanewise::Lanes::threads) where these are not
    /// counted.
    pub(super) lane: Value,
    /// Number of the subgroup, where lanes are not counted through. Uniform.
    pub(super) subgroup: Value,
    /// First element of the workgroup's tile, or of the first step. Uniform.
    pub(super) first: Value,
    /// Elements from the first one on that the workgroup does not store, where there may be such. Uniform.
    pub(super) stored_by_others: Option<Value>,
}

impl Ids {
    pub(super) fn print(ir: &mut Ir, kernel: &Final, exchange: &str) -> Ids {
        let block = &kernel.lanes.block;
        let lanes = block.grid.subgroup_size;
        let thread = ir.value(format_args!("call i32 @llvm.amdgcn.workitem.id.x()"));
        let lane = match block.subgroups() {
            1 => thread.clone(),
            _ => ir.value(format_args!("and i32 {thread}, {}", lanes - 1)),
        };
        let is_apart = |(subgroups, lanes): (&Subgroups, &Lanes)| {
            subgroups.field.bits > 0 && lanes.threads.is_none()
        };
        let subgroup = match block.along.iter().zip(&kernel.lanes.along).any(is_apart) {
            true => subgroup(ir, kernel, &thread),
            false => Value::Int(0),
        };
        let mut along: Vec<Along> = Vec::new();
        for (subgroups, along_lanes) in block.along.iter().zip(&kernel.lanes.along) {
            let (lane, subgroup) = match along_lanes.threads {
                Some(field) => (digit(ir, &thread, field, block.grid.threads), Value::Int(0)),
                None => (
                    digit(ir, &lane, along_lanes.field, lanes),
                    digit(ir, &subgroup, subgroups.field, block.subgroups()),
                ),
            };
            along.push(Along {
                subgroup,
                lane,
                first: Value::Int(0),
                stored_by_others: None,
            });
        }
        let (tile, piece) = workgroup_tile(ir, kernel, &mut along);
        Ids {
            tile,
            piece,
            thread,
            lane,
            along,
            exchange_words: Value::text(exchange),
        }
    }
}

/// The number (i32, uniform) of the subgroup of a thread.
fn subgroup(ir: &mut Ir, kernel: &Final, thread: &Value) -> Value {
    let block = &kernel.lanes.block;
    if block.subgroups() == 1 {
        return Value::Int(0);
    }
    let bits = block.grid.subgroup_size.trailing_zeros();
    let subgroup = ir.value(format_args!("lshr i32 {thread}, {bits}"));
    // The same in all lanes, which LLVM cannot know.
    ir.value(format_args!(
        "call i32 @llvm.amdgcn.readfirstlane.i32(i32 {subgroup})"
    ))
}

/// The coordinates (i32) of row number `number` (i32) of a workgroup's tile.
pub(super) fn tile_row(ir: &mut Ir, kernel: &Final, number: &Value) -> Vec<Value> {
    let parallel = kernel.lanes.block.grid.parallel();
    let extents: Vec<u32> = parallel.map(|(_, dimension)| dimension.extent()).collect();
    delinearize(ir, "i32", number, &extents)
}

impl Ids {
    /// The number (i32, uniform) of the subgroup among those that share a row.
    pub(super) fn sharer(&self, ir: &mut Ir, kernel: &Final) -> Value {
        let block = &kernel.lanes.block;
        let subgroup = subgroup(ir, kernel, &self.thread);
        let mut number = Value::Int(0);
        for (d, _) in block.grid.reduced() {
            let field = block.along[d].field;
            let digit = digit(ir, &subgroup, field, block.subgroups());
            number = ir.mul("i32", &number, field.count().into());
            number = ir.add("i32", &number, &digit);
        }
        number
    }

    /// `i1` each: whether the workgroup stores the row at these coordinates (i32) of its tile, along each dimension
    /// where it may not.
    pub(super) fn is_stored(&self, ir: &mut Ir, kernel: &Final, row: &[Value]) -> Vec<Value> {
        let parallel = kernel.lanes.block.grid.parallel().zip(row);
        let conditions = parallel.map(|((d, _), coordinate)| {
            let others = self.along[d].stored_by_others.as_ref()?;
            Some(ir.value(format_args!("icmp uge i32 {coordinate}, {others}")))
        });
        conditions.flatten().collect()
    }

    /// Prints `body` for each number (i32) below `count`, one a thread, in rounds if there are more than threads.
    pub(super) fn deal(
        &self,
        ir: &mut Ir,
        kernel: &Final,
        count: u32,
        mut body: impl FnMut(&mut Ir, &Value),
    ) {
        let threads = kernel.lanes.block.grid.threads;
        for first in (0..count).step_by(threads as usize) {
            let number = ir.add("i32", &self.thread, &first.into());
            let mut condition = None;
            if count - first < threads {
                condition = Some(ir.value(format_args!("icmp ult i32 {number}, {count}")));
            }
            ir.guarded(condition.as_slice(), |ir| body(ir, &number));
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

/// The digits of `number` (of type `kind`), one a count; the last is the fastest. The number is below the product of the
/// counts.
pub(super) fn delinearize(ir: &mut Ir, kind: &str, number: &Value, counts: &[u32]) -> Vec<Value> {
    let mut digits = vec![Value::Int(0); counts.len()];
    let mut rest = number.clone();
    let mut larger: Vec<usize> = (0..counts.len()).filter(|&d| counts[d] > 1).collect();
    while let Some(d) = larger.pop() {
        if larger.is_empty() {
            digits[d] = rest;
            break;
        }
        digits[d] = ir.rem(kind, &rest, counts[d].into());
        rest = ir.div(kind, &rest, counts[d].into());
    }
    digits
}

/// Where the tile of the workgroup is, and its number and that of the piece; surplus workgroups end here.
fn workgroup_tile(ir: &mut Ir, kernel: &Final, along: &mut [Along]) -> (Value, Value) {
    let grid = &kernel.lanes.block.grid;
    let [x, y] = grid.workgroups;
    if [x, y] == [1, 1] {
        return (Value::Int(0), Value::Int(0));
    }
    let kind = grid.id_kind();
    let widened = |ir: &mut Ir, id: Value| match kind {
        "i64" => ir.widen(&id),
        _ => id,
    };
    let id = ir.value(format_args!("call i32 @llvm.amdgcn.workgroup.id.x()"));
    let mut id = widened(ir, id);
    if y > 1 {
        let row = ir.value(format_args!("call i32 @llvm.amdgcn.workgroup.id.y()"));
        let row = widened(ir, row);
        let before = ir.mul(kind, &row, x.into());
        id = ir.add(kind, &before, &id);
    }
    if grid.has_surplus() {
        let pieces = grid.pieces();
        let (surplus, tile) = (ir.label("surplus"), ir.label("tile"));
        let is_tile = ir.value(format_args!("icmp ult {kind} {id}, {pieces}"));
        ir.branch(&is_tile, &tile, &surplus);
        ir.start(&surplus);
        ir.line(format_args!("ret void"));
        ir.start(&tile);
    }
    let mut piece = Value::Int(0);
    if let Some(split) = grid.split {
        let pieces = split.pieces.into();
        piece = ir.rem(kind, &id, pieces);
        id = ir.div(kind, &id, pieces);
        if kind == "i64" {
            piece = ir.narrow(&piece);
        }
        let first = ir.mul("i32", &piece, split.piece.into());
        along[split.dimension].first = at_most(ir, &first, split.last);
    }
    let (numbers, dimensions): (Vec<usize>, Vec<&Dimension>) = grid.parallel().unzip();
    let counts: Vec<u32> = dimensions
        .iter()
        .map(|dimension| dimension.tiles())
        .collect();
    let digits = delinearize(ir, kind, &id, &counts);
    for ((number, dimension), tile) in numbers.into_iter().zip(dimensions).zip(digits) {
        let tile = match kind {
            "i64" => ir.narrow(&tile),
            _ => tile,
        };
        let own = ir.mul("i32", &tile, dimension.tile().into());
        let along = &mut along[number];
        along.first = own.clone();
        if dimension.cover() == Cover::Shifted {
            along.first = at_most(ir, &own, dimension.last());
            let first = &along.first;
            along.stored_by_others = Some(ir.value(format_args!("sub i32 {own}, {first}")));
        }
    }
    (id, piece)
}

/// The smaller of an i32 and a constant, unsigned.
pub(super) fn at_most(ir: &mut Ir, value: &Value, limit: u32) -> Value {
    match value {
        Value::Int(n) => Value::Int((*n).min(limit.into())),
        _ => ir.value(format_args!(
            "call i32 @llvm.umin.i32(i32 {value}, i32 {limit})"
        )),
    }
}
