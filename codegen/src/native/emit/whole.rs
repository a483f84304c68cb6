//! All lanes of a subgroup share every row: values become uniform, and the holder of the best is found by ballot.

use super::exchange::{from_words, to_words};
use super::ids::{Ids, delinearize};
use super::lanes::{Held, best_key, least_rank};
use super::place::Place;
use super::state;
use crate::native::combiner::{ArgCompare, Combiner, State};
use crate::native::cross_lane::Exchange;
use crate::native::ir::{Ir, Phi, Value};
use crate::native::last::Final;
use crate::native::scalar::Scalar;

/// What reducing a row over all lanes takes.
pub(super) struct Whole<'a> {
    pub(super) combiner: &'a ArgCompare,
    pub(super) ids: &'a Ids,
    pub(super) exchanges: &'static [Exchange],
    /// The lane in which the exchanges end.
    pub(super) lane: u32,
    /// Lanes of the subgroup.
    pub(super) lanes: u32,
}

impl Whole<'_> {
    /// One row: mostly one lane holds the best value, and its state is read. With several, or none, a second reduction.
    /// Returns whether (i1) this is the lane to store, and the row's state.
    pub(super) fn one_row(&self, ir: &mut Ir, state: &State) -> (Value, State) {
        let holds = self.holds_best(ir, &state[0]);
        let holders = self.ballot(ir, &holds);
        let mask = self.mask();
        let count = ir.value(format_args!(
            "call {mask} @llvm.ctpop.{mask}({mask} {holders})"
        ));
        let single = ir.value(format_args!("icmp eq {mask} {count}, 1"));
        let (one, several, both) = (ir.label("one"), ir.label("several"), ir.label("both"));
        ir.branch(&single, &one, &several);

        ir.start(&one);
        let lane = self.first_lane(ir, &holders);
        let only = self.read_state(ir, state, &lane);
        ir.jump(&both);

        ir.start(&several);
        let lane = self.first_of_several(ir, state, &holds);
        let first = self.read_state(ir, state, &lane);
        ir.jump(&both);

        ir.start(&both);
        let place = ir.phi_place();
        let names: Vec<Value> = only.iter().map(|_| ir.name()).collect();
        let phis: Vec<Phi<'_>> = names
            .iter()
            .zip(only.iter().zip(&first))
            .map(|(name, (only, first))| Phi {
                name,
                kind: "i32",
                from: [(only, one.as_str()), (first, several.as_str())],
            })
            .collect();
        ir.phis(place, &phis);
        let first = ir.value(format_args!("icmp eq i32 {}, 0", self.ids.lane));
        (first, state::of_words(ir, self.combiner, &names))
    }

    /// Several rows: row r ends in lane r, to be stored by one instruction. Without branches, so that the exchanges of the
    /// rows fill each other's waiting times.
    pub(super) fn rows(
        &self,
        ir: &mut Ir,
        kernel: &Final,
        places: &[Place],
        rows: &[State],
    ) -> Held {
        let mut gathered = vec![Value::text("poison"); self.combiner.words() as usize];
        for (row, state) in (0u32..).zip(rows) {
            let holds = self.holds_best(ir, &state[0]);
            let lane = self.first_of_several(ir, state, &holds);
            let words = self.read_state(ir, state, &lane);
            for (register, word) in gathered.iter_mut().zip(words) {
                *register = ir.value(format_args!(
                    "call i32 @llvm.amdgcn.writelane.i32(i32 {word}, i32 {row}, i32 {register})"
                ));
            }
        }
        let count = rows.len() as u32;
        let mut conditions = Vec::new();
        if count < self.lanes {
            let lane = &self.ids.lane;
            conditions.push(ir.value(format_args!("icmp ult i32 {lane}, {count}")));
        }
        let (dimensions, counts): (Vec<usize>, Vec<u32>) = kernel
            .lanes
            .block
            .grid
            .parallel()
            .map(|(d, _)| (d, kernel.lanes.along[d].per_lane()))
            .unzip();
        let numbers = delinearize(ir, "i32", &self.ids.lane, &counts);
        let mut row = Vec::new();
        for (d, number) in dimensions.into_iter().zip(numbers) {
            let coordinate = places[d].coordinate_of_any(ir, &number);
            row.push(coordinate.value);
            conditions.extend(coordinate.own);
        }
        Held {
            conditions,
            row,
            state: state::of_words(ir, self.combiner, &gathered),
        }
    }

    /// `i1`: whether the lane holds the best value.
    fn holds_best(&self, ir: &mut Ir, value: &Value) -> Value {
        let key = self.combiner.key_of(ir, value);
        let best = best_key(ir, self.combiner, self.ids, self.exchanges, &key);
        let best = self.read(ir, self.combiner.key(), &best, &self.lane.into());
        let best = from_words(ir, self.combiner.key(), &best);
        self.combiner.is_same(ir, &key, &best)
    }

    /// The lane with the least rank of those that hold the best value.
    fn first_of_several(&self, ir: &mut Ir, state: &State, holds: &Value) -> Value {
        let kind = self.combiner.position();
        let candidate = self.combiner.candidate(ir, holds, &state[1]);
        let least = least_rank(ir, self.combiner, self.ids, self.exchanges, &candidate);
        let least = self.read(ir, kind, &least, &self.lane.into());
        let least = from_words(ir, kind, &least);
        let kind = kind.llvm();
        let has = ir.value(format_args!("icmp eq {kind} {candidate}, {least}"));
        let mask = self.ballot(ir, &has);
        self.first_lane(ir, &mask)
    }

    /// The words of a lane's state.
    fn read_state(&self, ir: &mut Ir, state: &State, lane: &Value) -> Vec<Value> {
        let mut words = Vec::new();
        // The position first: it is what is waited for.
        for (kind, scalar) in self.combiner.state().into_iter().zip(state).rev() {
            words.splice(0..0, self.read(ir, kind, scalar, lane));
        }
        words
    }

    /// The words of a lane's value.
    fn read(&self, ir: &mut Ir, kind: Scalar, value: &Value, lane: &Value) -> Vec<Value> {
        to_words(ir, kind, value)
            .iter()
            .map(|word| {
                ir.value(format_args!(
                    "call i32 @llvm.amdgcn.readlane.i32(i32 {word}, i32 {lane})"
                ))
            })
            .collect()
    }

    /// The type of a mask of lanes.
    fn mask(&self) -> &'static str {
        match self.lanes {
            32 => "i32",
            _ => "i64",
        }
    }

    fn ballot(&self, ir: &mut Ir, condition: &Value) -> Value {
        let mask = self.mask();
        ir.value(format_args!(
            "call {mask} @llvm.amdgcn.ballot.{mask}(i1 {condition})"
        ))
    }

    /// The lowest lane of a mask that is not empty.
    fn first_lane(&self, ir: &mut Ir, holders: &Value) -> Value {
        let mask = self.mask();
        let lane = ir.value(format_args!(
            "call {mask} @llvm.cttz.{mask}({mask} {holders}, i1 true)"
        ));
        match mask {
            "i32" => lane,
            _ => ir.value(format_args!("trunc i64 {lane} to i32")),
        }
    }
}
