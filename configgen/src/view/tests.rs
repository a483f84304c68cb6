use crate::Problem;

/// The view of the only operand of a problem of these dimensions, against a loop over all places.
#[track_caller]
fn check(dimensions: &str, view: &str, text: &str, sizes: &[u32], reached: u64) {
    let problem = format!("dot:{dimensions}xf32,f32({view})");
    let problem: Problem = problem.parse().unwrap();
    assert_eq!(
        problem.to_string(),
        format!("dot:{dimensions}xf32,f32{text}")
    );
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
        let mut left = number;
        let mut at: Vec<u64> = (shape.sizes().iter().rev())
            .map(|&size| {
                let place = left % u64::from(size);
                left /= u64::from(size);
                place
            })
            .collect();
        at.reverse();
        if let Some(element) = view.element(shape, &at) {
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
