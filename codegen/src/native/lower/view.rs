//! Elements of a view: their addresses in a tensor with sizes of its own, and the value of
//! elements outside of it.
//!
//! Along each dimension, the tensor's coordinate is a coordinate of the problem or an element of
//! another input. It may be negated, and an offset is added. For an element outside of the
//! tensor, a lane loads the first element, which exists, and then takes the given value.

use configgen::ElementType;
use configgen::comparator::IntegerPredicate;
use configgen::view::ViewSource;

use super::lane_coordinate::{CoordinateSum, LaneCoordinates};
use super::memory::{TileAccess, integer};
use crate::native::combiner::{RegisterForm, register};
use crate::native::ir::{Binary, Builder, Conversion, Type, Unary, Value};
use crate::native::stages::operand::{
    Loads, OperandDimension, OperandView, TensorOperand, TileTranspose,
};

/// A tensor with sizes of its own.
pub(super) struct View {
    pub(super) element: ElementType,
    /// The loads of a thread tile.
    pub(super) loads: Loads,
    /// The tensor, as a pointer, and the type of its offsets in bytes.
    pub(super) tensor: Value,
    kind: Type,
    /// The value of an element outside of the tensor.
    outside: Value,
    along: Vec<OperandDimension>,
}

/// The loaded elements of a thread tile from an input.
#[derive(Debug, Clone, Default)]
pub(super) struct LoadedTile {
    /// The loaded registers; for coordinates, the coordinates themselves.
    pub(super) loads: Vec<Value>,
    /// For each load, an i1 that is true if its elements exist. Empty if all exist.
    pub(super) inside: Vec<Value>,
}

/// A lane's elements across its thread tiles: for each element of a tile, one from each tile.
type TransposedTiles = Vec<Vec<Value>>;

/// A function that returns the elements of a gathering input, by its number, for the elements of
/// a thread tile.
pub(super) type GatherIndices<'a> = &'a mut dyn FnMut(&mut Builder, usize) -> Vec<Value>;

impl View {
    pub(super) fn new(source: &TensorOperand, view: &OperandView, loads: &Loads) -> View {
        View {
            element: source.element,
            loads: loads.clone(),
            tensor: Value::buffer(source.parameter),
            kind: integer(source.span * source.bytes(), u32::MAX.into()),
            outside: Value::bits(RegisterForm::Plain.scalar(source.element), view.outside),
            along: view.along.clone(),
        }
    }

    /// Returns the inputs that hold the view's coordinates.
    pub(super) fn held(&self) -> impl Iterator<Item = usize> {
        self.along.iter().filter_map(|along| match along.by {
            ViewSource::Dimension(_) => None,
            ViewSource::Gathered(input) => Some(input),
        })
    }

