//! Row counts known at launch only, in both exports: one compiled module runs with several of
//! them.

use std::path::Path;

use serde_json::json;
use testing::Failed;

use crate::iree_kernels::arrived::Form::{Iota, MaxDim, Plain, Tosa};
use crate::iree_kernels::arrived::{self, ARGMAX, Indices, Operation};
use crate::iree_kernels::rows::{F16, I32};
use crate::iree_kernels::tools::Tools;
use crate::iree_kernels::{export, replaced};

/// The largest count that the kernels are made for.
pub(crate) const LARGEST: usize = 7;

/// Counts up to the kernels' largest and beyond: one more, and several times as many and a
/// remainder.
pub(crate) const COUNTS: [usize; 6] = [1, 2, LARGEST, LARGEST + 1, 2 * LARGEST, 3 * LARGEST + 2];

/// Returns operations of all kinds.
fn open() -> Vec<Operation> {
    let open = Operation {
        sizes: [LARGEST, 300, 1],
        is_open: true,
        ..ARGMAX
    };
    vec![
        open,
        Operation {
            form: MaxDim,
            index: "i64",
            ..open
        },
        Operation {
            form: Plain,
            sizes: [LARGEST, 21, 3],
            element: F16,
            greatest_wins: false,
            ..open
        },
        Operation {
            indices: Indices::Based(70_000),
            ..open
        },
        Operation {
            indices: Indices::Explicit,
            ..open
        },
        Operation {
            form: Tosa,
            is_given_first: true,
            nan_wins: true,
            ..open
        },
        Operation {
            form: Iota,
            element: I32,
            sizes: [LARGEST, 40, 1],
            ..open
        },
    ]
}

/// Runs the operations of a module at each count.
fn run(
    tools: &Tools,
    folder: &Path,
    module: &Path,
    operations: &[Operation],
) -> Result<(), Failed> {
    for (number, operation) in operations.iter().enumerate() {
        for count in COUNTS {
            let [_, reduced, after] = operation.sizes;
            let operation = Operation {
                sizes: [count, reduced, after],
                ..*operation
            };
            let name = format!("f{number}");
            let results = tools.run(folder, module, &name, &operation.inputs(), 2)?;
            let said = |error: Failed| Failed::from(format!("{count} places: {error:?}"));
            operation.check(&results).map_err(said)?;
        }
    }
    Ok(())
}

/// Checks that a kernel of any count takes operations of a known one, if a given initial pair is
/// the only sign of the count. A kernel of that very count precedes it.
pub(crate) fn a_known_count_is_one_of_any(tools: &Tools) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let open = Operation {
        sizes: [LARGEST, 300, 1],
        is_open: true,
        is_given_first: true,
        ..ARGMAX
    };
    let known = |count| Operation {
        sizes: [count, 300, 1],
        is_open: false,
        ..open
    };
    let (other, own) = (known(LARGEST + 4), known(3));
    export(tools, folder, &[open.problem(), own.problem()])?;
    let operations = [open, other, own];
    let mlir = arrived::module(&operations);
    let lowered = tools.preprocessed(&mlir, "gfx942", &folder.join("kernels"))?;
    let own_kernel = "hal.dispatch.extern \"argmax_3x300xf32";
    if lowered.matches(own_kernel).count() < 2 {
        return Err(format!("{own_kernel} is not called: {lowered}").into());
    }
    let module = folder.join("module.vmfb");
    let kernels = folder.join("kernels");
    tools.compile(&mlir, "gfx942", Some(&kernels), &module)?;
    for (number, operation) in operations.iter().enumerate() {
        let name = format!("f{number}");
        let results = tools.run(folder, &module, &name, &operation.inputs(), 2)?;
        operation.check(&results)?;
    }
    Ok(())
}

/// Checks that the widest of several ranges comes first, in any order of the command, and a known
/// size before it.
pub(crate) fn the_widest_range_is_first(tools: &Tools) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    for (name, end) in [("argmax", ":i32"), ("softmax", "")] {
        let open = |counts: &str| format!("{name}:?x[300]xf32{end}:count={counts}");
        let problems = ["1..8", "4..64", "1..32"].map(open);
        let known = format!("{name}:7x[300]xf32");
        let given = [&problems[..], std::slice::from_ref(&known)].concat();
        export(tools, folder.path(), &given)?;
        let spec = std::fs::read_to_string(folder.path().join("kernels/spec.mlir"))?;
        let order = [known, open("4..64"), open("1..32"), open("1..8")];
        let places = order.each_ref().map(|it| spec.find(&format!("// {it}")));
        if !places.is_sorted() || places[0].is_none() {
            return Err(format!("{places:?}").into());
        }
    }
    Ok(())
}

