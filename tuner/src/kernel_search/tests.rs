//! Tests of searches in spaces whose times come from a formula.

use std::collections::HashSet;
use std::sync::Arc;

use configgen::{Configuration, Device, Generator, Space, Target, seeded_random};
use lookup::Merit;

use super::{KernelContext, KernelSearch, Strategy};

fn space(problem: &str) -> Arc<Space> {
    let target = Target::named("gfx942").unwrap();
    Arc::new(Space::new(
        &problem.parse().unwrap(),
        target,
        Generator::NATIVE,
    ))
}

/// Returns the context of all spaces here. Their times come from a formula, so estimates for any
/// matrix will do.
fn context() -> KernelContext {
    KernelContext {
        problem: "argmax:4x[32000]xf32".parse().unwrap(),
        device: Device::named("mi300x").unwrap(),
        generator: Generator::NATIVE,
    }
}

/// Returns a time with one basin. It grows by factors of two with the distance from 8 subgroups,
/// a step of 4096, a tile of 4 and a split of 8. One seventh of the configurations have no time.
fn time(configuration: &Configuration) -> Option<f64> {
    let [threads, ..] = configuration.workgroup_size;
    let lowering = &configuration.lowering;
    let far = |value: u32, best: f64| (f64::from(value).log2() - best.log2()).abs();
    let distance = far(threads, 512.0)
        + far(lowering.partial_reduction[1], 4096.0)
        + far(lowering.thread[1], 4.0)
        + far(configuration.knobs.split, 8.0);
    let fails = (lowering.partial_reduction[1] / 64).is_multiple_of(7);
    (!fails).then_some(1.0 + distance)
}

fn in_front(time_us: f64) -> Merit {
    Merit {
        is_behind: false,
        time_us,
    }
}

/// Returns the configurations of a search in order. It asks for `count` at once and reports
/// results in another order.
fn tried(
    strategy: Strategy,
    space: &Arc<Space>,
    seed: u64,
    budget: usize,
    count: usize,
) -> Vec<Configuration> {
    let default = space.nth(space.len() / 2);
    let mut search = KernelSearch::new(strategy, space, &context(), seed, default.as_ref(), None);
    let (mut all, mut untold): (Vec<_>, Vec<_>) = (Vec::new(), default.into_iter().collect());
    let mut random = seeded_random::generator(count as u64, 7);
    while all.len() < budget {
        let asked = search.ask(count.min(budget - all.len()));
        if asked.is_empty() && untold.is_empty() {
            break;
        }
        all.extend(asked.iter().cloned());
        untold.extend(asked);
        // Some results arrive later.
        for _ in 0..untold.len().div_ceil(2) {
            let next = seeded_random::below(&mut random, untold.len() as u64) as usize;
            let configuration = untold.swap_remove(next);
            search.tell(&configuration, time(&configuration).map(in_front));
        }
    }
    all
}

#[test]
fn nothing_is_tried_twice_and_in_the_end_everything_once() {
    let space = space("argmax:1x[700]xf32");
    for strategy in Strategy::ALL {
        let all = tried(strategy, &space, 3, usize::MAX, 5);
        assert_eq!(all.len() as u64, space.len() - 1, "{strategy}");
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len());
    }
}

#[test]
fn budget_and_speed_do_not_change_the_order() {
    let space = space("argmax:4x[32000]xf32");
    // The suite of `search` has the others: a model of this large space takes a minute.
    for strategy in [Strategy::Exhaustive, Strategy::Random, Strategy::Evolution] {
        let all = tried(strategy, &space, 3, 200, 1);
        for (budget, count) in [(200, 7), (200, 64), (33, 5), (100, 16)] {
            assert_eq!(tried(strategy, &space, 3, budget, count), all[..budget]);
        }
        assert_eq!(
            all == tried(strategy, &space, 4, 200, 1),
            strategy == Strategy::Exhaustive
        );
    }
}

#[test]
fn evolution_beats_random_search() {
    let space = space("argmax:4x[32000]xf32");
    let mean_best = |strategy| {
        let best = |seed| {
            let tried = tried(strategy, &space, seed, 127, 8);
            tried.iter().filter_map(time).fold(f64::INFINITY, f64::min)
        };
        (0..20).map(best).sum::<f64>() / 20.0
    };
    let (random, evolution) = (mean_best(Strategy::Random), mean_best(Strategy::Evolution));
    assert!(evolution < 1.3 && random > 1.6, "{evolution} {random}");
}

/// Returns for each position of the second generation how many children of 60 seeds are one
/// step away from the first generation's configuration `parent`. `time` returns the time of a
/// position in the first generation.
fn children_beside(parent: usize, time: impl Fn(usize) -> Option<f64>) -> Vec<u32> {
    let space = space("argmax:4x[32000]xf32");
    let mut beside = Vec::new();
    for seed in 0..60 {
        let mut search =
            KernelSearch::new(Strategy::Evolution, &space, &context(), seed, None, None);
        let first = search.ask(usize::MAX);
        for (place, configuration) in first.iter().enumerate() {
            search.tell(configuration, time(place).map(in_front));
        }
        let neighbours = space.neighbours(&first[parent]);
        let children = search.ask(usize::MAX);
        beside.resize(children.len(), 0);
        for (count, child) in beside.iter_mut().zip(&children) {
            *count += u32::from(neighbours.contains(child));
        }
    }
    beside
}

#[test]
fn the_best_parent_has_most_children() {
    // The last ones are random and differ between seeds.
    let time = |place| (place >= 12).then_some(place as f64);
    let [best, worst] = [12, 15].map(|parent| children_beside(parent, time).iter().sum::<u32>());
    assert!(best > 3 * worst, "{best} {worst}");
}

#[test]
fn one_of_a_generation_is_random() {
    let beside = children_beside(15, |place| (place == 15).then_some(1.0));
    let (random, children) = beside.split_last().unwrap();
    assert_eq!(children.len(), 7);
    assert!(*random < 6, "{beside:?}");
    assert!(children.iter().all(|count| *count > 12), "{beside:?}");
}

/// Checks that the children come from correct configurations, however slow, if the reference's
/// tie-break is wanted.
#[test]
fn evolution_continues_from_the_leaders() {
    let space = space("argmax:4x[32000]xf32");
    let is_behind = |configuration: &Configuration| configuration.knobs.split > 1;
    let behind_of = |score: &dyn Fn(&Configuration) -> Merit| {
        let mut search = KernelSearch::new(Strategy::Evolution, &space, &context(), 3, None, None);
        let mut behind = 0;
        for number in 0..120 {
            let next = search.ask(1).remove(0);
            // The first generation is the same in both searches.
            behind += u32::from(number >= 16 && is_behind(&next));
            search.tell(&next, Some(score(&next)));
        }
        behind
    };
    // The fastest configurations have many splits.
    let time_us = |configuration: &Configuration| 100.0 / f64::from(configuration.knobs.split);
    let any = behind_of(&|configuration| in_front(time_us(configuration)));
    let fold = behind_of(&|configuration| Merit {
        is_behind: is_behind(configuration),
        time_us: time_us(configuration),
    });
    assert!(any > 80 && fold < 60, "{any} {fold}");
}
