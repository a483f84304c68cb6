use super::ViewSource;
use crate::Problem;

/// Checks the view of a problem's only operand against a loop over all positions.
#[track_caller]
fn check(dimensions: &str, view: &str, text: &str, sizes: &[u32], reached: u64) {
    let problem = format!("dot:{dimensions}xf32,f32({view})");
    let problem: Problem = problem.parse().unwrap();
    let canonical = format!("dot:{dimensions}xf32,f32{text}");
    assert_eq!(problem.to_string(), canonical);
    let shape = &problem.shape;
    let operand = &problem.operands()[0];
    assert_eq!(operand.sizes(shape).as_slice(), sizes);
    let elements: u64 = sizes.iter().map(|&size| u64::from(size)).product();
    assert_eq!(operand.elements(shape), elements);
    let compulsory = problem.compulsory_bytes() - problem.output_bytes() - problem.input_bytes();
    assert_eq!(compulsory, reached * 4);
    let Some(view) = &operand.view else {
        assert_eq!(reached, elements);
        return;
    };
    let mut found = vec![false; elements as usize];
    for number in 0..shape.elements() {
        let (mut left, mut at) = (number, vec![0; shape.rank()]);
        for d in (0..shape.rank()).rev() {
            let size = u64::from(shape.sizes()[d]);
            at[d] = (left % size) as i64;
            left /= size;
        }
        let element = view
            .along()
            .iter()
            .zip(sizes)
            .try_fold(0, |number, (along, &size)| {
                let ViewSource::Dimension(d) = along.by else {
                    panic!("{along:?}")
                };
                let factor = if along.is_reversed { -1 } else { 1 };
                let place = factor * at[d] + i64::from(along.offset);
                (0..i64::from(size))
                    .contains(&place)
                    .then(|| number * i64::from(size) + place)
            });
        if let Some(element) = element {
            found[element as usize] = true;
        }
    }
    let found = found.iter().filter(|it| **it).count();
    assert_eq!(found as u64, reached);
}

#[test]
fn views_have_one_text() {
    check("6x[8]", "0,1", "", &[6, 8], 48);
    check("6x[8]", "1,0:6", "(1,0)", &[8, 6], 48);
    check("6x[8]", "0+0,1-0:8", "", &[6, 8], 48);
    check("6x[8]", "0,1-2:5", "(0,1-2:5)", &[6, 5], 30);
    check("6x[8]", "0,1-2:4=1", "(0,1-2:4=1.0)", &[6, 4], 24);
    check("6x[8]", "0,1-2:4=-0.0", "(0,1-2:4=-0.0)", &[6, 4], 24);
    check("6x[8]", "0,1-2:4=0", "(0,1-2:4)", &[6, 4], 24);
    check("6x[8]", "0,1+2:10=7", "(0,1+2:10)", &[6, 10], 48);
    check("6x[8]", "0,1-2:9", "(0,1-2:9)", &[6, 9], 36);
    check("6x[8]", "1-2:9,0+1", "(1-2:9,0+1)", &[9, 6], 30);
    check("6x[8]", "0,-1+7", "(0,-1+7)", &[6, 8], 48);
    check("6x[8]", "-0+5,-1+3:4", "(-0+5,-1+3:4)", &[6, 4], 24);
    check("6x[8]", "-1+20:100", "(-1+20:100)", &[100], 8);
    check("1x[8]", "-0+3:9,1", "(0+3:9,1)", &[9, 8], 8);
    check("6x[8]", "", "()", &[], 1);
    check("6x[8]", "=3", "()", &[], 1);
}

/// Checks the bytes of each plain input, and of a gathered one at most one element per index.
#[test]
fn gathered_tensors_have_their_sizes() {
    #[track_caller]
    fn check(text: &str, bytes: [u64; 2], compulsory: u64) {
        let problem: Problem = text.parse().unwrap();
        assert_eq!(problem.to_string(), text);
        let found = [problem.input_bytes(), problem.operand_bytes()];
        assert_eq!(found, bytes);
        let moved = problem.compulsory_bytes() - problem.output_bytes();
        assert_eq!(moved, compulsory);
    }
    let rows = 64 * 10 * 768 * 4;
    check(
        "sum:64x[10]x768xf32(@1:50000,2),i32(0,1)",
        [50000 * 768 * 4, 64 * 10 * 4],
        rows + 64 * 10 * 4,
    );
    check(
        "sum:64x[10]x768xf32(@1:500,2),i64(0,1)",
        [500 * 768 * 4, 5120],
        500 * 768 * 4 + 5120,
    );
    check(
        "sum(arith.extf(1,f32)):[90]xi32,f16(@0-7:20=1.0)",
        [360, 40],
        360 + 40,
    );
    check(
        "sum(2=arith.sitofp(1,f32);arith.mulf(0,2)):6x[90]xf32(1),index(0)",
        [360, 0],
        360,
    );
}
