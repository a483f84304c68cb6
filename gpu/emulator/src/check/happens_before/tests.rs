//! Reads of other workgroups' stores, step by step.

use super::*;

const STORES: Wait = Wait {
    load: 0,
    store: 0,
    lds: Wait::ANY,
    scalar: Wait::ANY,
};
const COUNTER: u64 = 0x1000;

/// A step of one wave.
#[derive(Clone, Copy)]
enum Step {
    Await(usize),
    Do(usize, CacheEffect),
    Count(usize),
    Barrier,
}
use Step::*;

const FLUSH: CacheEffect = CacheEffect::Flush;
const EMPTY: CacheEffect = CacheEffect::Invalidate(ALL);

/// Checks a read after two lists of steps. Wave 1 of workgroup 0 stores, and the steps `before`
/// follow. Wave 0 of workgroup 1 executes the steps `after`, and reads the store.
#[track_caller]
fn check(isa: Isa, before: &[Step], after: &[Step], expected: MissingOrdering) {
    let mut all = HappensBefore::new(isa, true);
    let step = |all: &mut HappensBefore, step: &Step| match *step {
        Await(wave) => all.wait(wave, STORES),
        Do(wave, scope) => all.scope(wave, scope),
        Count(wave) => all.atomic(wave, COUNTER, true),
        Barrier => all.barrier(),
    };
    all.begin(0, 2);
    let generation = all.store(1);
    before.iter().for_each(|one| step(&mut all, one));
    all.begin(1, 2);
    after.iter().for_each(|one| step(&mut all, one));
    assert_eq!(all.check(0, (0, 1), generation), expected);
}

#[test]
fn a_store_is_released_by_its_wave_or_through_a_barrier() {
    let acquired = [Count(0), Do(0, EMPTY)];
    let shared = Isa::Gfx1100;
    check(
        shared,
        &[Await(1), Count(1)],
        &acquired,
        MissingOrdering::Nothing,
    );
    check(
        shared,
        &[Await(1), Barrier, Count(0)],
        &acquired,
        MissingOrdering::Nothing,
    );
    check(shared, &[Count(1)], &acquired, MissingOrdering::Release);
    check(
        shared,
        &[Count(1), Await(1)],
        &acquired,
        MissingOrdering::Release,
    );
    check(
        shared,
        &[Await(0), Barrier, Count(0)],
        &acquired,
        MissingOrdering::Release,
    );
    check(
        shared,
        &[Await(1), Count(0), Barrier],
        &acquired,
        MissingOrdering::Release,
    );
    check(shared, &[Await(1)], &acquired, MissingOrdering::Order);
}

#[test]
fn dies_flush() {
    let acquired = [Count(0), Do(0, EMPTY)];
    let isa = Isa::Gfx942;
    check(
        isa,
        &[Await(1), Count(1)],
        &acquired,
        MissingOrdering::Release,
    );
    check(
        isa,
        &[Do(1, FLUSH), Await(1), Count(1)],
        &acquired,
        MissingOrdering::Nothing,
    );
    check(
        isa,
        &[Await(1), Do(1, FLUSH), Count(1)],
        &acquired,
        MissingOrdering::Nothing,
    );
    check(
        isa,
        &[Do(1, FLUSH), Count(1)],
        &acquired,
        MissingOrdering::Release,
    );
    // Another wave may flush stores that it knows to have arrived.
    check(
        isa,
        &[Await(1), Barrier, Do(0, FLUSH), Count(0)],
        &acquired,
        MissingOrdering::Nothing,
    );
    check(
        isa,
        &[Await(1), Do(0, FLUSH), Barrier, Count(0)],
        &acquired,
        MissingOrdering::Release,
    );
}

