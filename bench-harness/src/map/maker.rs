//! The maker of maps: elements and their expected results.

use configgen::comparator::ScalarType;
use configgen::{Function, Problem};

use super::{MapPattern, MapReference};
use crate::operation::{
    FunctionEvaluator, LaunchInput, Maker, OperandSubset, Operands, Slot, Stream, Streams, append,
    poison,
};

/// The number of attempts to fill an element so that its result differs from the poison.
const ATTEMPTS: usize = 8;

/// A maker of the inputs of one problem and seed.
pub(crate) struct MapMaker<'a> {
    problem: &'a Problem,
    is_copy: bool,
    computed: Option<FunctionEvaluator>,
    streams: Streams,
}

impl<'a> MapMaker<'a> {
    pub(crate) fn new(problem: &'a Problem, seed: u64) -> MapMaker<'a> {
        let streams = Streams { seed };
        let function = problem.function.as_ref();
        MapMaker {
            problem,
            // A view moves elements and computes nothing.
            is_copy: function.is_none_or(Function::is_view),
            computed: function.map(|function| {
                FunctionEvaluator::new(problem, function, problem.element, streams)
            }),
            streams,
        }
    }

    /// Makes an element of a launch. Each attempt has its own stream.
    fn element(&self, slot: &Slot, pattern: MapPattern, number: usize, attempt: usize) -> Vec<u64> {
        let kind = ScalarType::from(self.problem.element);
        let launch = number << 4 | attempt;
        let mut rng = self.streams.rng(Stream::Elements, slot.row, launch);
        let mut row = vec![pattern.element(kind, slot.turn, &mut rng)];
        if let Some(computed) = &self.computed {
            computed.convert(&mut row, &mut rng);
        }
        row
    }
}

impl Maker for MapMaker<'_> {
    fn patterns(&self) -> usize {
        MapPattern::ALL.len()
    }

    fn sets(&self) -> usize {
        self.computed.as_ref().map_or(1, FunctionEvaluator::sets)
    }

    fn operands(&self, needed: &[OperandSubset], set: usize) -> Vec<Vec<u8>> {
        let computed = self.computed.as_ref();
        computed.map_or_else(Vec::new, |it| it.operands(needed, set))
    }

    fn launch(&mut self, number: usize, slots: &[Slot], operands: &Operands<'_>) -> LaunchInput {
        let element = self.problem.element;
        let patterns: Vec<MapPattern> = (slots.iter())
            .map(|slot| {
                slot.pattern
                    .map_or(MapPattern::Counted, |it| MapPattern::ALL[it])
            })
            .collect();
        let viewed = self.computed.as_ref().and_then(|computed| {
            computed.viewed(operands, (number, slots), |(place, slot)| {
                self.element(slot, patterns[place], number, 0)
            })
        });
        let (tensor, seen) = viewed.unzip();
        let kind = ScalarType::from(self.problem.reduced_type());
        let unwritten = poison(self.problem.reduced_type().bytes());
        let mut elements = Vec::with_capacity(slots.len() * element.bytes() as usize);
        let mut expected = Vec::with_capacity(slots.len());
        for (place, (slot, &pattern)) in slots.iter().zip(&patterns).enumerate() {
            let (mut row, mut result) = (Vec::new(), unwritten);
            // A result equal to the poison would let a kernel pass that does not write it.
            for attempt in 0..ATTEMPTS {
                row = match &seen {
                    None => self.element(slot, pattern, number, attempt),
                    Some(rows) => rows[place].clone(),
                };
                result = match &mut self.computed {
                    None => row[0],
                    Some(computed) => computed.row(&row, place, operands)[0],
                } & kind.mask();
                if result != unwritten {
                    break;
                }
            }
            let mut rng = self.streams.rng(Stream::Initial, slot.row, number);
            append(&mut elements, element, &row, &mut rng);
            expected.push((pattern, result));
        }
        LaunchInput {
            tensor,
            elements,
            index_base: 0,
            reference: Box::new(MapReference {
                kind,
                is_copy: self.is_copy,
                expected,
            }),
        }
    }
}
