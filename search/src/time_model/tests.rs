//! Tests of the stored time model.

use configgen::{Device, Generator, Space};

use super::shortest;

/// Checks that the stored trees are a model. Its first choice for an unseen row keeps the whole
/// row in the registers of one workgroup.
#[test]
fn the_time_model_knows_rows_of_no_power_of_two() {
    let problem = "rms_norm:20x[3456]xbf16".parse().unwrap();
    let device = Device::named("mi300x").unwrap();
    let space = Space::new(&problem, device.target(), Generator::NATIVE);
    let first = shortest(&space, &problem, device)[0];
    let first = space.nth(first).unwrap();
    assert_eq!(first.knobs.split, 1);
    assert_eq!(first.lowering.partial_reduction[1], 3584, "{first}");
}
