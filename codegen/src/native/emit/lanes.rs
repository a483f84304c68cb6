//! From the states of lanes to the states of rows.
//!
//! For [`ArgCompare`] the best value is found first and the index second: two instructions an exchange instead of the
//! nine of a general `combine`. The state's value is read from a lane that holds the row's index, so that of -0 and +0,
//! which are equally good, it is the first.

use super::exchange::{exchanged, from_bits, to_bits};
use super::ids::{Ids, delinearize};
use super::place::Place;
use crate::native::combiner::{ArgCompare, Scalar, State};
use crate::native::cross_lane::Exchange;
use crate::native::ir::{Ir, Phi, Value};
use crate::native::last::{Final, LaneFold};

/// An index that loses to every other.
const NO_INDEX: i64 = i32::MAX as i64;

/// The state of a row, in the lanes where all `conditions` (i1) hold.
pub(super) struct Held {
    pub(super) conditions: Vec<Value>,
    /// The row: along each parallel dimension the coordinate in the workgroup's tile (i32).
    pub(super) row: Vec<Value>,
    pub(super) state: State,
}

/// Prints the reduction over the lanes of a subgroup of the lane's states, one of each of its rows.
pub(super) fn print(
    ir: &mut Ir,
    kernel: &Final,
    ids: &Ids,
    places: &[Place],
    states: Vec<State>,
) -> Vec<Held> {
    let lanes = &kernel.lanes;
    let combiner = lanes.block.grid.combiner;
    let rows = lanes.rows();
    match &kernel.fold {
        LaneFold::Own => rows
            .iter()
            .zip(states)
            .map(|(row, state)| held(ir, kernel, places, row, None, state))
            .collect(),
        LaneFold::Butterfly(exchanges) => rows
            .iter()
            .zip(states)
            .map(|(row, state)| {
                let winner = butterfly(ir, &combiner, ids, exchanges, &state);
                held(ir, kernel, places, row, Some(winner), state)
            })
            .collect(),
        LaneFold::Ballot { exchanges, lane } => {
            let whole = Whole {
                combiner,
                ids,
                exchanges,
                lane: *lane,
                lanes: lanes.block.grid.subgroup_size,
            };
            vec![match (rows.as_slice(), states.as_slice()) {
                ([row], [state]) => {
                    let (first, state) = whole.one_row(ir, state);
                    held(ir, kernel, places, row, Some(first), state)
                }
                _ => whole.rows(ir, kernel, places, &states),
            }]
        }
    }
}

/// The state of a lane's row, where `winner` (i1) holds and the row is this lane's.
fn held(
    ir: &mut Ir,
    kernel: &Final,
    places: &[Place],
    row: &[u32],
    winner: Option<Value>,
    state: State,
) -> Held {
    let mut held = Held {
        conditions: winner.into_iter().collect(),
        row: Vec::new(),
        state,
    };
    for (d, _) in kernel.lanes.block.grid.parallel() {
        let coordinate = places[d].coordinate(ir, row[d]);
        held.row.push(coordinate.value);
        held.conditions.extend(coordinate.own);
    }
    held
}

/// `i1`: whether the lane's state is that of its row. Every lane of the row takes part.
fn butterfly(
    ir: &mut Ir,
    combiner: &ArgCompare,
    ids: &Ids,
    exchanges: &[Exchange],
    state: &[Value],
) -> Value {
    let best = best_value(ir, combiner, ids, exchanges, &state[0]);
    let holds = combiner.equal(ir, &state[0], &best);
    let candidate = candidate(ir, &holds, &state[1]);
    let least = least_index(ir, ids, exchanges, &candidate);
    let first = ir.value(format_args!("icmp eq i32 {}, {least}", state[1]));
    ir.value(format_args!("and i1 {holds}, {first}"))
}

fn best_value(
    ir: &mut Ir,
    combiner: &ArgCompare,
    ids: &Ids,
    exchanges: &[Exchange],
    value: &Value,
) -> Value {
    let kind = combiner.state_value();
    exchanges.iter().fold(value.clone(), |best, exchange| {
        let [a, b] = exchanged(ir, ids, exchange, kind, &best);
        combiner.best(ir, &a, &b)
    })
}

fn least_index(ir: &mut Ir, ids: &Ids, exchanges: &[Exchange], index: &Value) -> Value {
    exchanges.iter().fold(index.clone(), |least, exchange| {
        let [a, b] = exchanged(ir, ids, exchange, Scalar::I32, &least);
        ir.value(format_args!("call i32 @llvm.smin.i32(i32 {a}, i32 {b})"))
    })
}

