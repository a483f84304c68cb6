//! Addresses of the inputs, and loads.

use configgen::ElementType;

use super::lane_offset::LaneOffsets;
use super::thread_ids::Ids;
use crate::native::combiner::register;
use crate::native::ir::{Builder, IrOperation, Type, Unary, Value};
use crate::native::stages::final_stage::Final;
use crate::native::stages::operand::{Loads, TensorOperand};

/// The addresses of the lane's elements in an input.
pub(super) struct TensorAddresses {
    pub(super) element: ElementType,
    /// The loads of a thread tile.
    pub(super) loads: Loads,
    /// The address of the subgroup's element 0 in the first step, a uniform pointer.
    pub(super) first: Value,
    /// For each dimension and batch, the vector offset in bytes (i32, or i64 with wide offsets)
    /// and a constant to be added.
    starts: Vec<Vec<(Value, u64)>>,
    /// Sums of vector offsets, with one offset of each dimension.
    sums: Vec<(Vec<Value>, Value)>,
    /// The distance of neighbours along each dimension, in bytes.
    strides: Vec<u64>,
}

/// The origin of addresses.
pub(super) enum Base {
    /// A pointer that all lanes share.
    Uniform(Value),
    /// A pointer that differs between lanes.
    PerLane(Value),
}

/// The access to one thread tile: the elements from one on, along the vector dimension.
#[derive(Debug, Clone)]
pub(super) struct TileAccess {
    /// The batch along each dimension.
    pub(super) batch: Vec<u32>,
    /// The element of the batch along each dimension.
    pub(super) element: Vec<u32>,
}

impl TensorAddresses {
    /// Builds the parts that all loads of a source, or all stores of an output, share. `accesses`
    /// are all that will follow.
    pub(super) fn build(
        ir: &mut Builder,
        kernel: &Final,
        (source, loads): (&TensorOperand, &Loads),
        ids: &Ids,
        places: &[LaneOffsets],
        accesses: &[TileAccess],
    ) -> TensorAddresses {
        let bytes = source.bytes();
        let strides: Vec<u64> = source.strides.iter().map(|it| it * bytes).collect();
        // 32-bit arithmetic suffices for offsets in an input below 4 GiB.
        let base_kind = integer(source.span * bytes, u32::MAX.into());
        let mut base = Value::bits(base_kind, 0);
        for ((along, place), &stride) in ids.along.iter().zip(places).zip(&strides) {
            for coordinate in [along.first, place.origin] {
                let offset = scaled(ir, base_kind, coordinate, stride);
                base = ir.add(base, offset);
            }
        }
        base = ir.resized(base, Type::I64);
        let kind = match kernel.wide_offsets {
            true => Type::I64,
            false => Type::I32,
        };
        let mut starts: Vec<Vec<(Value, u64)>> = Vec::new();
        for (place, &stride) in places.iter().zip(&strides) {
            let mut known: Vec<(Value, Value)> = Vec::new();
            let mut batches = Vec::new();
            for start in &place.starts {
                // Batches with the same vector offset share one value.
                let same = known.iter().find(|(vector, _)| *vector == start.vector);
                let offset = match same {
                    Some((_, offset)) => *offset,
                    None => scaled(ir, kind, start.vector, stride),
                };
                known.push((start.vector, offset));
                batches.push((offset, u64::from(start.constant) * stride));
            }
            starts.push(batches);
        }
        let mut memory = TensorAddresses {
            element: source.element,
            loads: loads.clone(),
            first: ir.offset(Value::buffer(source.parameter), base),
            starts,
            sums: Vec::new(),
            strides,
        };
        // The sums are built here, so that loop-invariant ones precede the loop.
        for access in accesses {
            let terms = memory.terms(access);
            if !memory.sums.iter().any(|(known, _)| *known == terms) {
                let sum = terms.iter().copied().reduce(|a, b| ir.add(a, b));
                memory
                    .sums
                    .push((terms, sum.unwrap_or(Value::bits(kind, 0))));
            }
        }
        memory
    }

    /// Returns the vector offsets of the batch along each dimension.
    fn terms(&self, access: &TileAccess) -> Vec<Value> {
        let batches = self.starts.iter().zip(&access.batch);
        batches
            .map(|(starts, &batch)| starts[batch as usize].0)
            .collect()
    }

    /// Returns the constant offset of an access in bytes.
    fn constant(&self, access: &TileAccess) -> u64 {
        let along = self.starts.iter().zip(&self.strides);
        let along = along.zip(access.batch.iter().zip(&access.element));
        along
            .map(|((starts, stride), (&batch, &element))| {
                starts[batch as usize].1 + u64::from(element) * stride
            })
            .sum()
    }

