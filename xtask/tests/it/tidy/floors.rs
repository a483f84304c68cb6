//! The imports between modules of a crate, as `MAY_KNOW` has those between crates.

use std::collections::BTreeMap;

use crate::tidy::circles::{Circle, Folders};
use crate::tidy::imports::Modules;

/// The allowed imports in a crate.
struct Floors {
    name: &'static str,
    /// The modules of its first level. Each imports only those before it, but for circles.
    order: &'static str,
    circles: &'static [Allowed],
}

/// An existing circle: its folder, its members, and the reason.
type Allowed = (&'static str, &'static str, Why);

#[derive(Clone, Copy, PartialEq)]
enum Why {
    /// Its modules are parts of one idea, each with a file for the reader's sake.
    OneIdea,
    /// It is a fault.
    ToBeOpened,
}
use Why::{OneIdea, ToBeOpened};

const FLOORS: &[Floors] = &[
    Floors {
        name: "configgen",
        order: "clock seeded_random element knobs target comparator literal shape index_map view function summation reduction problem linalg \
                configuration device attribute scalars canonical pipeline legality space_contents generator layout space fit",
        circles: &[
            ("comparator::canonical", "graph relation", OneIdea),
            ("comparator::mlir", "block generic", OneIdea),
        ],
    },
    Floors {
        name: "gpu/emulator",
        order: "error isa bundle address image undefined_bytes allocation_storage operation concurrent_memory memory instruction families program \
                code_object execute effects hazards loaded_code_object instruction_mix launch load_observer check profile model version",
        circles: &[
            // A matrix instruction has operands of its own and is a fact of the encoding.
            ("families::encoding", "facts matrix operands", OneIdea),
        ],
    },
    Floors {
        name: "testing/attribute",
        order: "",
        circles: &[],
    },
    Floors {
        name: "testing",
        order: "fixed_work json_mutation hip llvm log program random suite",
        circles: &[],
    },
    Floors {
        name: "testing/problems",
        order: "",
        circles: &[],
    },
    Floors {
        name: "testing/tables",
        order: "transcript samples damage mutation tuned_table",
        circles: &[],
    },
    Floors {
        name: "testing/sqlite",
        order: "",
        circles: &[],
    },
    Floors {
        name: "testing/agent",
        order: "",
        circles: &[],
    },
    Floors {
        name: "xtask/workspace-hack",
        order: "",
        circles: &[],
    },
    Floors {
        name: "xtask",
        order: "help step workspace files git test_times quick_sample test_cache child one_pass unit_tests compile_times test_runner object_cleanup affected_tests program_build deny check tools doctor setup table screenshots share book release sqlx bench train demo mutants test",
        circles: &[],
    },
    Floors {
        name: "codegen/sandbox",
        order: "error policy",
        circles: &[],
    },
    Floors {
        name: "codegen/object-cache",
        order: "files command",
        circles: &[],
    },
    Floors {
        name: "codegen",
        order: "child_process llvm tiling kernel link tools native",
        circles: &[],
    },
    Floors {
        name: "iree",
        order: "mlir arg_compare_operation generic row_kernel spec error module launch launch_check executable outcome output_cache compiler lowered_module \
                whole_module lowering import runtime gpu_trace split stage version",
        circles: &[],
    },
    Floors {
        name: "bench-harness",
        order: "machine lower_bound calibration addressing timing packed_elements numbers operation arg_compare fold map rowwise inputs launch_part verdict device launch_counts \
                kernarg hang_limit bench emulator_device evaluator hip",
        circles: &[("hip", "device event_timing", OneIdea)],
    },
    Floors {
        name: "gpu/hip-library",
        order: "error known_times unknown_time ffi mapping handles memory copy pitched_copy module launch journal device properties image clock event command \
                stream graph pool cache_contents time state command_execution synchronization submission registry calls",
        circles: &[],
    },
    Floors {
        name: "migrations",
        order: "",
        circles: &[],
    },
    Floors {
        name: "store",
        order: "provenance ties study trial unreadable points page error wish finals validation ledger catalogue portion records scope token \
                tokens runs models store merge",
        circles: &[],
    },
    Floors {
        name: "testing/shared-server",
        order: "",
        circles: &[],
    },
    Floors {
        name: "testing/nats",
        order: "",
        circles: &[],
    },
    Floors {
        name: "testing/postgres",
        order: "cluster database",
        circles: &[],
    },
    Floors {
        name: "store/relational",
        order: "features task row import wish_buffer",
        circles: &[],
    },
    Floors {
        name: "testing/store-contract",
        order: "samples studies ledger sharing changes wishes locks study_list trial_list deletion merging errors pruning \
                runs directors submissions tokens models",
        circles: &[],
    },
    Floors {
        name: "store/postgres",
        order: "error header database_name tls open transaction dialect trial_rows model_claim delete prune renumbering changes wishes sharing \
                ledger catalogue records runs models tokens",
        circles: &[],
    },
    Floors {
        name: "store/sqlite",
        order: "error files header upgrade open connection dialect trial_rows model_claim delete prune renumbering changes wishes sharing \
                ledger catalogue records runs models tokens upkeep followed_database",
        circles: &[],
    },
    Floors {
        name: "server/dispatch",
        order: "error subject_token ack_handle queue bus memory jetstream",
        circles: &[],
    },
    Floors {
        name: "prediction",
        order: "boosted_trees kernel_features time_model ranking rule pick",
        circles: &[],
    },
    Floors {
        name: "search",
        order: "parameters space listed_space recorded_space surrogate strategy replay",
        circles: &[],
    },
    Floors {
        name: "tuner",
        order: "error owner build message offer transport agent single_trial pack plan report report_text identity kernel_search served_configuration pool director",
        circles: &[],
    },
    Floors {
        name: "answers",
        order: "foreign_schema profile lookup check attempt columns db devices doctor stages emulate explanations http kernels iree_kernels model models problems runs records regressions replay rule space \
                status tables tokens tune tuned_list wishes schema openapi",
        circles: &[],
    },
    Floors {
        name: "testing/conformance",
        order: "openapi",
        circles: &[],
    },
    Floors {
        name: "lookup/table",
        order: "format error content entry check table writer",
        circles: &[],
    },
    Floors {
        name: "lookup",
        order: "device advice text columns merit ranking studies regressions answer distance neighbour_search neighbour ladder candidates problem_list answer_index table_file constants",
        circles: &[],
    },
    Floors {
        name: "lookup/c",
        order: "types texts ffi_guard calls",
        circles: &[],
    },
    Floors {
        name: "answers/explanation",
        order: "layout model question kernel",
        circles: &[],
    },
    Floors {
        name: "kernel-export",
        order: "toolchain error choice grid manifest export",
        circles: &[],
    },
    Floors {
        name: "iree/export",
        order: "replacement tuning_spec fusion_decision iree_export",
        circles: &[],
    },
    Floors {
        name: "model-profile",
        order: "error call_inputs command journal executable_source control_flow outlined_dispatches module_outline function_profile trace_file measured_times profiler profile_key difference gate verdict_text export_judge profile_answer comparison_request model_tools model_comparison",
        circles: &[],
    },
    Floors {
        name: "web",
        order: "live_reload report_answers report",
        circles: &[],
    },
    Floors {
        name: "server",
        order: "content_negotiation archive book blocking_pool problem_kind json_response error limits request_admission body request_log response_headers metric_collector process_metrics metrics connection_admission write_timeout answer_buffer tls parse_error connections \
                parameters origin_check entity_tag staleness error_responses access request_middleware compression models api page routes",
        circles: &[],
    },
    Floors {
        name: "server/fleet",
        order: "background keys wire study_request prior_answers error events checks agent_registry lease_registry counters stall lease_history computation_cache findings bus_message study_cache directed_study queue_payload \
                queue_dispatcher study_list study_feed study_watch lease builds results director_request director replica_metrics studies",
        circles: &[],
    },
    Floors {
        name: "server/client",
        order: "authorities error server_sent_event events studies models imports",
        circles: &[],
    },
    Floors {
        name: "server/agent",
        order: "stop_signal health service heartbeat retry trust compile lease_batch_source",
        circles: &[],
    },
    Floors {
        name: "cli",
        order: "documented_commands help verbosity value_parsers shipping log text_file model operation_file comparator confirmation credentials input_parser database service sandbox device_arguments local_agent builder output problem_report usage_error local_time text_table ties signals queue \
                agent check attempt completions devices doctor emulate explain profile judgement lookup export table_file model_status problems iree_compile regressions replay rule token serve report reference space db studies trials \
                wishes tune",
        circles: &[],
    },
];

