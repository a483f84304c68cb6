//! The members of a space among the legal configurations, stated again from its documentation.

use configgen::{Basis, Configuration, Generator, Problem, Target, check};

/// Returns whether one accumulator may pay: a row's threads could take the row in one step.
pub(crate) fn is_short(problem: &Problem, c: &Configuration) -> bool {
    let shape = &problem.shape;
    let along = |count: &dyn Fn(usize) -> u32| -> u64 {
        shape.reduced().map(|d| u64::from(count(d))).product()
    };
    let threads =
        along(&|d| c.lowering.lane_basis.count_along(d) * c.lowering.subgroup_basis.count_along(d));
    let operands = problem.function.iter().flat_map(|it| it.operands());
    let elements = operands.map(|it| it.element).chain([problem.element]);
    let words: u64 = elements.map(|it| if it.bits() == 64 { 2 } else { 1 }).sum();
    // The operands of row operations have 32 bits or less.
    let of_rows = match problem.reduction.reads_operands() {
        true => problem.reduction.operands().len() as u64,
        false => 0,
    };
    let words = words + of_rows;
    let most = 1 << (64 / words).ilog2();
    let at_once = threads * most * u64::from(c.knobs.split);
    along(&|d| c.lowering.thread[d]) > 1 && at_once >= shape.reduced_size()
}

/// Returns the divisor of W and P.
pub(crate) fn unit(c: &Configuration, d: usize) -> u32 {
    let lowering = &c.lowering;
    lowering.lane_basis.count_along(d)
        * lowering.subgroup_basis.count_along(d)
        * lowering.thread[d].max(1)
}

/// Returns whether a native kernel is searched.
///
/// It repeats rows only beyond a power of two, or by lanes that can lie nowhere else. Its tiles
/// are among the candidates.
pub(crate) fn is_searched(problem: &Problem, c: &Configuration) -> bool {
    let shape = &problem.shape;
    let fits_rows = |d: usize| {
        let must_lie = problem.reduction.is_serial() && unit(c, d) == c.subgroup_size;
        let must_lie = must_lie || is_all_of_rows(problem) && are_lanes_alone(c);
        must_lie || unit(c, d) <= shape.sizes()[d].next_power_of_two()
    };
    let is_coarse = |d: usize| {
        let tile = c.lowering.workgroup[d].max(c.lowering.partial_reduction[d]);
        let count = tile / unit(c, d);
        u32::BITS - count.leading_zeros() - count.trailing_zeros() <= 3
    };
    let is_filled = |reduced| is_filled(problem, c, reduced);
    (0..shape.rank()).all(|d| is_column(problem, d) || fits_rows(d))
        && (0..shape.rank()).all(is_coarse)
        && (is_filled(false) || shape.reduces() && is_one_tile(problem, c))
        && is_filled(true)
}

/// Returns whether it is a map with no dimension across.
fn is_all_of_rows(problem: &Problem) -> bool {
    !problem.shape.reduces() && !(0..problem.shape.rank()).any(|d| is_column(problem, d))
}

/// Returns whether only lanes take rows.
fn are_lanes_alone(c: &Configuration) -> bool {
    let product = |list: &[u32]| list.iter().map(|it| (*it).max(1)).product::<u32>();
    product(&c.lowering.thread) == 1 && product(&c.lowering.subgroup_basis.counts) == 1
}

/// Returns whether a dimension belongs to the columns: reduced, or across in a map.
fn is_column(problem: &Problem, d: usize) -> bool {
    let shape = &problem.shape;
    if shape.reduces() {
        return shape.is_reduced(d);
    }
    let wide = |d: &usize| shape.sizes()[*d] > 1;
    let innermost = |dimensions: Vec<usize>| dimensions.into_iter().rfind(wide);
    let own = innermost((0..shape.rank()).collect());
    let view = problem
        .view()
        .map(|view| view.dimensions(shape).dimensions().collect());
    let inputs =
        view.into_iter().chain(
            problem
                .operands()
                .into_iter()
                .map(|operand| match &operand.view {
                    Some(view) => view.dimensions(shape).dimensions().collect(),
                    None => operand.map.dimensions().collect(),
                }),
        );
    inputs.map(innermost).any(|it| it == Some(d) && it != own)
}

/// Returns the same for IREE's kernels, which distribute rows on one dimension.
///
/// Among steps that do not divide a row, they search the coarse ones.
pub(crate) fn is_searched_of_iree(problem: &Problem, c: &Configuration) -> bool {
    let is_coarse = |d: usize| {
        let step = c.lowering.partial_reduction[d];
        let count = step / unit(c, d);
        let digits = u32::BITS - count.leading_zeros() - count.trailing_zeros();
        digits <= 3 || problem.shape.sizes()[d].is_multiple_of(step)
    };
    if !problem.shape.reduced().all(is_coarse) {
        return false;
    }
    let innermost = spread_rows(problem).next();
    let is_alone = |d: usize| Some(d) == innermost || c.lowering.workgroup[d] == 1;
    let is_free = |d: usize| Some(d) == innermost || unit(c, d) == 1;
    problem.shape.parallel().all(is_free)
        && (problem.shape.parallel().all(is_alone) || is_one_tile(problem, c))
}