/// The index where the lane holds the best value.
fn candidate(ir: &mut Ir, holds: &Value, index: &Value) -> Value {
    ir.value(format_args!(
        "select i1 {holds}, i32 {index}, i32 {NO_INDEX}"
    ))
}

/// All lanes share every row: values become uniform.
struct Whole<'a> {
    combiner: ArgCompare,
    ids: &'a Ids,
    exchanges: &'static [Exchange],
    /// The lane in which the exchanges end.
    lane: u32,
    /// Lanes of the subgroup.
    lanes: u32,
}

impl Whole<'_> {
    /// One row: mostly one lane holds the best value, and its state is read. With several, a second reduction. Returns
    /// whether (i1) this is the lane to store, and the row's state.
    fn one_row(&self, ir: &mut Ir, state: &[Value]) -> (Value, State) {
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
        let only_index = self.read(ir, Scalar::I32, &state[1], &lane);
        let only_bits = self.read_bits(ir, &state[0], &lane);
        ir.jump(&both);

        ir.start(&several);
        let (least_index, least_bits) = self.least(ir, state, &holds);
        ir.jump(&both);

        ir.start(&both);
        let place = ir.phi_place();
        let (index, bits) = (ir.name(), ir.name());
        let phi = |name, a, b| Phi {
            name,
            kind: "i32",
            from: [(a, one.as_str()), (b, several.as_str())],
        };
        ir.phis(
            place,
            &[
                phi(&index, &only_index, &least_index),
                phi(&bits, &only_bits, &least_bits),
            ],
        );
        let first = ir.value(format_args!("icmp eq i32 {}, 0", self.ids.lane));
        let value = from_bits(ir, self.combiner.state_value(), &bits);
        (first, vec![value, index])
    }

    /// Several rows: row r ends in lane r, to be stored by one instruction. Without branches, so that the exchanges of the
    /// rows fill each other's waiting times.
    fn rows(&self, ir: &mut Ir, kernel: &Final, places: &[Place], rows: &[State]) -> Held {
        let mut gathered = [Value::text("poison"), Value::text("poison")];
        for (row, state) in (0u32..).zip(rows) {
            let holds = self.holds_best(ir, &state[0]);
            let (index, bits) = self.least(ir, state, &holds);
            for (register, scalar) in gathered.iter_mut().zip([bits, index]) {
                *register = ir.value(format_args!(
                    "call i32 @llvm.amdgcn.writelane.i32(i32 {scalar}, i32 {row}, i32 {register})"
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
        let [bits, index] = gathered;
        let value = from_bits(ir, self.combiner.state_value(), &bits);
        Held {
            conditions,
            row,
            state: vec![value, index],
        }
    }

    /// `i1`: whether the lane holds the best value.
    fn holds_best(&self, ir: &mut Ir, value: &Value) -> Value {
        let best = best_value(ir, &self.combiner, self.ids, self.exchanges, value);
        let kind = self.combiner.state_value();
        let best = self.read(ir, kind, &best, &self.lane.into());
        self.combiner.equal(ir, value, &best)
    }

    /// The least index of the lanes that hold the best value, and the value's bits in a lane that has it.
    fn least(&self, ir: &mut Ir, state: &[Value], holds: &Value) -> (Value, Value) {
        let candidate = candidate(ir, holds, &state[1]);
        let least = least_index(ir, self.ids, self.exchanges, &candidate);
        let index = self.read(ir, Scalar::I32, &least, &self.lane.into());
        let has = ir.value(format_args!("icmp eq i32 {candidate}, {index}"));
        let mask = self.ballot(ir, &has);
        let lane = self.first_lane(ir, &mask);
        let bits = self.read_bits(ir, &state[0], &lane);
        (index, bits)
    }

    fn read(&self, ir: &mut Ir, kind: Scalar, value: &Value, lane: &Value) -> Value {
        let bits = to_bits(ir, kind, value);
        let bits = ir.value(format_args!(
            "call i32 @llvm.amdgcn.readlane.i32(i32 {bits}, i32 {lane})"
        ));
        from_bits(ir, kind, &bits)
    }

    fn read_bits(&self, ir: &mut Ir, value: &Value, lane: &Value) -> Value {
        let bits = to_bits(ir, self.combiner.state_value(), value);
        self.read(ir, Scalar::I32, &bits, lane)
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