/// Returns the faults of a crate with these files (path below `src`, text).
fn findings(floors: &Floors, files: &[(String, String)]) -> Vec<String> {
    let folders = Folders::new(&Modules::new(files).imports());
    let circles = folders.circles();
    let mut findings = Vec::new();
    let is = |circle: &Circle, allowed: &Allowed| {
        circle.folder == allowed.0 && circle.members == allowed.1
    };
    for (circle, examples) in &circles {
        if !floors.circles.iter().any(|allowed| is(circle, allowed)) {
            let (folder, members) = (&circle.folder, &circle.members);
            findings.push(format!(
                "{}: a circle in {folder:?}: {members:?}",
                floors.name
            ));
            findings.extend(examples.iter().map(|example| format!("    {example}")));
        }
    }
    for allowed in floors.circles {
        if !circles.keys().any(|circle| is(circle, allowed)) {
            let (folder, members, _) = allowed;
            findings.push(format!(
                "{}: no circle in {folder:?} is {members:?}: take it out of the table",
                floors.name
            ));
        }
    }
    let floor = |name: &str| floors.order.split_whitespace().position(|one| one == name);
    for ((from, to), example) in folders.top() {
        let circle = circles.keys().find(|circle| {
            let has = |name: &String| circle.members.split(' ').any(|one| one == name);
            circle.folder.is_empty() && has(&from) && has(&to)
        });
        let problem = match (floor(&from), floor(&to)) {
            (Some(above), Some(below)) if below < above || circle.is_some() => continue,
            (Some(_), Some(_)) => format!("{to} does not stand before {from} in the table FLOORS"),
            (None, _) => format!("{from} is not in the table FLOORS"),
            (_, None) => format!("{to} is not in the table FLOORS"),
        };
        findings.push(format!("{}: {example}: {problem}", floors.name));
    }
    for name in floors.order.split_whitespace() {
        let is_there = files.iter().any(|(file, _)| {
            let rest = file.strip_prefix(name);
            rest.is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
        });
        if !is_there {
            findings.push(format!("{}: no module is {name}", floors.name));
        }
    }
    findings
}