/// Checks kernels with the count as an argument, one of them with a workspace. For more rows than
/// they are made for, they are launched several times.
pub(crate) fn open_counts_are_replaced(tools: &Tools) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let operations = open();
    let problems: Vec<String> = operations.iter().map(Operation::problem).collect();
    let answer = export(tools, folder, &problems)?;
    if answer["left_out"] != json!([]) {
        return Err(format!("skipped: {}", answer["left_out"]).into());
    }
    let manifest = std::fs::read(folder.join("kernels/manifest.json"))?;
    let manifest: serde_json::Value = serde_json::from_slice(&manifest)?;
    for kernel in manifest["kernels"].as_array().into_iter().flatten() {
        let (tile, each) = (
            kernel["configuration"]["workgroup"][0].as_u64(),
            kernel["count"]["workgroups_per_tile"].as_u64(),
        );
        let largest = kernel["count"]["largest"].as_u64();
        // One launch takes more rows than the problem has, so that a larger count needs no second.
        if largest <= Some(8 * LARGEST as u64) {
            return Err(format!("{kernel}").into());
        }
        let tiles = tile
            .zip(largest)
            .map(|(tile, largest)| largest.div_ceil(tile));
        let grid = tiles.zip(each).map(|(tiles, each)| tiles * each);
        if kernel["count"]["tile"].as_u64() != tile || grid != kernel["grid"][0].as_u64() {
            return Err(format!("{kernel}").into());
        }
    }
    let mlir = arrived::module(&operations);
    // Two launches each, for all rows and for some: in place, and in the function, of which one
    // is subtracted.
    let count = replaced(tools, &mlir, "gfx942", folder)?;
    if count != 3 * operations.len() {
        return Err(format!("{count} launches of {}", operations.len()).into());
    }
    let module = folder.join("module.vmfb");
    let kernels = folder.join("kernels");
    tools.compile(&mlir, "gfx942", Some(&kernels), &module)?;
    run(tools, folder, &module, &operations)?;

    let operation = operations[0];
    let split = r#"--configuration={"workgroup":[2,0],"partial_reduction":[0,64],"thread":[0,1],
        "lane_basis":[[1,64],[0,1]],"subgroup_basis":[[1,1],[0,1]],"subgroup_size":64,
        "workgroup_size":[64,1,1],"split":4}"#;
    let answer = export(tools, folder, &[operation.problem(), split.to_owned()])?;
    if answer["kernels"][0]["workspace_bytes"].as_u64() <= Some(0) {
        return Err("it has no workspace".into());
    }
    let mlir = arrived::module(&[operation]);
    tools.compile(&mlir, "gfx942", Some(&kernels), &module)?;
    run(tools, folder, &module, &[operation])
}

/// Checks that a spec's entry for an open count matches any count, and that an entry for a known
/// one precedes it.
pub(crate) fn a_spec_matches_open_counts(tools: &Tools) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let (db, spec) = (folder.join("a.db"), folder.join("spec.mlir"));
    let of = |is_open, sizes| Operation {
        is_open,
        sizes,
        ..open()[0]
    };
    let (open, known, other) = (
        of(true, [LARGEST, 4096, 1]),
        of(false, [4, 4096, 1]),
        of(false, [6, 4096, 1]),
    );
    let wavetune = |arguments: &[&str]| {
        let arguments: Vec<String> = arguments.iter().map(|it| (*it).to_owned()).collect();
        tools.wavetune(&db, &arguments)
    };
    let how = ["--generator=iree", "--budget=6"];
    for problem in [open.problem(), known.problem()] {
        wavetune(&[&["tune", &problem], &how[..]].concat())?;
    }
    let wider = open.problem().replace("1..7", "2..9");
    wavetune(&["tune", &wider, "--generator=iree", "--budget=2"])?;
    let to = format!("--output={}", spec.display());
    wavetune(&["export", "iree-spec", "--target=gfx942", &to])?;
    let text = std::fs::read_to_string(&spec)?;
    let tried: Vec<&str> = text
        .lines()
        .filter(|line| line.contains("-> @apply"))
        .collect();
    let order = [
        "@match_argmax_4xr4096xf32_i32 ",
        "@match_argmax_nxr4096xf32_i32 ",
    ];
    let is_in_order = tried.len() == 2
        && tried
            .iter()
            .zip(order)
            .all(|(line, name)| line.contains(name));
    // Of two ranges of one operation, the wider one remains.
    if !is_in_order || !text.contains(&wider) || text.contains(&open.problem()) {
        return Err(text.into());
    }
    let operations = [open, known, other];
    let mlir = arrived::module(&operations);
    let configured = tools.configured(&mlir, "gfx942", &spec)?;
    let applied = configured.matches("__tuning_spec_applied__").count();
    if applied != 3 {
        return Err(format!("{applied} of 3 operations are matched").into());
    }
    let module = folder.join("module.vmfb");
    tools.compile_tuned(&mlir, "gfx942", None, Some(&spec), &module)?;
    run(tools, folder, &module, &[open])?;
    for (name, operation) in [("f1", known), ("f2", other)] {
        let results = tools.run(folder, &module, name, &operation.inputs(), 2)?;
        operation.check(&results)?;
    }
    Ok(())
}
