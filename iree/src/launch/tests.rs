//! Parsed launches, and texts that the parser refuses.

use super::*;

/// Parses a launch with two results.
fn read(module: &str, count: Option<u32>) -> Result<ModuleLaunch, IreeError> {
    ModuleLaunch::read(module, 2, count)
}

/// The compiler's output for 4x[4096]xf32, without irrelevant statements.
const HOST: &str = r#"
  util.func public @main(%arg0: !hal.buffer_view) -> (!hal.buffer_view, !hal.buffer_view) attributes {iree.abi.stub} {
    %c-1_i64 = arith.constant -1 : i64
    %c4 = arith.constant 4 : index
    %c65536 = arith.constant 65536 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %buffer = hal.buffer_view.buffer<%arg0 : !hal.buffer_view> : !hal.buffer
    %transient_buffer = hal.device.queue.alloca<%__device_0 : !hal.device> pool(%c0_i64) : !hal.buffer{%c128}
    %cmd = hal.command_buffer.create device(%__device_0 : !hal.device) mode(OneShot) bindings(%c2) : !hal.command_buffer
    %function_id = hal.executable.lookup.function target(%exe : !hal.executable) function(@main_dispatch_0::@rocm_hsaco_fb::@main_dispatch_0_arg_compare_4x4096xf32) : i64
    hal.command_buffer.dispatch<%cmd : !hal.command_buffer> target(%exe : !hal.executable)[%function_id] workgroups([%c4, %c1, %c1]) bindings([
      (%c0 : index)[%c0, %c65536], 
      (%c1 : index)[%c0, %c128], 
      (%c1 : index)[%c0, %c128]
    ]) flags("None")
    hal.device.queue.execute.indirect<%__device_0 : !hal.device> wait(%fence) signal(%fence_0) commands(%cmd) bindings([
      (%buffer : !hal.buffer)[%c0, %c65536], 
      (%transient_buffer : !hal.buffer)[%c0, %c128]
    ]) flags("None")
    %view = hal.buffer_view.create buffer(%transient_buffer : !hal.buffer)[%c0, %c16] shape([%c4]) : !hal.buffer_view
    %view_1 = hal.buffer_view.create buffer(%transient_buffer : !hal.buffer)[%c64, %c16] shape([%c4]) : !hal.buffer_view
    util.return %view, %view_1 : !hal.buffer_view, !hal.buffer_view
  }
}
"#;

#[test]
fn one_dispatch() {
    let slot = |buffer, offset| Slot { buffer, offset };
    let expected = ModuleLaunch {
        first: Dispatch {
            symbol: "main_dispatch_0_arg_compare_4x4096xf32".to_owned(),
            workgroups: [4, 1, 1],
            arguments: [0, 1, 1].map(Kernarg::Buffer).to_vec(),
        },
        merge: None,
        buffers: vec![65536, 128],
        input: slot(0, 0),
        operands: Vec::new(),
        results: vec![slot(1, 0), slot(1, 64)],
    };
    assert_eq!(read(HOST, None).unwrap(), expected);
}

/// Returns the same module with a second dispatch, which merges the states that the first one
/// leaves in a buffer.
fn split() -> String {
    let (before, after) = HOST.split_once("    hal.device.queue.execute").unwrap();
    let before = before.replace("(%c1 : index)", "(%c2 : index)");
    let after = after.replace(
        "[%c0, %c128]\n    ])",
        "[%c0, %c128],\n      (%transient_buffer_1 : !hal.buffer)[%c0, %c64]\n    ])",
    );
    let second = r#"    hal.command_buffer.execution_barrier<%cmd : !hal.command_buffer> flags("None")
    %function_id_3 = hal.executable.lookup.function target(%exe : !hal.executable) function(@in_linked::@rocm_hsaco_fb::@main_dispatch_1_arg_compare_4x2xf32) : i64
    hal.command_buffer.dispatch<%cmd : !hal.command_buffer> target(%exe : !hal.executable)[%function_id_3] workgroups([%c2, %c1, %c1]) bindings([
      (%c2 : index)[%c0, %c64],
      (%c1 : index)[%c0, %c128],
      (%c1 : index)[%c0, %c128]
    ]) flags("None")
"#;
    format!("{before}{second}    hal.device.queue.execute{after}")
}

