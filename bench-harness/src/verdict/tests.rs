//! Tests of verdicts that are independent of the operation.

use super::*;

const POISONED: i32 = i32::from_ne_bytes([POISON; 4]);

/// Checks that the weaker verdict of two launches counts, in any order.
#[test]
fn an_index_that_differs_is_more_than_a_sign() {
    let difference = |row| Difference {
        row,
        pattern: None,
        given: Vec::new(),
        expected: String::new(),
        found: String::new(),
    };
    let (right, sign, index) = (
        || Verdict::Right(0.0),
        || Verdict::SignOfZeroDiffers(difference(1)),
        || Verdict::TieIndexDiffers(difference(2)),
    );
    assert_eq!(right().of_both(sign()), sign());
    assert_eq!(sign().of_both(right()), sign());
    assert_eq!(Verdict::Right(0.5).of_both(right()), Verdict::Right(0.5));
    assert_eq!(sign().of_both(index()), index());
    assert_eq!(index().of_both(sign()), index());
    // The first of two equal verdicts counts.
    assert_eq!(
        Verdict::TieIndexDiffers(difference(1)).of_both(index()),
        Verdict::TieIndexDiffers(difference(1))
    );
}

#[test]
fn rows_of_other_workgroups_are_left_alone() {
    let inputs = Inputs::new(&"argmax:4x[50]xf32".parse().unwrap(), 3).unwrap();
    // The expected row is the first that lost its poison in either output.
    #[track_caller]
    fn check(inputs: &Inputs, written: &[usize], expected: Option<u64>) {
        for into_values in [false, true] {
            let (mut values, mut indices) = ([POISONED; 4], [POISONED; 4]);
            for &row in written {
                let output = if into_values {
                    &mut values
                } else {
                    &mut indices
                };
                output[row] = 1;
            }
            let outputs = [&values, &indices].map(|it| bytemuck::cast_slice(it).into());
            let outputs = Outputs(outputs.into());
            let found = stray_write(inputs, &outputs, &[0..1, 2..3]);
            assert_eq!(found.map(|difference| difference.row), expected);
        }
    }
    check(&inputs, &[0, 2], None);
    check(&inputs, &[0, 2, 3], Some(3));
    check(&inputs, &[0, 1, 2, 3], Some(1));
}

/// Checks outputs with an element per element of the problem, if the elements of a row lie apart.
/// Rows that are not computed must keep their poison; others need not.
#[test]
fn elements_of_rows_that_are_not_computed_are_looked_at() {
    #[track_caller]
    fn check(problem: &str, row_of: impl Fn(usize) -> u64) {
        let inputs = Inputs::new(&problem.parse().unwrap(), 3).unwrap();
        let bytes = inputs.problem().output_bytes() as usize;
        for place in 0..bytes {
            let mut tensor = vec![POISON; bytes];
            tensor[place] = 0;
            let outputs = Outputs(vec![tensor.into()]);
            let found = stray_write(&inputs, &outputs, &[1..3, 5..6]);
            let row = row_of(place / 4);
            let expected = (![1, 2, 5].contains(&row)).then_some(row);
            assert_eq!(found.map(|it| it.row), expected, "{problem} {place}");
        }
    }
    check("softmax:2x[3]x4xf32", |place| {
        (place / 12 * 4 + place % 4) as u64
    });
    check("softmax:[3]x8xf32", |place| (place % 8) as u64);
    check("softmax:8x[3]xf32:pitch=5", |place| (place / 3) as u64);
    check("softmax:[2]x4x[3]x2xf32", |place| {
        (place % 24 / 6 * 2 + place % 2) as u64
    });
}

/// Checks a kernel that computes only some rows: it is correct for these rows, and wrong if it
/// leaves one of them unwritten.
#[test]
fn rows_that_lie_apart_are_compared_alone() {
    let inputs = Inputs::new(&"softmax:2x[3]x4xf16".parse().unwrap(), 3).unwrap();
    let launch = &inputs.launches()[0];
    let outputs = Outputs(vec![vec![POISON; 48].into()]);
    let none = compare(&inputs, launch, &outputs, &[]);
    assert_eq!(none, Verdict::Right(0.0));
    let Verdict::Wrong(difference) = compare(&inputs, launch, &outputs, &[0..2, 4..8]) else {
        panic!("nothing was written")
    };
    let found = (difference.row, &*difference.found);
    assert_eq!(found, (0, "nothing (the output was not written)"));
}

#[test]
fn the_first_byte_without_its_poison_is_found() {
    #[track_caller]
    fn check(length: usize, written: &[usize]) {
        let mut bytes = vec![POISON; length];
        for &place in written {
            bytes[place] = 0;
        }
        assert_eq!(touched(&bytes), written.first().copied());
    }
    check(0, &[]);
    check(20_000, &[]);
    check(20_000, &[0, 1]);
    check(20_000, &[4095, 4096]);
    check(20_000, &[8200, 19_999]);
    check(20_000, &[19_999]);
}

/// Checks the rows that must keep their poison: all in a small output, and in a large one those
/// beside the computed ranges and at both ends.
#[test]
fn guarded_rows_of_outputs() {
    let guarded = |problem: &str, computed: &[Range<u64>]| {
        let problem = problem.parse().unwrap();
        guarded_rows(&problem, computed)
    };
    let computed = [1..3, 5..6];
    assert_eq!(guarded("softmax:8x[3]xf32", &computed), [0..1, 3..5, 6..8]);
    let large = guarded("softmax:4096x[131072]xf32", &[0..2, 2048..2050, 4094..4096]);
    assert_eq!(large, [2..34, 2016..2048, 2050..2082, 4062..4094]);
    let none = guarded(
        "softmax:4096x[131072]xf32",
        std::slice::from_ref(&(0..4096)),
    );
    assert!(none.is_empty());
}
