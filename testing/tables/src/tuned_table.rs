//! A table as wavetune writes it.

use configgen::{Generator, Problem, Target, native_default};
use lookup_table::{NewEntry, Status, TableWriter};

/// The problems in the table, in their canonical spelling.
pub const TUNED: [&str; 3] = [
    "argmax:4x[32000]xf32:i32",
    "argmax:4x[4096]xf32:i32",
    "argmin:2x[512]xf16:i32",
];

const PROVENANCE: &str = r#"{"device":"emulated:mi300x","driver":"none","compiler":"LLVM","compiler_version":"22.1.8","generator_version":"1","clock":"modelled","input_seed":1,"samples":1,"timing":"modelled","when":"2026-11-24T00:00:00Z"}"#;

/// Returns a table for gfx942 with the times 5, 6 and 7 µs in the order of the problems.
pub fn table(family: fn(&Problem) -> String) -> Vec<u8> {
    let target = Target::named("gfx942").unwrap();
    let mut writer = TableWriter::new();
    writer.metadatum("target", "gfx942").unwrap();
    for (number, text) in TUNED.iter().enumerate() {
        let problem: Problem = text.parse().unwrap();
        // Keys are canonical spellings; a reader would never find another.
        assert_eq!(problem.to_string(), *text);
        let configuration = native_default(&problem, target).unwrap();
        configgen::check(&problem, target, Generator::NATIVE, &configuration).unwrap();
        let sizes: Vec<u64> = problem
            .shape
            .sizes()
            .iter()
            .map(|&size| size.into())
            .collect();
        writer
            .add(&NewEntry {
                key: &format!("{problem}\0{target}"),
                configuration: &serde_json::to_string(&configuration).unwrap(),
                attributes: "",
                generator: "native",
                status: Status::Right,
                time_us: 5.0 + number as f64,
                default_time_us: Some(9.0),
                bound_us: None,
                study: 1,
                ordinal: 3,
                provenance: PROVENANCE,
                family: &format!("{}\0{target}", family(&problem)),
                sizes: &sizes,
            })
            .unwrap();
    }
    writer.to_bytes().unwrap()
}