#[test]
fn a_dispatch_that_merges() {
    let launch = read(&split(), None).unwrap();
    let plain = read(HOST, None).unwrap();
    let first = Dispatch {
        arguments: [0, 2, 2].map(Kernarg::Buffer).to_vec(),
        ..plain.first
    };
    let merge = Dispatch {
        symbol: "main_dispatch_1_arg_compare_4x2xf32".to_owned(),
        workgroups: [2, 1, 1],
        arguments: [2, 1, 1].map(Kernarg::Buffer).to_vec(),
    };
    assert_eq!((launch.first, launch.merge), (first, Some(merge)));
    assert_eq!(launch.buffers, [65536, 128, 64]);
    let refused = |from: &str, to: &str| {
        let text = split();
        assert!(text.contains(from), "the text has no {from:?}");
        read(&text.replace(from, to), None).unwrap_err();
    };
    refused("[%function_id_3]", "[%function_id_4]");
    refused("(%c2 : index)[%c0, %c64]", "(%c2 : index)[%c16, %c64]");
    refused("(%c2 : index)[%c0, %c64]", "(%c4 : index)[%c0, %c64]");
    let (before, after) = split()
        .split_once("    hal.device.queue.execute")
        .map(|(a, b)| (a.to_owned(), b.to_owned()))
        .unwrap();
    let third = before
        .split_once("    hal.command_buffer.execution_barrier")
        .unwrap()
        .1;
    let third = format!("{before}{third}    hal.device.queue.execute{after}");
    let error = read(&third, None).unwrap_err().to_string();
    assert!(error.contains("3 dispatches"), "{error}");
}

/// Returns the same module with an index base: a dispatch of buffers, and constants.
fn based() -> String {
    let mut text = HOST.to_owned();
    let changes = [
        ("view) -> (", "view, %arg1: i64) -> ("),
        (
            "    %cmd = ",
            "    %c32_i64 = arith.constant 32 : i64
    %1 = arith.index_cast %arg1 : i64 to index
    %2 = arith.index_castui %1 : index to i64
    %3 = arith.index_castui %1 : index to i32
    %4 = arith.shrui %2, %c32_i64 : i64
    %5 = arith.trunci %4 : i64 to i32
    %cmd = ",
        ),
        (
            "%c1, %c1]) bindings",
            "%c1, %c1]) constants([%3, %5]) bindings",
        ),
        ("(%c0 : index)", "(%buffer : !hal.buffer)"),
        ("(%c1 : index)", "(%transient_buffer : !hal.buffer)"),
    ];
    for (from, to) in changes {
        assert!(text.contains(from), "the text has no {from:?}");
        text = text.replace(from, to);
    }
    let (before, execute) = text.split_once(".indirect<").unwrap();
    let (_, after) = execute.split_once("])").unwrap();
    format!("{before}<%__device_0 : !hal.device> commands(%cmd){after}")
}

#[test]
fn an_index_base() {
    let plain = read(HOST, None).unwrap();
    let mut expected = plain.first.arguments.clone();
    expected.push(Kernarg::IndexBase(IndexType::I64));
    let found = read(&based(), None).unwrap();
    assert_eq!(found.first.arguments, expected);
    assert_eq!(found.buffers, plain.buffers);
    assert_eq!(
        (found.input, found.operands, found.results),
        (plain.input, plain.operands, plain.results)
    );
}

#[test]
fn other_constants_are_refused() {
    let check = |from: &str, to: &str| {
        let text = based();
        assert!(text.contains(from), "the text has no {from:?}");
        read(&text.replace(from, to), None).unwrap_err();
    };
    check("constants([%3, %5])", "constants([%5, %3])");
    check("constants([%3, %5])", "constants([%3])");
    check("constants([%3, %5])", "constants([%3, %5, %5])");
    check("arith.constant 32 : i64", "arith.constant 16 : i64");
    check("index_cast %arg1", "index_cast %arg2");
    check(
        "arith.index_castui %1 : index to i64",
        "arith.index_castui %7 : index to i64",
    );
}