    /// Builds the loads of thread tiles in a step with these offsets. Tiles at the same place
    /// share one load.
    pub(super) fn load<'a>(
        &self,
        ir: &mut Builder,
        placed: &LaneCoordinates,
        step: &[Value],
        accesses: impl Iterator<Item = &'a TileAccess>,
        mut held: impl FnMut(&mut Builder, usize, usize) -> Vec<Value>,
    ) -> Vec<LoadedTile> {
        if let Some(across) = &self.loads.across {
            return self.load_across(ir, placed, step, accesses, across);
        }
        let mut known: Vec<(Vec<[u32; 2]>, LoadedTile)> = Vec::new();
        let mut tiles = Vec::new();
        for (number, access) in accesses.enumerate() {
            // Tiles at the same place along all of the view's dimensions have the same elements.
            let own = self.along.iter().flat_map(|it| &it.dimensions);
            let own: Vec<[u32; 2]> = own.map(|&d| [access.batch[d], access.element[d]]).collect();
            let same = known.iter().find(|(place, _)| *place == own);
            let tile = match same {
                Some((_, tile)) => tile.clone(),
                None => {
                    let held: GatherIndices<'_> = &mut |ir, input| held(ir, input, number);
                    self.tile(ir, placed, step, access, held)
                }
            };
            known.push((own, tile.clone()));
            tiles.push(tile);
        }
        tiles
    }

    /// Builds the same loads if elements are adjacent across thread tiles. One load serves all of
    /// the lane's tiles, and each tile has one element of each load.
    fn load_across<'a>(
        &self,
        ir: &mut Builder,
        placed: &LaneCoordinates,
        step: &[Value],
        accesses: impl Iterator<Item = &'a TileAccess>,
        across: &TileTranspose,
    ) -> Vec<LoadedTile> {
        let mut known: Vec<(Vec<[u32; 2]>, TransposedTiles)> = Vec::new();
        let mut tiles = Vec::new();
        for access in accesses {
            let own = access.element[across.dimension] as usize;
            let mut first = access.clone();
            // All tiles that share the loads start from the same access.
            first.element[across.dimension] = 0;
            let dimensions = self.along.iter().flat_map(|it| &it.dimensions);
            let place: Vec<[u32; 2]> = dimensions
                .map(|&d| [first.batch[d], first.element[d]])
                .collect();
            let number = match known.iter().position(|(at, _)| *at == place) {
                Some(number) => number,
                None => {
                    let width = self.loads.counts.len() as u32;
                    let lines = (0..width)
                        .map(|element| self.line(ir, placed, step, (&first, element), across));
                    known.push((place, lines.collect()));
                    known.len() - 1
                }
            };
            tiles.push(LoadedTile {
                loads: known[number].1.iter().map(|line| line[own]).collect(),
                // A transposed view has no elements outside of the tensor, see
                // `TileTranspose::of`.
                inside: Vec::new(),
            });
        }
        tiles
    }

    /// Builds the loads of the elements across a lane's thread tiles, for one element of each
    /// tile, in the plain form.
    fn line(
        &self,
        ir: &mut Builder,
        placed: &LaneCoordinates,
        step: &[Value],
        (first, element): (&TileAccess, u32),
        across: &TileTranspose,
    ) -> Vec<Value> {
        let mut line = Vec::new();
        let mut access = first.clone();
        for &count in &across.counts {
            let along = self.along.iter();
            let at: Vec<CoordinateSum> = along
                .map(|along| match along.by {
                    ViewSource::Dimension(d) => placed.coordinate(ir, step, (&access, element), d),
                    ViewSource::Gathered(_) => unreachable!("what is gathered has no neighbours"),
                })
                .collect();
            let offset = self.offset(ir, &at);
            let loaded = self.loaded(ir, offset, count);
            line.extend(register::elements(
                ir,
                loaded,
                self.element,
                RegisterForm::Plain,
            ));
            access.element[across.dimension] += count;
        }
        line
    }

    /// Builds the loads of a thread tile.
    fn tile(
        &self,
        ir: &mut Builder,
        placed: &LaneCoordinates,
        step: &[Value],
        access: &TileAccess,
        held: GatherIndices<'_>,
    ) -> LoadedTile {
        let mut tile = LoadedTile::default();
        let mut element = 0;
        let is_reversed = self.is_reversed(placed);
        for &count in &self.loads.counts {
            // The element that is first in memory.
            let last = element + count - 1;
            let nearest = if is_reversed { last } else { element };
            let along = self.along.iter();
            let at: Vec<CoordinateSum> = along
                .map(|along| match along.by {
                    ViewSource::Dimension(d) => placed.coordinate(ir, step, (access, nearest), d),
                    ViewSource::Gathered(input) => CoordinateSum {
                        value: held(ir, input)[nearest as usize],
                        constant: 0,
                    },
                })
                .collect();
            let inside = self.is_inside(ir, &at);
            let mut offset = self.offset(ir, &at);
            if let Some(inside) = inside {
                // The first element always exists, so the load needs no branch.
                offset = ir.select(inside, offset, Value::bits(self.kind, 0));
            }
            tile.loads.push(self.loaded(ir, offset, count));
            tile.inside.extend(inside);
            element += count;
        }
        tile
    }

    /// Builds a load of `count` elements from an offset in bytes.
    fn loaded(&self, ir: &mut Builder, offset: Value, count: u32) -> Value {
        let offset = ir.resized(offset, Type::I64);
        let address = ir.offset(self.tensor, offset);
        let loaded = register::load(ir, self.element, count, address);
        ir.named(loaded, "loaded")
    }

    /// Returns true if neighbours of a thread tile come backwards in memory.
    fn is_reversed(&self, placed: &LaneCoordinates) -> bool {
        let mut along = self.along.iter();
        along.any(|it| it.by == ViewSource::Dimension(placed.vector) && it.is_reversed)
    }

    /// Returns an i1 that is true if the tensor has an element there. Returns `None` if it always
    /// has.
    fn is_inside(&self, ir: &mut Builder, at: &[CoordinateSum]) -> Option<Value> {
        let mut inside: Option<Value> = None;
        for (along, at) in self.along.iter().zip(at).filter(|(it, _)| it.leaves) {
            // A negative coordinate is a large unsigned number, beyond every size, so one
            // unsigned comparison suffices.
            let is_as_it_is = along.offset == 0 && !along.is_reversed;
            let kind = match along.by {
                ViewSource::Gathered(_) if at.value.kind == Type::I64 || !is_as_it_is => Type::I64,
                _ => Type::I32,
            };
            let place = place(ir, kind, along, at);
            let size = Value::bits(kind, along.size.into());
            let is_inside = ir.compare(IntegerPredicate::Ult, place, size);
            inside = Some(match inside {
                None => is_inside,
                Some(others) => ir.and(others, is_inside),
            });
        }
        inside
    }

    /// Returns the bytes from the beginning of the tensor to an element of it.
    fn offset(&self, ir: &mut Builder, at: &[CoordinateSum]) -> Value {
        let mut offset = Value::bits(self.kind, 0);
        let mut constant = 0u64;
        for (along, at) in self.along.iter().zip(at) {
            let stride = along.stride * u64::from(self.element.bytes());
            let own = constant_of(along, at);
            // The constant may be negative; only the whole sum must be in the tensor.
            constant = constant.wrapping_add(stride.wrapping_mul(own as u64));
            let bytes = signed(ir, self.kind, at.value);
            let bytes = ir.mul(bytes, stride);
            offset = match along.is_reversed {
                false => ir.add(offset, bytes),
                true if bytes.is_zero() => offset,
                true => ir.binary(Binary::Sub, offset, bytes),
            };
        }
        ir.add(offset, Value::bits(self.kind, constant))
    }

    /// Returns the elements of a thread tile, in the plain form.
    pub(super) fn elements(
        &self,
        ir: &mut Builder,
        placed: &LaneCoordinates,
        tile: &LoadedTile,
    ) -> Vec<Value> {
        let mut elements = Vec::new();
        let outside = match tile.inside.is_empty() {
            true => self.outside,
            false => hidden(ir, self.outside),
        };
        for (number, &loaded) in tile.loads.iter().enumerate() {
            let mut own = register::elements(ir, loaded, self.element, RegisterForm::Plain);
            if self.is_reversed(placed) {
                own.reverse();
            }
            let inside = tile.inside.get(number);
            elements.extend(own.into_iter().map(|element| match inside {
                None => element,
                Some(&inside) => ir.select(inside, element, outside),
            }));
        }
        elements
    }
}