/// The folder with the text of both stores, and the crates that include it.
const SHARED: (&str, [&str; 2]) = (
    "store/relational/shared/",
    ["store/sqlite", "store/postgres"],
);

/// Returns the sources of each crate, with paths below its `src`.
fn sources() -> BTreeMap<String, Vec<(String, String)>> {
    let mut crates: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for (file, text) in crate::tidy::texts(".rs") {
        if let Some(path) = file.strip_prefix(SHARED.0) {
            for name in SHARED.1 {
                let files = crates.entry(name.to_owned()).or_default();
                files.push((path.to_owned(), text.clone()));
            }
        }
        if let Some((name, path)) = file.split_once("/src/") {
            let files = crates.entry(name.to_owned()).or_default();
            files.push((path.to_owned(), text));
        }
    }
    crates
}

#[test]
fn modules_know_only_what_comes_before_them() {
    let crates = sources();
    let mut all = Vec::new();
    for (name, files) in &crates {
        match FLOORS.iter().find(|floors| floors.name == name) {
            Some(floors) => all.extend(findings(floors, files)),
            None => all.push(format!("{name}: not in the table FLOORS")),
        }
    }
    crate::tidy::none(all);
}

#[test]
#[ignore = "full: prints the remaining circles, and never fails"]
fn circles_of_each_crate() {
    for (name, files) in &sources() {
        let circles = Folders::new(&Modules::new(files).imports()).circles();
        println!("{name}: {} circles", circles.len());
        for circle in circles.keys() {
            println!("    {:?}: {}", circle.folder, circle.members);
        }
    }
}