/// The compiler's output for ?x3x[64]xf32:i64, without irrelevant statements.
const OPEN: &str = r#"
  util.func public @main(%arg0: !hal.buffer_view) -> (!hal.buffer_view, !hal.buffer_view) attributes {iree.abi.stub} {
    %c3 = arith.constant 3 : index
    %c64 = arith.constant 64 : index
    %c768 = arith.constant 768 : index
    %c12 = arith.constant 12 : index
    %c24 = arith.constant 24 : index
    %c0 = arith.constant 0 : index
    %c32_i64 = arith.constant 32 : i64
    %c1 = arith.constant 1 : index
    %c2147483647 = arith.constant 2147483647 : index
    %1 = hal.buffer_view.dim<%arg0 : !hal.buffer_view>[0] : index
    %2 = arith.muli %1, %c768 : index
    %buffer = hal.buffer_view.buffer<%arg0 : !hal.buffer_view> : !hal.buffer
    %3 = arith.muli %1, %c12 : index
    %4 = arith.muli %1, %c24 : index
    %5 = util.align %3, %c64 : index
    %6 = util.align %4, %c64 : index
    %7 = arith.addi %5, %6 : index
    %8 = arith.index_castui %5 : index to i64
    %9 = arith.index_castui %5 : index to i32
    %10 = arith.shrui %8, %c32_i64 : i64
    %11 = arith.trunci %10 : i64 to i32
    %12 = arith.index_castui %1 : index to i64
    %13 = arith.index_castui %1 : index to i32
    %14 = arith.shrui %12, %c32_i64 : i64
    %15 = arith.trunci %14 : i64 to i32
    %function_id = hal.executable.lookup.function target(%exe : !hal.executable) function(@main_dispatch_0::@rocm_hsaco_fb::@main_dispatch_0_arg_compare_Dx3x64xf32) : i64
    %16 = arith.muli %1, %c3 overflow<nsw> : index
    %17 = arith.minsi %16, %c2147483647 : index
    hal.command_buffer.dispatch<%cmd : !hal.command_buffer> target(%exe : !hal.executable)[%function_id] workgroups([%17, %c1, %c1]) constants([%9, %11, %13, %15]) bindings([
      (%buffer : !hal.buffer)[%c0, %2], 
      (%transient_buffer : !hal.buffer)[%c0, %7], 
      (%transient_buffer : !hal.buffer)[%c0, %7]
    ]) flags("None")
    hal.device.queue.execute<%__device_0 : !hal.device> commands(%cmd) flags("None")
    %view = hal.buffer_view.create buffer(%transient_buffer : !hal.buffer)[%c0, %3] shape([%1, %c3]) : !hal.buffer_view
    %view_1 = hal.buffer_view.create buffer(%transient_buffer : !hal.buffer)[%5, %4] shape([%1, %c3]) : !hal.buffer_view
    util.return %view, %view_1 : !hal.buffer_view, !hal.buffer_view
  }
}
"#;

#[test]
fn a_count_that_is_known_at_launch_only() {
    let slot = |buffer, offset| Slot { buffer, offset };
    let words = [
        Kernarg::Word(320),
        Kernarg::Word(0),
        Kernarg::Count(25),
        Kernarg::Word(0),
    ];
    let expected = ModuleLaunch {
        first: Dispatch {
            symbol: "main_dispatch_0_arg_compare_Dx3x64xf32".to_owned(),
            workgroups: [75, 1, 1],
            arguments: [&[0, 1, 1].map(Kernarg::Buffer)[..], &words].concat(),
        },
        merge: None,
        buffers: vec![25 * 768, 320 + 640],
        input: slot(0, 0),
        operands: Vec::new(),
        results: vec![slot(1, 0), slot(1, 320)],
    };
    assert_eq!(read(OPEN, Some(25)).unwrap(), expected);
    read(OPEN, None).unwrap_err();
    // Another size of the buffers, which would have to follow from the count.
    let refused = |from: &str, to: &str| {
        assert!(OPEN.contains(from), "the text has no {from:?}");
        read(&OPEN.replace(from, to), Some(25)).unwrap_err();
    };
    refused("index_castui %5 :", "index_castui %6 :");
    refused("constants([%9, %11, ", "constants([%9, %15, ");
    refused(
        "%12 = arith.index_castui %1 ",
        "%12 = arith.index_castui %2 ",
    );
    refused("arith.minsi %16", "arith.maxsi %16");
    refused(">[0] : index", ">[1] : index");
    // Numbers beyond 64 bits, and a multiple of nothing.
    refused("constant 768 ", "constant 18446744073709551615 ");
    refused("constant 64 ", "constant 0 ");
}

