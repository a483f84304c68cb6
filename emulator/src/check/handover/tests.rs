//! Who may read what others wrote, step by step.

use super::*;

const STORES: Wait = Wait {
    load: 0,
    store: 0,
    lds: Wait::ANY,
    scalar: Wait::ANY,
};
const COUNTER: u64 = 0x1000;

/// What a step does, by which wave.
#[derive(Clone, Copy)]
enum Step {
    Await(usize),
    Do(usize, Scope),
    Count(usize),
    Barrier,
}
use Step::*;

const FLUSH: Scope = Scope::Flush;
const EMPTY: Scope = Scope::Invalidate(ALL);

/// Wave 1 of workgroup 0 stores and the steps `before` follow; wave 0 of workgroup 1 makes the steps `after`, and
/// reads what was stored.
#[track_caller]
fn check(isa: Isa, before: &[Step], after: &[Step], expected: Missing) {
    let mut all = Handover::new(isa, true);
    let step = |all: &mut Handover, step: &Step| match *step {
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
    check(shared, &[Await(1), Count(1)], &acquired, Missing::Nothing);
    check(
        shared,
        &[Await(1), Barrier, Count(0)],
        &acquired,
        Missing::Nothing,
    );
    check(shared, &[Count(1)], &acquired, Missing::Release);
    check(shared, &[Count(1), Await(1)], &acquired, Missing::Release);
    check(
        shared,
        &[Await(0), Barrier, Count(0)],
        &acquired,
        Missing::Release,
    );
    check(
        shared,
        &[Await(1), Count(0), Barrier],
        &acquired,
        Missing::Release,
    );
    check(shared, &[Await(1)], &acquired, Missing::Order);
}

#[test]
fn dies_flush() {
    let acquired = [Count(0), Do(0, EMPTY)];
    let isa = Isa::Gfx942;
    check(isa, &[Await(1), Count(1)], &acquired, Missing::Release);
    check(
        isa,
        &[Do(1, FLUSH), Await(1), Count(1)],
        &acquired,
        Missing::Nothing,
    );
    check(
        isa,
        &[Await(1), Do(1, FLUSH), Count(1)],
        &acquired,
        Missing::Nothing,
    );
    check(isa, &[Do(1, FLUSH), Count(1)], &acquired, Missing::Release);
    // Another wave may flush what it knows to be there.
    check(
        isa,
        &[Await(1), Barrier, Do(0, FLUSH), Count(0)],
        &acquired,
        Missing::Nothing,
    );
    check(
        isa,
        &[Await(1), Do(0, FLUSH), Barrier, Count(0)],
        &acquired,
        Missing::Release,
    );
}

#[test]
fn what_was_seen_is_acquired_by_emptying_all_caches() {
    let released = [Await(1), Count(1)];
    let [first, second] = [Do(0, Scope::Invalidate(1)), Do(0, Scope::Invalidate(2))];
    let isa = Isa::Gfx1030;
    check(isa, &released, &[Count(0)], Missing::Acquire);
    check(isa, &released, &[Do(0, EMPTY), Count(0)], Missing::Acquire);
    check(isa, &released, &[Count(0), first], Missing::Acquire);
    check(isa, &released, &[second, Count(0), first], Missing::Acquire);
    check(isa, &released, &[Count(0), second, first], Missing::Nothing);
    check(isa, &released, &[Do(0, EMPTY)], Missing::Order);
    // Of another wave, by way of a barrier: the value, or what was acquired.
    check(isa, &released, &[Count(1), Barrier], Missing::Acquire);
    check(
        isa,
        &released,
        &[Count(1), Barrier, Do(0, EMPTY)],
        Missing::Nothing,
    );
    check(
        isa,
        &released,
        &[Count(1), Do(1, EMPTY), Barrier],
        Missing::Nothing,
    );
    check(isa, &released, &[Count(1), Do(1, EMPTY)], Missing::Order);
}

#[test]
fn what_was_acquired_is_passed_on() {
    let mut all = Handover::new(Isa::Gfx90a, true);
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
    assert_eq!(all.check(0, (0, 0), generation), Missing::Acquire);
    all.scope(0, EMPTY);
    assert_eq!(all.check(0, (0, 0), generation), Missing::Nothing);
    // A flag's reader sees what its writer released.
    all.begin(3, 1);
    all.flag(0, 0);
    all.scope(0, EMPTY);
    assert_eq!(all.check(0, (0, 0), generation), Missing::Nothing);
}

#[test]
fn a_load_past_the_caches_sees_what_was_published_until_then() {
    let mut all = Handover::new(Isa::Gfx90a, true);
    let publish = |all: &mut Handover| {
        let generation = all.store(0);
        all.wait(0, STORES);
        all.atomic(0, COUNTER, false);
        generation
    };
    all.begin(0, 1);
    let early = publish(&mut all);
    let author = all.set_aside();
    all.begin(1, 1);
    all.look(0, COUNTER + 4);
    all.scope(0, EMPTY);
    assert_eq!(all.check(0, (0, 0), early), Missing::Order);
    all.look(0, COUNTER);
    assert_eq!(all.check(0, (0, 0), early), Missing::Acquire);
    all.scope(0, EMPTY);
    assert_eq!(all.check(0, (0, 0), early), Missing::Nothing);
    let reader = all.set_aside();
    all.resume(author);
    let late = publish(&mut all);
    let author = all.set_aside();
    all.resume(reader);
    assert_eq!(all.check(0, (0, 0), early), Missing::Nothing);
    assert_eq!(all.check(0, (0, 0), late), Missing::Release);
    all.scope(0, EMPTY);
    assert_eq!(all.check(0, (0, 0), late), Missing::Release);
    all.look(0, COUNTER);
    all.scope(0, EMPTY);
    assert_eq!(all.check(0, (0, 0), late), Missing::Nothing);
    // Nobody looks at what the other one stored since.
    let reader = all.set_aside();
    all.resume(author);
    let unpublished = all.store(0);
    all.wait(0, STORES);
    let author = all.set_aside();
    all.resume(reader);
    all.look(0, COUNTER);
    all.scope(0, EMPTY);
    assert_eq!(all.check(0, (0, 0), unpublished), Missing::Release);
    // A flag tells of what was released when its workgroup was set aside.
    all.flag(0, 0);
    all.scope(0, EMPTY);
    assert_eq!(all.check(0, (0, 0), unpublished), Missing::Nothing);
    drop(author);
}
