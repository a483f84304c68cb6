//! Tests of plain reductions.

use super::*;

fn folds() -> impl Iterator<Item = Fold> {
    let elements = ElementType::ALL.into_iter();
    let pairs = elements.flat_map(|element| Combining::ALL.map(|combining| (combining, element)));
    let readings = pairs.flat_map(|pair| [false, true].map(|unsigned| (pair, unsigned)));
    readings.flat_map(|((combining, element), unsigned)| {
        let accumulators = Fold::accumulators(combining, element).iter();
        let of = move |it: &ElementType| Fold::new(combining, element, unsigned, Some(*it)).ok();
        accumulators.filter_map(of)
    })
}

/// Returns bits of many kinds.
fn samples(kind: ScalarType) -> Vec<u64> {
    let all = (0..64).map(|n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17));
    let special = [0, 1, kind.mask(), kind.sign_bit(), kind.sign_bit() - 1];
    let kept = all.chain(special).map(|bits| bits & kind.mask());
    kept.filter(|&bits| !kind.is_nan(bits)).collect()
}

#[test]
fn identities_and_idempotence() {
    let mut seen = 0;
    for fold in folds() {
        let kind = ScalarType::from(fold.accumulator);
        for bits in samples(kind) {
            let same = |found: u64| match kind.is_float() {
                true => kind.to_f64(found) == kind.to_f64(bits),
                false => found == bits,
            };
            assert!(
                same(fold.combine(fold.identity(), bits)),
                "{fold:?} {bits:#x}"
            );
            assert!(
                same(fold.combine(bits, fold.identity())),
                "{fold:?} {bits:#x}"
            );
            if fold.combining.is_idempotent() {
                assert_eq!(fold.combine(bits, bits), bits, "{fold:?}");
            }
            seen += 1;
        }
    }
    assert!(seen > 3000, "{seen}");
}

#[test]
fn exact_folds_have_one_result_in_any_order() {
    for fold in folds().filter(|it| it.combining.is_exact(it.accumulator)) {
        let all = samples(fold.accumulator.into());
        for three in all.windows(3) {
            let [a, b, c] = [three[0], three[1], three[2]];
            let left = fold.combine(fold.combine(a, b), c);
            let right = fold.combine(a, fold.combine(b, c));
            let turned = fold.combine(fold.combine(c, a), b);
            assert_eq!((left, left), (right, turned), "{fold:?} {three:x?}");
        }
    }
}

#[test]
fn elements_are_widened_exactly() {
    #[track_caller]
    fn check(combining: Combining, element: ElementType, unsigned: bool, from: u64, to: u64) {
        let fold = Fold::new(combining, element, unsigned, None).unwrap();
        assert_eq!(fold.widened(from), to);
    }
    use {Combining::*, ElementType::*};
    check(Sum, I8, false, 0xff, 0xffff_ffff);
    check(Sum, I8, true, 0xff, 0xff);
    check(Sum, I1, false, 1, 1);
    check(Product, I16, false, 0x8000, 0xffff_8000);
    check(Sum, F16, false, 0xbc00, 0xbf80_0000);
    check(Sum, Bf16, false, 0x3f80, 0x3f80_0000);
    check(Max, I8, true, 0xff, 0xff);
}