#[test]
fn explicit_indices() {
    let text = HOST
        .replace("    %cmd = ", "    %buffer_0 = hal.buffer_view.buffer<%arg1 : !hal.buffer_view> : !hal.buffer\n    %cmd = ")
        .replace("(%c1 : index)[%c0, %c128], \n", "(%c2 : index)[%c0, %c65536],\n      (%c1 : index)[%c0, %c128],\n")
        .replace("[%c0, %c128]\n    ]) flags(\"None\")\n    %view", "[%c0, %c128],\n      (%buffer_0 : !hal.buffer)[%c0, %c65536]\n    ]) flags(\"None\")\n    %view");
    let launch = read(&text, None).unwrap();
    let slot = Slot {
        buffer: 2,
        offset: 0,
    };
    assert_eq!(launch.operands, [slot]);
    assert_eq!(launch.first.arguments, [0, 2, 1, 1].map(Kernarg::Buffer));
}

#[test]
fn results_in_the_order_of_the_return() {
    let text = HOST.replace("util.return %view, %view_1", "util.return %view_1, %view");
    let launch = read(&text, None).unwrap();
    let offsets = launch.results.iter().map(|slot| slot.offset);
    assert_eq!(offsets.collect::<Vec<_>>(), [64, 0]);
}

/// Replaces `from` by `to` and expects a refusal that says `expected`.
#[track_caller]
fn check_refused(from: &str, to: &str, expected: &str) {
    assert!(HOST.contains(from), "the text has no {from:?}");
    let error = read(&HOST.replace(from, to), None).unwrap_err().to_string();
    assert!(error.contains(expected), "{error}");
}

#[test]
fn unknown_launches_are_refused() {
    check_refused(
        "util.func public @main(",
        "util.func @other(",
        "no \"util.func",
    );
    check_refused(
        "hal.command_buffer.dispatch<",
        "hal.command_buffer.fill<",
        "no dispatch",
    );
    check_refused(
        "    hal.device.queue.execute",
        "    hal.command_buffer.dispatch<%cmd>\n    hal.device.queue.execute",
        "%buffer is not a constant",
    );
    check_refused(
        "(%c1 : index)[%c0,",
        "(%c1 : index)[%c64,",
        "a binding at byte 64 of %c1",
    );
    check_refused(
        "(%transient_buffer : !hal.buffer)[%c0, %c128]",
        "(%transient_buffer : !hal.buffer)[%c64, %c128]",
        "a binding at byte 64",
    );
    check_refused("(%c1 : index)", "(%c2 : index)", "binding 2 of 2");
    check_refused(
        "(%c1 : index)[%c0, %c128]",
        "(%c1 : index)[%c0]",
        "1 numbers",
    );
    check_refused(
        "workgroups([%c4, %c1, %c1])",
        "workgroups([%c4, %c1])",
        "workgroup counts",
    );
    check_refused(
        "workgroups([%c4, ",
        "workgroups([%c-1_i64, ",
        "%c-1_i64 is not a constant",
    );
    check_refused(
        "workgroups([%c4, %c1, %c1])",
        "workgroups([%c4, %c1, %c1]) constants([%c4])",
        "constants",
    );
    check_refused(
        "util.return %view, %view_1",
        "util.return %view",
        "1 results instead of 2",
    );
    check_refused(
        "buffer(%transient_buffer",
        "buffer(%other",
        "%other is not bound",
    );
}

#[test]
fn a_text_that_ends_too_early_is_refused() {
    let (needed, _) = HOST.split_once("_1 : !hal.buffer_view, !hal").unwrap();
    for (position, _) in needed.char_indices() {
        assert!(read(&HOST[..position], None).is_err(), "{position}");
    }
}
