//! Texts for people, on the command line and over HTTP alike.

use configgen::{Configuration, Knobs};

/// Formats a configuration as one short line.
pub fn short(configuration: &Configuration) -> String {
    let lowering = &configuration.lowering;
    let knobs = match configuration.knobs {
        Knobs::DEFAULT => String::new(),
        knobs => format!(", {knobs}"),
    };
    format!(
        "workgroup {:?}, partial_reduction {:?}, thread {:?}, lanes {:?}{}, subgroups {:?}{}, {} threads{}",
        &lowering.workgroup[..],
        &lowering.partial_reduction[..],
        &lowering.thread[..],
        &lowering.lane_basis.counts[..],
        permutation(&lowering.lane_basis.mapping),
        &lowering.subgroup_basis.counts[..],
        permutation(&lowering.subgroup_basis.mapping),
        configuration
            .workgroup_size
            .iter()
            .map(|&size| u128::from(size))
            .product::<u128>(),
        knobs,
    )
}

/// Formats a mapping, unless it is the identity.
fn permutation(mapping: &[u8]) -> String {
    let identity = mapping
        .iter()
        .enumerate()
        .all(|(j, &d)| j == usize::from(d));
    if identity {
        String::new()
    } else {
        format!(" mapped {mapping:?}")
    }
}
