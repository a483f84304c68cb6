//! The layout as text: the nesting, the map of the first workgroup, the exchanges.

use std::fmt;

use super::pattern::{PointPattern, patterns};
use super::{ExchangeStep, LaneMap, LaneMapDimension, Load, TailKind};

/// The largest number of patterns that are printed for a step.
const MOST_LINES: usize = 64;

impl fmt::Display for LaneMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (threads, subgroups) = (self.threads(), self.subgroups());
        let lanes = self.subgroup_size();
        writeln!(
            f,
            "layout {} workgroups of {threads} threads, {subgroups} subgroups of {lanes} lanes",
            self.workgroups()
        )?;
        writeln!(f, "  {}", self.nest())?;
        for (number, along) in self.dimensions().iter().enumerate() {
            writeln!(f, "  dimension {number}: {along}")?;
        }
        if self.split() > 1 {
            writeln!(f, "  {} workgroups share a tile", self.split())?;
        }
        // The last step shows the tail; the steps between are like the first.
        let last = self.steps() - 1;
        self.write_step(f, 0)?;
        if last > 0 {
            self.write_step(f, last)?;
        }
        if self.loads_best_step_again() {
            writeln!(
                f,
                "  after the steps: of each row, what the lane has of the step with its best element, once more"
            )?;
        }
        let exchanges = self.exchanges();
        if exchanges.is_empty() {
            writeln!(f, "  lanes: nothing is exchanged")?;
        }
        for exchange in exchanges {
            writeln!(f, "  {exchange}")?;
        }
        Ok(())
    }
}

impl LaneMap {
    /// Writes the loads of workgroup 0 in a step.
    fn write_step(&self, f: &mut fmt::Formatter<'_>, step: u64) -> fmt::Result {
        let loads: Vec<Load> = self.loads(0, step).collect();
        let length = loads.first().map_or(0, |load| load.length);
        let along = if self.loads_rows() { "rows" } else { "columns" };
        let steps = self.steps();
        write!(f, "  workgroup 0, step {step} of {steps}: ")?;
        match length {
            1 => writeln!(f, "each load has the element at")?,
            _ => writeln!(f, "each load has the elements of {length} {along} from")?,
        }
        let points = loads.iter().map(|load| {
            [
                load.subgroup.into(),
                load.batch.into(),
                load.lane.into(),
                load.row as i64,
                load.column as i64,
            ]
        });
        let patterns = patterns(points);
        for pattern in patterns.iter().take(MOST_LINES) {
            let [subgroup, batch, lane, row, column] = std::array::from_fn(|n| pattern.sum(n));
            writeln!(
                f,
                "    subgroup {subgroup}, batch {batch}, lane {lane}: row {row}, column {column}{}",
                pattern.ranges()
            )?;
        }
        match patterns.len().saturating_sub(MOST_LINES) {
            0 => Ok(()),
            more => writeln!(f, "    and {more} lines more"),
        }
    }
}

/// Prints, for example, `[32000] in 8 steps of 4096, the last one earlier; 4 subgroups by id / 1,
/// ...`
impl fmt::Display for LaneMapDimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (size, tile) = (self.size, self.nest.tile);
        match self.reduced {
            true => write!(f, "[{size}] in {} steps of {tile}", self.steps)?,
            false => write!(f, "{size} in tiles of {tile}")?,
        }
        f.write_str(match self.cover {
            TailKind::Exact => "",
            TailKind::Shifted => ", the last one earlier",
            TailKind::Clamped => ", of which not all exist",
            TailKind::Counted => ", the last cut off at the count",
        })?;
        let nest = &self.nest;
        let digit = |digit: &configgen::layout::Digit| match digit.level.count {
            1 => String::new(),
            _ => format!(" by id / {}, {} apart", digit.id_stride, digit.level.stride),
        };
        let apart = |level: &configgen::layout::TileLevel| match level.count {
            1 => String::new(),
            _ => format!(", {} apart", level.stride),
        };
        write!(
            f,
            "; {} subgroups{}; {} batches{}; {} lanes{}; {} elements",
            nest.subgroup.level.count,
            digit(&nest.subgroup),
            nest.batch.count,
            apart(&nest.batch),
            nest.lane.level.count,
            digit(&nest.lane),
            nest.element.count
        )
    }
}

impl fmt::Display for ExchangeStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}, {}: {}",
            self.scope.name(),
            self.what.name(),
            self.name
        )?;
        if self.only_on_ties {
            f.write_str(", if several lanes hold the best value")?;
        }
        let pairs = (0u32..)
            .zip(&self.from)
            .filter_map(|(lane, from)| Some((lane, (*from)?)));
        // A butterfly exchanges with lane^x everywhere, which one sum cannot say.
        let pairs: Vec<(u32, u32)> = pairs.collect();
        let is_xor = |with: u32| pairs.iter().all(|(lane, from)| lane ^ from == with);
        match pairs.first() {
            None => Ok(()),
            Some((lane, from)) if pairs.len() == self.from.len() && is_xor(lane ^ from) => {
                write!(f, "; lane l from l ^ {}", lane ^ from)
            }
            Some(_) => {
                let points = pairs.iter().map(|&(lane, from)| [lane.into(), from.into()]);
                let text = patterns(points)
                    .into_iter()
                    .map(|pattern: PointPattern<2>| {
                        format!(
                            "{} from {}{}",
                            pattern.sum(0),
                            pattern.sum(1),
                            pattern.ranges()
                        )
                    });
                write!(f, "; lane {}", text.collect::<Vec<_>>().join(", "))
            }
        }
    }
}
