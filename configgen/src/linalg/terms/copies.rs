//! Terms of elements that slices and concatenations copy.

use super::super::chain::step::{ChainOperand, ChainStep, ValueSource};
use super::super::slice::SliceOperation;
use super::{Term, TermAccess, TermIndex, Terms};
use crate::comparator::{IntegerPredicate, Opcode, ScalarType};

impl<'s, 'a> Terms<'s, 'a> {
    /// Returns the term of an element that a slice or a concatenation copies.
    pub(super) fn copied(
        &mut self,
        step: &'s ChainStep<'a>,
        operation: &SliceOperation,
        places: &TermAccess,
    ) -> Option<usize> {
        let moved = |places: &TermAccess, along: usize, offset: u64, sign: i32| {
            let offset = i32::try_from(offset).ok()?.checked_mul(sign)?;
            let mut places = places.clone();
            let place = places.get_mut(along)?;
            // A constant index reads the first position only.
            *place = match *place {
                None if offset == 0 => None,
                place => Some(place?.moved(offset)?),
            };
            Some(places)
        };
        match (operation, &step.operands[..]) {
            (SliceOperation::Extract(first), [from]) => {
                let mut places = places.clone();
                for (along, offset) in first.iter().enumerate() {
                    places = moved(&places, along, *offset, 1)?;
                }
                self.element(step, from, places)
            }
            (SliceOperation::Concat(along), pieces) => {
                let mut end: u64 = pieces
                    .iter()
                    .map(|it| it.sizes[*along])
                    .sum::<Option<_>>()?;
                let mut joined = None;
                // From the last piece on, each piece before it is selected by its end.
                for piece in pieces.iter().rev() {
                    let begin = end - piece.sizes[*along]?;
                    let own = self.element(step, piece, moved(places, *along, begin, -1)?)?;
                    joined = Some(match joined {
                        None => own,
                        Some(behind) => self.select(places[*along]?, end, [own, behind], piece)?,
                    });
                    end = begin;
                }
                joined
            }
            (SliceOperation::Insert(first), [part, into]) => {
                let each = || part.sizes.iter().zip(&into.sizes);
                let mut partly = each().enumerate().filter(|(_, (part, into))| part != into);
                let Some((along, (Some(size), Some(whole)))) = partly.next() else {
                    return None;
                };
                if partly.next().is_some() {
                    return None;
                }
                let (begin, end) = (first[along], first[along] + size);
                let own = self.element(step, part, moved(places, along, begin, -1)?)?;
                if into.is_empty {
                    return Some(own);
                }
                let other = self.element(step, into, places.clone())?;
                let place = places[along]?;
                match () {
                    () if begin == 0 => self.select(place, end, [own, other], part),
                    // Nothing is behind the part, or nothing that has been written.
                    () if end == *whole || self.written(step, into, along) == Some(begin) => {
                        self.select(place, begin, [other, own], part)
                    }
                    () => None,
                }
            }
            _ => None,
        }
    }

    /// Returns the end of the elements along a dimension that operations before `by` have written
    /// into an empty tensor. These must be the first ones.
    fn written(&self, by: &ChainStep<'a>, into: &ChainOperand<'a>, along: usize) -> Option<u64> {
        if into.is_empty {
            return Some(0);
        }
        let step = match into.source {
            // As in `element`, a value behind its use is invalid.
            ValueSource::Defined(place, _) if place < by.place.offset() => {
                self.steps.get(&place)?
            }
            _ => return None,
        };
        let (SliceOperation::Insert(first), [part, before]) = (step.slice()?.0, &step.operands[..])
        else {
            return None;
        };
        let each = part.sizes.iter().zip(&before.sizes).enumerate();
        let is_along = each.filter(|it| it.1.0 != it.1.1).all(|it| it.0 == along);
        let begins = is_along && self.written(step, before, along) == Some(first[along]);
        begins.then_some(first[along] + part.sizes[along]?)
    }

    /// Returns the term of the first value before an index of a tensor, and of the second one from
    /// there on. `piece` has their type.
    fn select(
        &mut self,
        place: TermIndex,
        index: u64,
        values: [usize; 2],
        piece: &ChainOperand<'a>,
    ) -> Option<usize> {
        let bound = i32::try_from(index).ok()?.checked_sub(place.offset)?;
        if bound <= 0 {
            return Some(values[1]);
        }
        let known = |it: &Term| matches!(it, Term::Place(it) if *it == place.dimension);
        let along = self.terms.iter().position(known);
        let along = along.unwrap_or_else(|| self.push(Term::Place(place.dimension)));
        let bound = Opcode::Constant(u64::from(bound.unsigned_abs()));
        let bound = self.push(Term::Operation(bound, Vec::new(), ScalarType::I32));
        let compare = Opcode::Cmpi(IntegerPredicate::Ult);
        let test = self.push(Term::Operation(compare, vec![along, bound], ScalarType::I1));
        let of = vec![test, values[0], values[1]];
        Some(self.push(Term::Operation(Opcode::Select, of, piece.element)))
    }
}