    /// Returns the base of the subgroup's elements in the step at `first`: along each dimension
    /// its first element (i32, uniform).
    pub(super) fn at(&self, ir: &mut Builder, first: &[Value]) -> Base {
        let along = first.iter().zip(&self.strides);
        let pointer = along.fold(self.first, |pointer, (&first, &stride)| {
            let bytes = scaled(ir, Type::I64, first, stride);
            ir.offset(pointer, bytes)
        });
        Base::Uniform(pointer)
    }

    /// Returns the base of each lane's elements, for the step along dimension `number` that
    /// begins at element `first` (i32, differs between lanes).
    pub(super) fn of_lanes(&self, ir: &mut Builder, number: usize, first: Value) -> Base {
        let bytes = scaled(ir, Type::I64, first, self.strides[number]);
        Base::PerLane(ir.offset(self.first, bytes))
    }

    /// Builds loads from `base` and returns the values of each access. Accesses with the same
    /// address share one load.
    pub(super) fn load<'a>(
        &self,
        ir: &mut Builder,
        kernel: &Final,
        base: &Base,
        accesses: impl Iterator<Item = &'a TileAccess> + Clone,
    ) -> Vec<Vec<Value>> {
        let mut addresses = Addresses::new(self, kernel, base, accesses.clone());
        let mut known: Vec<(Value, u64, Vec<Value>)> = Vec::new();
        let mut loaded = Vec::new();
        for access in accesses {
            let (offset, constant) = addresses.of(ir, access);
            let mut same = known.iter();
            let loads = match same.find(|(at, from, _)| (*at, *from) == (offset, constant)) {
                Some((.., loads)) => loads.clone(),
                None => self.load_tile(ir, &mut addresses.bases, offset, constant),
            };
            known.push((offset, constant, loads.clone()));
            loaded.push(loads);
        }
        loaded
    }

    /// Builds stores to `base`: for each access, the elements of its thread tile in their memory
    /// type.
    pub(super) fn store<'a>(
        &self,
        ir: &mut Builder,
        kernel: &Final,
        base: &Base,
        tiles: impl Iterator<Item = (&'a TileAccess, &'a [Value])> + Clone,
    ) {
        let accesses = tiles.clone().map(|(access, _)| access);
        let mut addresses = Addresses::new(self, kernel, base, accesses);
        for (access, elements) in tiles {
            let mut rest = elements;
            for &count in &self.loads.counts {
                let place = elements.len() - rest.len();
                let (own, others) = rest.split_at(count as usize);
                rest = others;
                let value = match own {
                    [one] => *one,
                    several => {
                        let kind = Type::scalar_or_vector(several[0].scalar(), count);
                        ir.value(kind, IrOperation::Vector(several.to_vec()))
                    }
                };
                let address = self.element(ir, &mut addresses, access, place);
                ir.store(value, address, self.element.bytes());
            }
        }
    }

    /// Builds the store of one element of a thread tile to `base`.
    pub(super) fn store_one(
        &self,
        ir: &mut Builder,
        kernel: &Final,
        base: &Base,
        (access, place): (&TileAccess, usize),
        element: Value,
    ) {
        let mut addresses = Addresses::new(self, kernel, base, std::iter::once(access));
        let address = self.element(ir, &mut addresses, access, place);
        ir.store(element, address, self.element.bytes());
    }

    /// Returns the address of an element of a thread tile.
    fn element(
        &self,
        ir: &mut Builder,
        addresses: &mut Addresses<'_>,
        access: &TileAccess,
        place: usize,
    ) -> Value {
        let (offset, start) = addresses.of(ir, access);
        let bytes = self.loads.stride * u64::from(self.element.bytes());
        let (address, immediate) =
            addresses
                .bases
                .address(ir, start + place as u64 * bytes, offset);
        ir.offset(address, Value::i64(immediate as u64))
    }

    /// Builds the loads of the elements of a thread tile along the vector dimension, from
    /// `constant` on.
    fn load_tile(
        &self,
        ir: &mut Builder,
        bases: &mut Bases,
        offset: Value,
        constant: u64,
    ) -> Vec<Value> {
        let stride = self.loads.stride * u64::from(self.element.bytes());
        let mut start = constant;
        let mut loads = Vec::new();
        for &count in &self.loads.counts {
            let (address, immediate) = bases.address(ir, start, offset);
            let address = ir.offset(address, Value::i64(immediate as u64));
            let loaded = register::load(ir, self.element, count, address);
            loads.push(ir.named(loaded, "loaded"));
            start += u64::from(count) * stride;
        }
        loads
    }
}

