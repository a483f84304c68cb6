//! The exchanges by which the lanes of a row merge, in the order of the kernel: cross-lane
//! instructions, LDS, memory.

use std::collections::BTreeMap;

use super::LaneMap;
use crate::native::isa::cross_lane::{Exchange, Move};
use crate::native::stages::dimension::index_tuples;
use crate::native::stages::final_stage::LaneFold;

/// One exchange step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExchangeStep {
    /// The instructions, as in the final stage.
    pub name: String,
    /// The kind of the instructions.
    pub kind: ExchangeKind,
    /// The threads that exchange.
    pub scope: ExchangeScope,
    /// The exchanged values.
    pub what: ExchangePayload,
    /// True if the kernel skips the step when only one lane holds the best value.
    pub only_on_ties: bool,
    /// The source of each lane, or of each thread for [`ExchangeKind::Lds`] in a workgroup.
    /// `None` if it keeps its own value, or if the source depends on the values. A thread that
    /// reads a partial has the first lane that may have written it as its source. Empty if the
    /// sources are other workgroups.
    pub from: Vec<Option<u32>>,
}

/// The kind of an exchange step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExchangeKind {
    /// Data-parallel primitives.
    Dpp,
    /// `ds_swizzle_b32`.
    Swizzle,
    /// `ds_bpermute_b32`.
    Permute,
    /// `v_permlane*`.
    Permlane,
    /// `v_readlane_b32`.
    Readlane,
    /// A mask of the lanes for which a comparison holds.
    Ballot,
    /// An exchange through LDS.
    Lds,
    /// An exchange through global memory.
    Memory,
}

impl ExchangeKind {
    /// Returns the kind's name in texts.
    pub fn name(self) -> &'static str {
        match self {
            ExchangeKind::Dpp => "dpp",
            ExchangeKind::Swizzle => "swizzle",
            ExchangeKind::Permute => "permute",
            ExchangeKind::Permlane => "permlane",
            ExchangeKind::Readlane => "readlane",
            ExchangeKind::Ballot => "ballot",
            ExchangeKind::Lds => "lds",
            ExchangeKind::Memory => "memory",
        }
    }
}

/// The threads that exchange in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExchangeScope {
    /// The lanes of a subgroup.
    Subgroup,
    /// The subgroups of a workgroup.
    Workgroup,
    /// The workgroups that share rows.
    Grid,
}

impl ExchangeScope {
    /// Returns the scope's name in texts.
    pub fn name(self) -> &'static str {
        match self {
            ExchangeScope::Subgroup => "subgroup",
            ExchangeScope::Workgroup => "workgroup",
            ExchangeScope::Grid => "grid",
        }
    }
}

/// The values that a step exchanges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExchangePayload {
    /// The best value alone.
    BestValue,
    /// The least index of the lanes that hold the best value.
    LeastIndex,
    /// The mask of the lanes that hold the best value.
    Holders,
    /// Value and index.
    State,
}

impl ExchangePayload {
    /// Returns the payload's name in texts.
    pub fn name(self) -> &'static str {
        match self {
            ExchangePayload::BestValue => "best value",
            ExchangePayload::LeastIndex => "least index",
            ExchangePayload::Holders => "holders",
            ExchangePayload::State => "state",
        }
    }
}

impl LaneMap {
    /// Returns the steps by which the lanes of a row merge, in their order.
    pub fn exchanges(&self) -> Vec<ExchangeStep> {
        let mut steps = match &self.kernel.fold {
            LaneFold::Own | LaneFold::Alike => Vec::new(),
            LaneFold::Pairs(exchanges) => {
                self.moves(exchanges, ExchangeScope::Subgroup, ExchangePayload::State)
            }
            LaneFold::Butterfly(exchanges) => {
                [ExchangePayload::BestValue, ExchangePayload::LeastIndex]
                    .into_iter()
                    .flat_map(|what| self.moves(exchanges, ExchangeScope::Subgroup, what))
                    .collect()
            }
            LaneFold::Ballot { exchanges, lane } => self.ballot(exchanges, *lane),
        };
        // The order is that of the kernel: subgroup, workgroup, grid.
        if self.kernel.lanes.block.partials() > 0 {
            steps.push(self.through_lds());
            steps.extend(self.moves(
                &self.kernel.partials,
                ExchangeScope::Workgroup,
                ExchangePayload::State,
            ));
        }
        let grid = &self.kernel.lanes.block.grid;
        if grid.split.is_some() {
            let who = match grid.sequel {
                None => "the last workgroup reads",
                Some(_) => "each workgroup waits for all, and reads",
            };
            steps.push(ExchangeStep {
                name: format!("memory, atomic count; {who}"),
                kind: ExchangeKind::Memory,
                scope: ExchangeScope::Grid,
                what: ExchangePayload::State,
                only_on_ties: false,
                from: Vec::new(),
            });
            steps.extend(self.moves(
                &self.kernel.pieces,
                ExchangeScope::Grid,
                ExchangePayload::State,
            ));
        }
        steps
    }

    /// Returns the steps of a plan of cross-lane moves.
    fn moves(
        &self,
        exchanges: &[Exchange],
        scope: ExchangeScope,
        what: ExchangePayload,
    ) -> Vec<ExchangeStep> {
        let step = |exchange: &Exchange| {
            let names: Vec<String> = exchange.iter().map(ToString::to_string).collect();
            ExchangeStep {
                name: names.join(" then "),
                // All moves of an exchange are of one kind.
                kind: exchange.last().map_or(ExchangeKind::Dpp, kind),
                scope,
                what,
                only_on_ties: false,
                from: (0..self.subgroup_size())
                    .map(|lane| source(exchange, lane))
                    .collect(),
            }
        };
        exchanges.iter().map(step).collect()
    }

