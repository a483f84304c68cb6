//! Addresses of the input, and loads.

use configgen::ElementType;

use super::ids::Ids;
use crate::native::gridwise::Cover;
use crate::native::ir::{Ir, Value};
use crate::native::last::Final;

/// Where the lane's elements are.
pub(super) struct Memory {
    /// The subgroup's first row, element 0. A uniform pointer.
    pub(super) row: Value,
    /// The subgroup's first row, its first element of step 0. A uniform pointer.
    pub(super) first: Value,
    /// Vector offset in bytes of each row slot, without the lane's elements: i32, or i64 with wide offsets.
    row_offsets: Vec<Value>,
    /// Constant offset in bytes of each row slot.
    row_constants: Vec<u64>,
    /// The lane's position in a batch, in elements.
    pub(super) lane_position: Value,
}

/// One thread tile of one row to be loaded.
#[derive(Debug, Clone)]
pub(super) struct Access {
    /// The row slot.
    pub(super) slot: u32,
    /// The elements' vector offset, in elements (i32).
    pub(super) elements: Value,
    /// A constant to be added, in elements.
    pub(super) constant: u64,
    /// Number of consecutive elements.
    pub(super) count: u32,
}

impl Memory {
    pub(super) fn print(ir: &mut Ir, kernel: &Final, ids: &Ids) -> Memory {
        let lanes = &kernel.lanes;
        let grid = &lanes.block.grid;
        let (row_bytes, slots) = (kernel.row_bytes(), lanes.rows.per_lane());
        let workgroup = byte_offset(ir, &ids.first_row, row_bytes);
        let base = ir.offset(1, &Value::text("%input"), &workgroup);
        let kind = if kernel.wide_offsets { "i64" } else { "i32" };
        let scale = |ir: &mut Ir, rows: &Value| {
            let rows = match kernel.wide_offsets {
                true => ir.widen(rows),
                false => rows.clone(),
            };
            ir.mul(kind, &rows, row_bytes)
        };
        let lane_rows = ir.mul("i32", &ids.lane_row, lanes.rows.thread.into());
        let (row, row_offsets, row_constants) = match grid.cover() {
            Cover::Exact | Cover::Shifted => {
                let subgroup = byte_offset(ir, &ids.subgroup_row, row_bytes);
                let offset = scale(ir, &lane_rows);
                let constants = (0..slots).map(|slot| u64::from(lanes.slot_row(slot)) * row_bytes);
                (
                    ir.offset(1, &base, &subgroup),
                    vec![offset; slots as usize],
                    constants.collect(),
                )
            }
            Cover::Repeated => {
                let own = ir.add("i32", &ids.subgroup_row, &lane_rows);
                let offsets = (0..slots).map(|slot| {
                    let row = ir.add("i32", &own, &lanes.slot_row(slot).into());
                    let row = at_most(ir, &row, grid.rows - 1);
                    scale(ir, &row)
                });
                let offsets = offsets.collect();
                (base, offsets, vec![0; slots as usize])
            }
        };
        let elements = byte_offset(ir, &ids.subgroup_element, grid.element_bytes().into());
        Memory {
            first: ir.offset(1, &row, &elements),
            row,
            row_offsets,
            row_constants,
            lane_position: ir.mul("i32", &ids.lane_element, lanes.elements.thread.into()),
        }
    }

    /// Prints loads from `base`, all of them before anything uses them; the elements of each access in the type of the
    /// combiner's slots.
    pub(super) fn load(
        &self,
        ir: &mut Ir,
        kernel: &Final,
        base: &Value,
        accesses: &[Access],
    ) -> Vec<Vec<Value>> {
        let bytes = u64::from(kernel.lanes.block.grid.element_bytes());
        let constant =
            |access: &Access| self.row_constants[access.slot as usize] + access.constant * bytes;
        let end = accesses.iter().map(constant).max().unwrap_or(0) + 64;
        let mut bases = Bases::new(kernel, base, end);
        let mut offsets: Vec<(u32, Value, Value)> = Vec::new();
        let mut loaded = Vec::new();
        for access in accesses {
            let slot = if self.row_offsets.windows(2).all(|w| w[0] == w[1]) {
                0
            } else {
                access.slot
            };
            let known = offsets
                .iter()
                .find(|(s, elements, _)| *s == slot && *elements == access.elements);
            let offset = match known {
                Some((_, _, offset)) => offset.clone(),
                None => {
                    let offset = self.vector_offset(ir, kernel, slot, &access.elements);
                    offsets.push((slot, access.elements.clone(), offset.clone()));
                    offset
                }
            };
            loaded.push(load_tile(
                ir,
                kernel,
                &mut bases,
                &offset,
                constant(access),
                access.count,
            ));
        }
        let element = kernel.lanes.block.grid.combiner.element;
        loaded
            .into_iter()
            .map(|loads| {
                loads
                    .iter()
                    .flat_map(|load| load.elements(ir, element))
                    .collect()
            })
            .collect()
    }

    /// The vector offset of a row slot and a position in elements, as i64.
    fn vector_offset(&self, ir: &mut Ir, kernel: &Final, slot: u32, elements: &Value) -> Value {
        let bytes = u64::from(kernel.lanes.block.grid.element_bytes());
        let elements = ir.mul("i32", elements, bytes);
        let row = &self.row_offsets[slot as usize];
        match kernel.wide_offsets {
            true => {
                let elements = ir.widen(&elements);
                ir.add("i64", row, &elements)
            }
            false => {
                let sum = ir.add("i32", row, &elements);
                ir.widen(&sum)
            }
        }
    }
}

/// The smaller of an i32 and a constant, unsigned.
pub(super) fn at_most(ir: &mut Ir, value: &Value, limit: u32) -> Value {
    ir.value(format_args!(
        "call i32 @llvm.umin.i32(i32 {value}, i32 {limit})"
    ))
}

