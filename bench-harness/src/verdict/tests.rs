//! What of outputs is seen whatever the operation is.

use super::*;

const POISONED: i32 = i32::from_ne_bytes([POISON; 4]);

/// Of a kernel that is not wrong, what promises least is told, in whichever order it is found.
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
    // The first of two that promise as much.
    assert_eq!(
        Verdict::TieIndexDiffers(difference(1)).of_both(index()),
        Verdict::TieIndexDiffers(difference(1))
    );
}

#[test]
fn rows_of_other_workgroups_are_left_alone() {
    let inputs = Inputs::new(&"argmax:4x[50]xf32".parse().unwrap(), 3).unwrap();
    // The first row that lost its poison, of those that are written, in the one output or the other.
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