#[test]
fn planted_imports_are_found() {
    #[track_caller]
    fn check(
        order: &'static str,
        circles: &'static [Allowed],
        files: &[(&str, &str)],
        expected: &[&str],
    ) {
        let floors = Floors {
            name: "planted",
            order,
            circles,
        };
        let file = |(path, text): &(&str, &str)| ((*path).to_owned(), (*text).to_owned());
        let files: Vec<(String, String)> = files.iter().map(file).collect();
        let found = findings(&floors, &files);
        let without_crate = |text: &String| text.trim_start_matches("planted: ").trim().to_owned();
        assert_eq!(
            found.iter().map(without_crate).collect::<Vec<_>>(),
            expected
        );
    }
    let lib = ("lib.rs", "mod a; mod b; pub use a::A; pub use b::B;");
    let (a, b) = (
        ("a.rs", "pub struct A;"),
        ("b.rs", "use crate::a::A; pub struct B(A);"),
    );
    check("a b", &[], &[lib, a, b], &[]);
    check(
        "b a",
        &[],
        &[lib, a, b],
        &["b imports a: a does not stand before b in the table FLOORS"],
    );
    check(
        "a",
        &[],
        &[lib, a, b],
        &["b imports a: b is not in the table FLOORS"],
    );
    check("a b c", &[], &[lib, a, b], &["no module is c"]);
    // Upwards, in all the ways that there are.
    let upward = &["a circle in \"\": \"a b\"", "a imports b", "b imports a"];
    for text in [
        "use crate::b::B; pub struct A;",
        "use crate::{b::{self as other}}; pub struct A;",
        "use crate::B; pub struct A;",
        "pub struct A; fn f() { super::b::f() }",
        "pub struct A; mod inner { pub use crate::b::*; }",
        "macro_rules! m { () => { $crate::b::f() } } pub struct A;",
    ] {
        check("a b", &[], &[lib, ("a.rs", text), b], upward);
        check(
            "a b",
            &[("", "a b", OneIdea)],
            &[lib, ("a.rs", text), b],
            &[],
        );
    }
    for text in [
        "// use crate::b::B;\npub struct A;",
        "pub struct A; const TEXT: &str = \"crate::b\";",
        "pub struct A; #[cfg(test)] mod tests { use crate::b::B; }",
        "pub(in crate::b) struct A;",
    ] {
        check("a b", &[], &[lib, ("a.rs", text), b], &[]);
    }
    // An exception that nothing needs any more.
    let unused = "no circle in \"\" is \"a b\": take it out of the table";
    check("a b", &[("", "a b", ToBeOpened)], &[lib, a, b], &[unused]);
    // Inside of a folder, with a name that the folder passes on.
    let folder = (
        "a/mod.rs",
        "mod x; mod y; #[cfg(test)] mod tests; pub use x::X; use y::Y;",
    );
    let x = ("a/x.rs", "use super::Y; pub struct X;");
    let y = ("a/y.rs", "use super::X; pub struct Y;");
    let tests = ("a/tests.rs", "use super::*; use crate::b::B;");
    let circle = &[
        "a circle in \"a\": \"x y\"",
        "a::x imports a::y",
        "a::y imports a::x",
    ];
    let lib = ("lib.rs", "mod a; mod b;");
    let b = ("b.rs", "use crate::a::X;");
    check("a b", &[], &[lib, folder, x, y, tests, b], circle);
    check(
        "a b",
        &[("a", "x y", OneIdea)],
        &[lib, folder, x, y, tests, b],
        &[],
    );
    let y = ("a/y.rs", "use super::*; fn f(x: X) {} pub struct Y;");
    check("a b", &[], &[lib, folder, x, y, tests, b], circle);
}