/// The addresses of the accesses of a step.
struct Addresses<'a> {
    memory: &'a TensorAddresses,
    bases: Bases,
    /// Sums of vector offsets, with the width that the bases need.
    offsets: Vec<(Vec<Value>, Value)>,
}

impl<'a> Addresses<'a> {
    fn new<'b>(
        memory: &'a TensorAddresses,
        kernel: &Final,
        base: &Base,
        accesses: impl Iterator<Item = &'b TileAccess>,
    ) -> Addresses<'a> {
        let end = accesses.map(|access| memory.constant(access)).max();
        Addresses {
            memory,
            bases: Bases::new(kernel, base, end.unwrap_or(0) + 64),
            offsets: Vec::new(),
        }
    }

    /// Returns the vector offset of an access, and its constant offset in bytes.
    fn of(&mut self, ir: &mut Builder, access: &TileAccess) -> (Value, u64) {
        let terms = self.memory.terms(access);
        let constant = self.memory.constant(access);
        if let Some((_, offset)) = self.offsets.iter().find(|(known, _)| *known == terms) {
            return (*offset, constant);
        }
        let sum = self.memory.sums.iter().find(|(known, _)| *known == terms);
        let sum = sum.map_or(Value::i32(0), |(_, sum)| *sum);
        let offset = match self.bases.wide {
            true => ir.resized(sum, Type::I64),
            false => sum,
        };
        self.offsets.push((terms, offset));
        (offset, constant)
    }
}

/// Returns i32 for numbers up to `limit`, i64 beyond.
pub(super) fn integer(largest: u64, limit: u64) -> Type {
    match largest <= limit {
        true => Type::I32,
        false => Type::I64,
    }
}

/// Returns `count` (i32, unsigned) times `factor` as type `kind`.
pub(super) fn scaled(ir: &mut Builder, kind: Type, count: Value, factor: u64) -> Value {
    let count = ir.resized(count, kind);
    ir.mul(count, factor)
}

/// The scalar bases of a step: one for each window of immediate offsets, built on first use.
struct Bases {
    base: Value,
    wide: bool,
    /// The bytes of a window, and the distance from its beginning to its base.
    window: u64,
    bias: u64,
    made: Vec<(u64, Value)>,
    /// Base, vector offset and their sum; each pair is added once.
    sums: Vec<(Value, Value, Value)>,
}

impl Bases {
    /// Creates the bases for constants below `end`.
    fn new(kernel: &Final, base: &Base, end: u64) -> Bases {
        let (base, is_uniform) = match *base {
            Base::Uniform(base) => (base, true),
            Base::PerLane(base) => (base, false),
        };
        let offsets = &kernel.lanes.block.grid.isa.offsets;
        let (least, most) = (offsets.start().unsigned_abs(), offsets.end().unsigned_abs());
        // If positive offsets suffice, the base stays as it is; otherwise it is in the window's
        // middle, to use negative ones, too.
        let (window, bias) = match end <= most {
            true => (most + 1, 0),
            false => (least + most + 1, least),
        };
        Bases {
            base,
            // Without a scalar base, an address is a 64-bit vector sum.
            wide: kernel.wide_offsets || !is_uniform,
            window,
            bias,
            made: Vec::new(),
            sums: Vec::new(),
        }
    }

    /// Returns the base for `constant` with a vector offset, and the immediate offset from there.
    fn address(&mut self, ir: &mut Builder, constant: u64, offset: Value) -> (Value, i64) {
        let (base, immediate) = self.of(ir, constant);
        let mut sums = self.sums.iter();
        if let Some((_, _, sum)) = sums.find(|(b, o, _)| *b == base && *o == offset) {
            return (*sum, immediate);
        }
        let sum = match offset.kind {
            Type::I32 if offset.is_zero() => base,
            Type::I32 => ir.value(base.kind, IrOperation::Apart(base, offset)),
            _ => ir.offset(base, offset),
        };
        self.sums.push((base, offset, sum));
        (sum, immediate)
    }

    /// Returns the base for `constant`, and the immediate offset from it.
    fn of(&mut self, ir: &mut Builder, constant: u64) -> (Value, i64) {
        let start = constant / self.window * self.window + self.bias;
        let immediate = constant as i64 - start as i64;
        if let Some((_, base)) = self.made.iter().find(|(made, _)| *made == start) {
            return (*base, immediate);
        }
        let moved = ir.offset(self.base, Value::i64(start));
        // A pinned base keeps LLVM from adding the vector offset to the base before the loop,
        // which would cost 64-bit vector additions in it. Wide offsets and per-lane bases must be
        // added anyway.
        let base = match self.wide {
            true => moved,
            false => ir.unary(Unary::Pin, moved),
        };
        self.made.push((start, base));
        (base, immediate)
    }
}
