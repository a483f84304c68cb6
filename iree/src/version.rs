//! The version of this generator. It distinguishes measurements of kernels that iree-compile
//! compiled from different input.

use std::sync::OnceLock;

use configgen::{Configuration, Problem, Target};

use super::MlirModule;
use super::compiler::{HOST_OPTIONS, options};

/// The specimens. Together they have every comparison with every element and index type, several
/// ranks, every index mode, and plain reductions.
const PROBLEMS: [&str; 22] = [
    "argmax:4x[32000]xf64:i64",
    "argmax:[50257]xf32",
    "argmax:300x[1000]xf16:i64",
    "argmax:[21]x513xbf16",
    "argmax:2x[21]x513xi64:i64",
    "argmax:[1]xi32",
    "argmax:1x[64]xi16:i64",
    "argmax:7x[3]xi8",
    "argmin:4x[32000]xf64",
    "argmin:[50257]xf32:i64",
    "argmin:300x[1000]xf16",
    "argmin:[21]x513xbf16:i64",
    "argmin:2x[21]x513xi64",
    "argmin:[1]xi32:i64",
    "argmin:1x[64]xi16",
    "argmin:7x[3]xi8:i64",
    "argmax:4x[64]xf32:i32:index_base",
    "argmax:4x[64]xf32:i64:explicit_index",
    "argmax_nan:4x[64]xf32",
    "sum:[21]x513xbf16",
    "xor:4x[64]xi32",
    "usum:7x[30]x9xi8",
];

/// A problem and its configuration, in IREE's syntax.
const CONFIGURED: (&str, &str) = (
    "argmax:4x[32000]xf32",
    "#iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 0], \
     partial_reduction = [0, 1280], thread = [0, 4], lane_basis = [[1, 64], [0, 1]], \
     subgroup_basis = [[1, 1], [0, 1]]}>, translation_info = <pipeline = \
     #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1] subgroup_size = 64>>",
);

/// Returns the version of the generator: this crate's version and a hash. The hash differs if the
/// module of a specimen or the options of iree-compile change. It is part of every measurement's
/// provenance, as is the compiler's version.
pub fn generator_version() -> &'static str {
    static VERSION: OnceLock<String> = OnceLock::new();
    VERSION.get_or_init(|| {
        let target = Target::named("gfx942").expect("a test builds every specimen");
        let mut hasher = blake3::Hasher::new();
        for option in HOST_OPTIONS
            .map(str::to_owned)
            .iter()
            .chain(&options(target))
        {
            hasher.update(option.as_bytes()).update(b"\0");
        }
        for module in specimens() {
            // The zero byte separates the texts, so that their borders count.
            hasher.update(module.as_bytes()).update(b"\0");
        }
        let hash = hasher.finalize().to_hex();
        format!("{}+{}", env!("CARGO_PKG_VERSION"), &hash[..12])
    })
}

/// Returns the modules of the specimens.
fn specimens() -> Vec<String> {
    let (configured, configuration) = CONFIGURED;
    let configuration: Configuration = configuration.parse().expect("a test builds every specimen");
    PROBLEMS
        .iter()
        .map(|&problem| (problem, None))
        .chain([(configured, Some(&configuration))])
        .map(|(problem, configuration)| {
            let problem: Problem = problem.parse().expect("a test builds every specimen");
            let module = MlirModule::new(&problem, configuration);
            module.expect("a test builds every specimen").to_string()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn specimens_have_every_type_and_a_configuration() {
        let modules = specimens();
        let distinct: HashSet<&String> = modules.iter().collect();
        assert_eq!(distinct.len(), PROBLEMS.len() + 1);
        assert!(
            modules
                .iter()
                .any(|module| module.contains("compilation_info"))
        );
        let comparators: HashSet<_> = PROBLEMS
            .iter()
            .map(|problem| problem.parse::<Problem>().unwrap())
            .filter_map(|problem| Some(problem.arg_compare()?.comparator.clone()))
            .collect();
        assert_eq!(comparators.len(), 2 * 8 + 1);
    }

    #[test]
    fn the_version_names_the_crate_and_a_hash() {
        let (version, hash) = generator_version().split_once('+').unwrap();
        assert_eq!(version, env!("CARGO_PKG_VERSION"));
        assert_eq!(hash.len(), 12);
        assert_ne!(generator_version(), codegen::native::generator_version());
    }
}