/// Hides a constant zero from the compiler. Otherwise LLVM knows that an element outside of the
/// tensor is zero. It turns `-x + 0` into `0 - x`, and LLVM 22 takes that for `-x` before a
/// minimum or maximum, which is another zero.
fn hidden(ir: &mut Builder, constant: Value) -> Value {
    if constant.constant() != Some(0) {
        return constant;
    }
    let word = ir.unary(Unary::Opaque, Value::i32(0));
    let bits = match constant.kind.bits() {
        64 => ir.resized(word, Type::I64),
        32 => word,
        16 => ir.resized(word, Type::I16),
        _ => ir.resized(word, Type::I8),
    };
    ir.bits(bits, constant.kind)
}

/// Returns the constant part of a coordinate in the tensor.
fn constant_of(along: &OperandDimension, at: &CoordinateSum) -> i64 {
    let constant = i64::from(at.constant);
    i64::from(along.offset)
        + if along.is_reversed {
            -constant
        } else {
            constant
        }
}

/// Computes a coordinate in the tensor.
fn place(ir: &mut Builder, kind: Type, along: &OperandDimension, at: &CoordinateSum) -> Value {
    let constant = Value::bits(kind, constant_of(along, at) as u64);
    let value = signed(ir, kind, at.value);
    match along.is_reversed {
        false => ir.add(value, constant),
        true => ir.binary(Binary::Sub, constant, value),
    }
}

/// Converts a signed integer to this type; keeps the low bits if the type is smaller.
fn signed(ir: &mut Builder, kind: Type, value: Value) -> Value {
    match value.constant() {
        None if value.kind.bits() < kind.bits() => ir.convert(Conversion::SignExtend, value, kind),
        _ => ir.resized(value, kind),
    }
}