/// `count` (i32) times `bytes`, as i64.
pub(super) fn byte_offset(ir: &mut Ir, count: &Value, bytes: u64) -> Value {
    let count = ir.widen(count);
    ir.mul("i64", &count, bytes)
}

/// The scalar bases of a step, one for each window of immediate offsets, made when first used.
struct Bases<'a> {
    base: &'a Value,
    wide: bool,
    /// Bytes of a window, and the distance from its beginning to its base.
    window: u64,
    bias: u64,
    made: Vec<(u64, Value)>,
    /// Base, vector offset and their sum, each pair added once.
    sums: Vec<(Value, Value, Value)>,
}

impl<'a> Bases<'a> {
    /// For constants below `end`.
    fn new(kernel: &Final, base: &'a Value, end: u64) -> Bases<'a> {
        let offsets = &kernel.lanes.block.grid.isa.offsets;
        let (least, most) = (offsets.start().unsigned_abs(), offsets.end().unsigned_abs());
        let (window, bias) = match end <= most {
            true => (most + 1, 0),
            false => (least + most + 1, least),
        };
        Bases {
            base,
            wide: kernel.wide_offsets,
            window,
            bias,
            made: Vec::new(),
            sums: Vec::new(),
        }
    }

    /// The base for `constant` with a vector offset, and the immediate offset from there.
    fn address(&mut self, ir: &mut Ir, constant: u64, offset: &Value) -> (Value, i64) {
        let (base, immediate) = self.of(ir, constant);
        let mut sums = self.sums.iter();
        if let Some((_, _, sum)) = sums.find(|(b, o, _)| *b == base && o == offset) {
            return (sum.clone(), immediate);
        }
        let sum = ir.offset(1, &base, offset);
        self.sums.push((base, offset.clone(), sum.clone()));
        (sum, immediate)
    }

    /// The base for `constant` and the immediate offset from it.
    fn of(&mut self, ir: &mut Ir, constant: u64) -> (Value, i64) {
        let start = constant / self.window * self.window + self.bias;
        let immediate = constant as i64 - start as i64;
        if let Some((_, base)) = self.made.iter().find(|(made, _)| *made == start) {
            return (base.clone(), immediate);
        }
        let moved = ir.offset(1, self.base, &Value::Int(start as i64));
        // Passing through an empty assembly keeps LLVM from adding the vector offset to the base ahead of the loop,
        // which would cost 64-bit vector additions in it. Wide offsets have to be added anyway.
        let base = match self.wide {
            true => moved,
            false => ir.value(format_args!(
                "call ptr addrspace(1) asm \"\", \"=s,0\"(ptr addrspace(1) {moved})"
            )),
        };
        self.made.push((start, base.clone()));
        (base, immediate)
    }
}

/// A loaded vector: its type, its length, its value.
struct Loaded {
    kind: &'static str,
    length: u32,
    value: Value,
}

fn load_tile(
    ir: &mut Ir,
    kernel: &Final,
    bases: &mut Bases<'_>,
    offset: &Value,
    constant: u64,
    count: u32,
) -> Vec<Loaded> {
    let grid = &kernel.lanes.block.grid;
    let tile_bytes = count * grid.element_bytes();
    let load_bytes = tile_bytes.min(kernel.load_bytes);
    let starts = (0..tile_bytes).step_by(load_bytes as usize);
    let loads = starts.map(|start| {
        let (address, immediate) = bases.address(ir, constant + u64::from(start), offset);
        let address = ir.offset(1, &address, &Value::Int(immediate));
        let (kind, length) = register(grid.combiner.element, load_bytes);
        let vector = match length {
            1 => kind.to_owned(),
            _ => format!("<{length} x {kind}>"),
        };
        let align = grid.element_bytes();
        let value = ir.value(format_args!(
            "load {vector}, ptr addrspace(1) {address}, align {align}"
        ));
        Loaded {
            kind,
            length,
            value,
        }
    });
    loads.collect()
}

/// The type as which `bytes` bytes are loaded. bf16 comes in pairs, to be taken apart with one instruction each.
fn register(element: ElementType, bytes: u32) -> (&'static str, u32) {
    match element {
        ElementType::F16 => ("half", bytes / 2),
        ElementType::Bf16 if bytes == 2 => ("i16", 1),
        ElementType::Bf16 | ElementType::I32 => ("i32", bytes / 4),
        _ => ("float", bytes / 4),
    }
}

impl Loaded {
    /// The elements in the type of the combiner's slots.
    fn elements(&self, ir: &mut Ir, element: ElementType) -> Vec<Value> {
        let Loaded {
            kind,
            length,
            value,
        } = self;
        let words: Vec<Value> = match length {
            1 => vec![value.clone()],
            _ => (0..*length)
                .map(|n| {
                    ir.value(format_args!(
                        "extractelement <{length} x {kind}> {value}, i32 {n}"
                    ))
                })
                .collect(),
        };
        if element != ElementType::Bf16 {
            return words;
        }
        // bf16 is the upper half of an f32.
        let mut elements = Vec::new();
        let as_float =
            |ir: &mut Ir, bits: &Value| ir.value(format_args!("bitcast i32 {bits} to float"));
        for word in words {
            let wide = match *kind {
                "i16" => ir.value(format_args!("zext i16 {word} to i32")),
                _ => word,
            };
            let first = ir.value(format_args!("shl i32 {wide}, 16"));
            elements.push(as_float(ir, &first));
            if *kind == "i32" {
                let second = ir.value(format_args!("and i32 {wide}, -65536"));
                elements.push(as_float(ir, &second));
            }
        }
        elements
    }
}
