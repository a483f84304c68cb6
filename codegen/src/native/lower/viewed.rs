//! Elements of a view: where they are in a tensor that has sizes of its own, and what is taken in their place outside of it.
//!
//! Along each dimension of the tensor a place is one of the problem's, or minus that, and an offset: a part that the
//! subgroup adds in a step, one of the lane, and a constant. What a lane does not find in the tensor it does not load: it
//! loads the first element, which is there, and takes the given value.

use configgen::ElementType;
use configgen::comparator::IntegerPredicate;

use super::ids::Ids;
use super::inputs::Tile;
use super::memory::{Access, integer, scaled};
use super::place::Place;
use crate::native::combiner::{Form, register};
use crate::native::ir::{Binary, Builder, Type, Value};
use crate::native::stages::last::Final;
use crate::native::stages::source::{Follows, Loads, Source, Viewed};

/// Where a lane's elements of a view are.
pub(super) struct View {
    pub(super) element: ElementType,
    /// How thread tiles are loaded.
    pub(super) loads: Loads,
    /// The tensor, a pointer, and how wide its offsets in bytes are.
    pub(super) tensor: Value,
    kind: Type,
    /// An element outside of the tensor.
    outside: Value,
    along: Vec<Follows>,
    /// Of each dimension of the problem: what the subgroup adds (i32, uniform), and of each batch what is the lane's (i32) and a
    /// constant.
    origins: Vec<Value>,
    starts: Vec<Vec<(Value, u32)>>,
    /// The dimension of the problem along which thread tiles are.
    vector: usize,
}

/// A place along a dimension of the problem: what depends on subgroup, step and lane (i32), and a constant.
#[derive(Clone, Copy)]
struct At {
    value: Value,
    constant: u32,
}

impl View {
    /// Builds what all loads have in common.
    pub(super) fn build(
        ir: &mut Builder,
        kernel: &Final,
        (source, view, loads): (&Source, &Viewed, &Loads),
        ids: &Ids,
        places: &[Place],
    ) -> View {
        let along = ids.along.iter().zip(places);
        let origins = along.map(|(along, place)| ir.add(along.first, place.origin));
        let origins = origins.collect();
        let starts = places.iter().map(|place| {
            let starts = place.starts.iter();
            starts.map(|start| (start.vector, start.constant)).collect()
        });
        View {
            element: source.element,
            loads: loads.clone(),
            tensor: Value::buffer(source.parameter),
            kind: integer(source.span * source.bytes(), u32::MAX.into()),
            outside: Value::bits(Form::Plain.scalar(source.element), view.outside),
            along: view.along.clone(),
            origins,
            starts: starts.collect(),
            vector: kernel.vector,
        }
    }

    /// Where it is, of each lane, in the step along dimension `number` that begins at element `first` (i32, of each lane).
    pub(super) fn of_lanes(&self, number: usize, first: Value) -> Vec<Value> {
        let mut at = vec![Value::i32(0); self.origins.len()];
        at[number] = first;
        at
    }