/// Returns the parallel dimensions larger than 1, innermost first.
pub(crate) fn spread_rows(problem: &Problem) -> impl Iterator<Item = usize> {
    let shape = &problem.shape;
    (0..shape.rank())
        .rev()
        .filter(|&d| !shape.is_reduced(d) && shape.sizes()[d] > 1)
}

/// Returns whether no row has lanes, subgroups or a thread tile, and one parallel dimension has
/// the tile.
///
/// Its size must be known.
fn is_one_tile(problem: &Problem, c: &Configuration) -> bool {
    let has_tile = |d: &usize| c.lowering.workgroup[*d] > 1;
    let tiled: Vec<usize> = problem.shape.parallel().filter(has_tile).collect();
    problem.shape.parallel().all(|d| unit(c, d) == 1)
        && tiled.len() == 1
        && !problem.shape.is_counted(tiled[0])
}

/// Returns whether the digits follow their dimensions.
///
/// The innermost dimensions of rows and of columns may be exchanged.
pub(crate) fn is_ordered(problem: &Problem, basis: &Basis) -> bool {
    let wide: Vec<usize> = (0..problem.shape.rank())
        .filter(|&d| basis.count_along(d) > 1)
        .collect();
    let mut found = wide.clone();
    found.sort_unstable_by_key(|&d| basis.mapping[d]);
    let innermost = |reduced| wide.iter().rposition(|&d| is_column(problem, d) == reduced);
    let mut swapped = wide.clone();
    if let (Some(rows), Some(columns)) = (innermost(false), innermost(true)) {
        swapped.swap(rows, columns);
    }
    found == wide || found == swapped
}

/// Returns whether no shorter searched step has too many consecutive additions (rule N18).
pub(crate) fn has_shorter_steps(
    problem: &Problem,
    target: &Target,
    generator: Generator,
    c: &Configuration,
) -> bool {
    problem.shape.reduced().all(|d| {
        let unit = unit(c, d);
        let count = c.lowering.partial_reduction[d] / unit;
        let is_coarse =
            |count: &u32| u32::BITS - count.leading_zeros() - count.trailing_zeros() <= 3;
        (1..count).filter(is_coarse).all(|count| {
            let mut shorter = c.clone();
            shorter.lowering.partial_reduction[d] = count * unit;
            let checked = check(problem, target, generator, &shorter);
            checked
                .err()
                .is_none_or(|rejection| rejection.rule != "N18")
        })
    })
}

/// Returns whether the reduced (or parallel) dimensions are filled from the inside.
///
/// One has a share of a count only if the inner ones are full.
fn is_filled(problem: &Problem, c: &Configuration, reduced: bool) -> bool {
    let (shape, lowering) = (&problem.shape, &c.lowering);
    let wide: Vec<usize> = (0..shape.rank())
        .rev()
        .filter(|&d| is_column(problem, d) == reduced && shape.sizes()[d] > 1)
        .collect();
    let narrow =
        (0..shape.rank()).filter(|&d| is_column(problem, d) == reduced && !wide.contains(&d));
    // The innermost dimension of a row with one lane, or one of size 1 if there is no other.
    let spread = match (wide.is_empty(), reduced && problem.reduction.is_serial()) {
        (true, _) => narrow.clone().next_back().into_iter().collect(),
        (false, true) => vec![wide[0]],
        (false, false) => wide,
    };
    let tile = |d: usize| lowering.workgroup[d].max(lowering.partial_reduction[d]);
    let alone =
        (0..shape.rank()).filter(|&d| is_column(problem, d) == reduced && !spread.contains(&d));
    let mut is_filled = alone.into_iter().all(|d| tile(d) == 1 && unit(c, d) == 1);
    for (place, &d) in spread.iter().enumerate() {
        let (thread, lanes) = (
            lowering.thread[d].max(1),
            lowering.lane_basis.count_along(d),
        );
        let room = shape.sizes()[d].next_power_of_two();
        // Twice as many subgroups would leave one without an element.
        let subgroups = lowering.subgroup_basis.count_along(d);
        let is_room_for_none = (2 * subgroups - 1) * thread * lanes >= shape.sizes()[d];
        let outside = &spread[place + 1..];
        let any = |part: &dyn Fn(usize) -> bool| outside.iter().any(|&d| part(d));
        is_filled &= !any(&|d| lowering.thread[d] > 1)
            && (!any(&|d| lowering.lane_basis.count_along(d) > 1) || thread * lanes == room)
            && (!any(&|d| lowering.subgroup_basis.count_along(d) > 1)
                || unit(c, d) == room
                || is_room_for_none)
            && (!any(&|d| tile(d) > 1)
                || tile(d) == room && unit(c, d) == room
                || is_room_for_none && !any(&|d| tile(d) > unit(c, d)))
            && (outside.is_empty() || unit(c, d) <= room);
    }
    is_filled
}