    /// Returns the steps of a ballot reduction: the best value in one lane, which all lanes read;
    /// the holders by ballot; the state of the first holder.
    fn ballot(&self, exchanges: &'static [Exchange], lane: u32) -> Vec<ExchangeStep> {
        let all = |from: Option<u32>| vec![from; self.subgroup_size() as usize];
        let step = |name: String, kind, what, from: Option<u32>| ExchangeStep {
            name,
            kind,
            scope: ExchangeScope::Subgroup,
            what,
            only_on_ties: false,
            from: all(from),
        };
        let read = |what| {
            step(
                format!("readlane {lane}"),
                ExchangeKind::Readlane,
                what,
                Some(lane),
            )
        };
        let mut steps = self.moves(
            exchanges,
            ExchangeScope::Subgroup,
            ExchangePayload::BestValue,
        );
        steps.push(read(ExchangePayload::BestValue));
        // With several rows, all rows do the same without branches.
        let is_alone = self.kernel.lanes.rows().len() == 1;
        let holders = || {
            step(
                "ballot".to_owned(),
                ExchangeKind::Ballot,
                ExchangePayload::Holders,
                None,
            )
        };
        if is_alone {
            steps.push(holders());
        }
        let mut index = self.moves(
            exchanges,
            ExchangeScope::Subgroup,
            ExchangePayload::LeastIndex,
        );
        index.push(read(ExchangePayload::LeastIndex));
        index.push(holders());
        index
            .iter_mut()
            .for_each(|step| step.only_on_ties = is_alone);
        steps.extend(index);
        steps.push(step(
            "readlane of the first holder".to_owned(),
            ExchangeKind::Readlane,
            ExchangePayload::State,
            None,
        ));
        steps
    }

    /// Returns the step through LDS, in its first round. The subgroups that share a row write its
    /// partials, and neighbouring threads read them, in rounds if there are more partials than
    /// threads.
    fn through_lds(&self) -> ExchangeStep {
        let writers = self.writers();
        let count = self.kernel.lanes.block.partials().min(self.threads());
        ExchangeStep {
            name: "write to lds, barrier, read".to_owned(),
            kind: ExchangeKind::Lds,
            scope: ExchangeScope::Workgroup,
            what: ExchangePayload::State,
            only_on_ties: false,
            from: (0..self.threads())
                .map(|thread| writers.get(&thread).copied().filter(|_| thread < count))
                .collect(),
        }
    }

    /// Returns the first thread that may write each partial.
    fn writers(&self) -> BTreeMap<u32, u32> {
        let lanes = &self.kernel.lanes;
        let (block, sharers) = (&lanes.block, lanes.block.sharers());
        let gathers = matches!(self.kernel.fold, LaneFold::Ballot { .. }) && lanes.rows().len() > 1;
        let per_lane: Vec<u32> = block
            .grid
            .parallel()
            .map(|(d, _)| lanes.along[d].per_lane())
            .collect();
        let mut writers = BTreeMap::new();
        for thread in 0..self.threads() {
            let (subgroup, lane) = (thread / self.subgroup_size(), thread % self.subgroup_size());
            let sharer = block.grid.reduced().fold(0, |number, (d, _)| {
                let field = block.along[d].field;
                number * field.count() + field.of(subgroup)
            });
            for (number, row) in (0u32..).zip(index_tuples(&per_lane)) {
                // If a subgroup's lanes share all of its rows, row r ends in lane r.
                if gathers && number != lane {
                    continue;
                }
                let mut place = Some(0);
                for ((d, dimension), number) in block.grid.parallel().zip(row) {
                    let along = &lanes.along[d];
                    let origin = block.along[d].field.of(subgroup) * block.along[d].tile;
                    let lane = if gathers { 0 } else { lane };
                    let (batch, element) = (number / along.thread, number % along.thread);
                    let (wanted, start) = along.start(origin, lane, batch);
                    // A lane does not own the elements that it repeats.
                    let own = start + element;
                    let coordinate = (own >= wanted).then_some(own);
                    place = place
                        .zip(coordinate)
                        .map(|(place, own)| place * dimension.extent() + own);
                }
                if let Some(place) = place {
                    writers.entry(place * sharers + sharer).or_insert(thread);
                }
            }
        }
        writers
    }
}

/// Returns the kind of a move.
fn kind(step: &Move) -> ExchangeKind {
    match step {
        Move::Dpp { .. } => ExchangeKind::Dpp,
        Move::Swizzle { .. } => ExchangeKind::Swizzle,
        Move::Permute { .. } => ExchangeKind::Permute,
        Move::OtherRow | Move::OtherHalf | Move::Swap { .. } => ExchangeKind::Permlane,
        Move::Lds { .. } => ExchangeKind::Lds,
        Move::Read { .. } => ExchangeKind::Readlane,
    }
}

/// Returns the lane whose register `lane` has after the moves of an exchange, or `None` if that
/// is its own.
fn source(exchange: Exchange, lane: u32) -> Option<u32> {
    // The last move is followed first: its source lane had the register from the moves before.
    let from = exchange
        .iter()
        .rev()
        .fold(lane, |lane, step| step.source(lane).unwrap_or(lane));
    (from != lane).then_some(from)
}