    /// Builds the loads of thread tiles in the step that begins at these places (i32) along the problem's dimensions. Where several
    /// are at one place, they are one.
    pub(super) fn load<'a>(
        &self,
        ir: &mut Builder,
        first: &[Value],
        accesses: impl Iterator<Item = &'a Access>,
    ) -> Vec<Tile> {
        let step: Vec<Value> = (self.origins.iter().zip(first))
            .map(|(&origin, &first)| ir.add(origin, first))
            .collect();
        let mut known: Vec<(Vec<[u32; 2]>, Tile)> = Vec::new();
        let mut tiles = Vec::new();
        for access in accesses {
            let own = self.along.iter().map(|it| it.dimension);
            let own: Vec<[u32; 2]> = own.map(|d| [access.batch[d], access.element[d]]).collect();
            let same = known.iter().find(|(place, _)| *place == own);
            let tile = match same {
                Some((_, tile)) => tile.clone(),
                None => self.tile(ir, &step, access),
            };
            known.push((own, tile.clone()));
            tiles.push(tile);
        }
        tiles
    }

    /// Loads a thread tile.
    fn tile(&self, ir: &mut Builder, step: &[Value], access: &Access) -> Tile {
        let mut tile = Tile::default();
        let mut element = 0;
        for &count in &self.loads.counts {
            // What lies first in memory.
            let last = element + count - 1;
            let nearest = if self.is_reversed() { last } else { element };
            let at = self.places(ir, step, access, nearest);
            let inside = self.is_inside(ir, &at);
            let mut offset = self.offset(ir, &at);
            if let Some(inside) = inside {
                offset = ir.select(inside, offset, Value::bits(self.kind, 0));
            }
            let offset = ir.resized(offset, Type::I64);
            let address = ir.offset(self.tensor, offset);
            let loaded = register::load(ir, self.element, count, address);
            tile.loads.push(ir.named(loaded, "loaded"));
            tile.inside.extend(inside);
            element += count;
        }
        tile
    }

    /// Whether neighbours of a thread tile come backwards in memory.
    fn is_reversed(&self) -> bool {
        let mut along = self.along.iter();
        along.any(|it| it.dimension == self.vector && it.is_reversed)
    }

    /// Where an element of a thread tile is along each dimension of the tensor: the place along the problem's.
    fn places(&self, ir: &mut Builder, step: &[Value], access: &Access, element: u32) -> Vec<At> {
        let along = self.along.iter().map(|it| {
            let d = it.dimension;
            let (vector, constant) = self.starts[d][access.batch[d] as usize];
            let element = if d == self.vector { element } else { 0 };
            At {
                value: ir.add(step[d], vector),
                constant: constant + access.element[d] + element,
            }
        });
        along.collect()
    }

    /// Whether (i1) the tensor has an element there, where it may have none.
    fn is_inside(&self, ir: &mut Builder, at: &[At]) -> Option<Value> {
        let mut inside: Option<Value> = None;
        for (along, at) in self.along.iter().zip(at).filter(|(it, _)| it.leaves) {
            // A place before the first one is a large number: sizes have 31 bits, and both differ by less.
            let offset = along.offset as u32;
            let place = match along.is_reversed {
                false => ir.add(at.value, Value::i32(at.constant.wrapping_add(offset))),
                true => {
                    let constant = Value::i32(offset.wrapping_sub(at.constant));
                    ir.binary(Binary::Sub, constant, at.value)
                }
            };
            let is_inside = ir.compare(IntegerPredicate::Ult, place, Value::i32(along.size));
            inside = Some(match inside {
                None => is_inside,
                Some(others) => ir.and(others, is_inside),
            });
        }
        inside
    }

    /// The bytes from the beginning of the tensor to an element of it.
    fn offset(&self, ir: &mut Builder, at: &[At]) -> Value {
        let (mut offset, mut constant) = (Value::bits(self.kind, 0), 0u64);
        for (along, at) in self.along.iter().zip(at) {
            let stride = along.stride * u64::from(self.element.bytes());
            let bytes = scaled(ir, self.kind, at.value, stride);
            let own = match along.is_reversed {
                false => i64::from(along.offset) + i64::from(at.constant),
                true => i64::from(along.offset) - i64::from(at.constant),
            };
            offset = match along.is_reversed {
                false => ir.add(offset, bytes),
                true if bytes.is_zero() => offset,
                true => ir.binary(Binary::Sub, offset, bytes),
            };
            constant = constant.wrapping_add(stride.wrapping_mul(own as u64));
        }
        ir.add(offset, Value::bits(self.kind, constant))
    }

    /// The elements of a thread tile, as regions take them.
    pub(super) fn elements(&self, ir: &mut Builder, tile: &Tile) -> Vec<Value> {
        let mut elements = Vec::new();
        for (number, &loaded) in tile.loads.iter().enumerate() {
            let mut own = register::elements(ir, loaded, self.element, Form::Plain);
            if self.is_reversed() {
                own.reverse();
            }
            let inside = tile.inside.get(number);
            elements.extend(own.into_iter().map(|element| match inside {
                None => element,
                Some(&inside) => ir.select(inside, element, self.outside),
            }));
        }
        elements
    }
}