#[test]
fn an_invalidation_of_all_caches_acquires() {
    let released = [Await(1), Count(1)];
    let [first, second] = [
        Do(0, CacheEffect::Invalidate(1)),
        Do(0, CacheEffect::Invalidate(2)),
    ];
    let isa = Isa::Gfx1030;
    check(isa, &released, &[Count(0)], MissingOrdering::Acquire);
    check(
        isa,
        &released,
        &[Do(0, EMPTY), Count(0)],
        MissingOrdering::Acquire,
    );
    check(isa, &released, &[Count(0), first], MissingOrdering::Acquire);
    check(
        isa,
        &released,
        &[second, Count(0), first],
        MissingOrdering::Acquire,
    );
    check(
        isa,
        &released,
        &[Count(0), second, first],
        MissingOrdering::Nothing,
    );
    check(isa, &released, &[Do(0, EMPTY)], MissingOrdering::Order);
    // A barrier passes on a value, or an acquire, of another wave.
    check(
        isa,
        &released,
        &[Count(1), Barrier],
        MissingOrdering::Acquire,
    );
    check(
        isa,
        &released,
        &[Count(1), Barrier, Do(0, EMPTY)],
        MissingOrdering::Nothing,
    );
    check(
        isa,
        &released,
        &[Count(1), Do(1, EMPTY), Barrier],
        MissingOrdering::Nothing,
    );
    check(
        isa,
        &released,
        &[Count(1), Do(1, EMPTY)],
        MissingOrdering::Order,
    );
}

#[test]
fn acquired_writes_are_passed_on() {
    let mut all = HappensBefore::new(Isa::Gfx90a, true);
    all.begin(0, 1);
    let generation = all.store(0);
    all.wait(0, STORES);
    all.atomic(0, 1, false);
    all.begin(1, 1);
    all.atomic(0, 1, true);
    all.scope(0, EMPTY);
    all.atomic(0, 2, false);
    all.begin(2, 1);
    all.atomic(0, 2, true);
    assert_eq!(all.check(0, (0, 0), generation), MissingOrdering::Acquire);
    all.scope(0, EMPTY);
    assert_eq!(all.check(0, (0, 0), generation), MissingOrdering::Nothing);
    // The reader of a flag sees the releases of its writer.
    all.begin(3, 1);
    all.flag(0, 0);
    all.scope(0, EMPTY);
    assert_eq!(all.check(0, (0, 0), generation), MissingOrdering::Nothing);
}

#[test]
fn an_uncached_load_sees_published_writes() {
    let mut all = HappensBefore::new(Isa::Gfx90a, true);
    let publish = |all: &mut HappensBefore| {
        let generation = all.store(0);
        all.wait(0, STORES);
        all.atomic(0, COUNTER, false);
        generation
    };
    all.begin(0, 1);
    let early = publish(&mut all);
    let author = all.suspend();
    all.begin(1, 1);
    all.look(0, COUNTER + 4);
    all.scope(0, EMPTY);
    assert_eq!(all.check(0, (0, 0), early), MissingOrdering::Order);
    all.look(0, COUNTER);
    assert_eq!(all.check(0, (0, 0), early), MissingOrdering::Acquire);
    all.scope(0, EMPTY);
    assert_eq!(all.check(0, (0, 0), early), MissingOrdering::Nothing);
    let reader = all.suspend();
    all.resume(author);
    let late = publish(&mut all);
    let author = all.suspend();
    all.resume(reader);
    assert_eq!(all.check(0, (0, 0), early), MissingOrdering::Nothing);
    assert_eq!(all.check(0, (0, 0), late), MissingOrdering::Release);
    all.scope(0, EMPTY);
    assert_eq!(all.check(0, (0, 0), late), MissingOrdering::Release);
    all.look(0, COUNTER);
    all.scope(0, EMPTY);
    assert_eq!(all.check(0, (0, 0), late), MissingOrdering::Nothing);
    // The reader does not see later stores of the other workgroup.
    let reader = all.suspend();
    all.resume(author);
    let unpublished = all.store(0);
    all.wait(0, STORES);
    let author = all.suspend();
    all.resume(reader);
    all.look(0, COUNTER);
    all.scope(0, EMPTY);
    assert_eq!(all.check(0, (0, 0), unpublished), MissingOrdering::Release);
    // A flag publishes the releases up to its workgroup's suspension.
    all.flag(0, 0);
    all.scope(0, EMPTY);
    assert_eq!(all.check(0, (0, 0), unpublished), MissingOrdering::Nothing);
    drop(author);
}
