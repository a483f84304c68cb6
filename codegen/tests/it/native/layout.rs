//! The lane map against the loads of kernels: every lane of a workgroup loads the elements of the
//! map, step after step, and no others.

use std::collections::{BTreeMap, BTreeSet};

use codegen::CompiledKernel;
use codegen::native::layout::{LaneMap, TailKind};
use codegen::native::{Native, lane_map};
use configgen::{Configuration, ElementType, Initial, Problem, TARGETS, Target};
use emulator::{CodeObject, EmulatedMemory, KernelLaunch, LoadAddresses, observe_loads};
use testing::Failed;

use crate::native::fold::Fold;
use crate::native::inputs::Random;
use crate::native::{ensure, run, triples};

/// The three worked examples of IREE's text on lowering configurations
/// (<https://iree.dev/developers/lowering-config>), and its example of a lane basis. The text
/// leaves out the subgroup size, which is 64 there. The second example's dimensions are 1152 and
/// 384, the reduced one last.
const WORKED: [(&str, &str); 3] = [
    (
        "argmax:4x6656x[16384]xf16",
        r#"{"workgroup": [4, 1, 0], "partial_reduction": [0, 0, 512], "thread": [0, 0, 8],
            "lane_basis": [[1, 1, 64], [0, 1, 2]], "subgroup_basis": [[1, 1, 1], [0, 1, 2]],
            "subgroup_size": 64, "workgroup_size": [64, 1, 1]}"#,
    ),
    (
        "argmax:1152x[384]xf32",
        r#"{"workgroup": [16, 0], "partial_reduction": [0, 32], "thread": [0, 1],
            "lane_basis": [[16, 4], [1, 0]], "subgroup_basis": [[1, 2], [0, 1]],
            "subgroup_size": 64, "workgroup_size": [128, 1, 1]}"#,
    ),
    (
        "argmax:4096x[32]x[128]xf32",
        r#"{"workgroup": [8, 0, 0], "partial_reduction": [0, 1, 128], "thread": [0, 1, 2],
            "lane_basis": [[1, 1, 64], [0, 1, 2]], "subgroup_basis": [[1, 1, 1], [0, 1, 2]],
            "subgroup_size": 64, "workgroup_size": [64, 1, 1]}"#,
    ),
];

/// Instructions that a wave may execute.
const LIMIT: u64 = 1 << 26;

/// Checks every target with subgroups of 64 lanes.
pub(crate) fn worked_examples(native: &Native) -> Result<(), Failed> {
    let targets = TARGETS
        .iter()
        .filter(|target| target.subgroup_sizes.contains(&64));
    let mut seen = 0;
    for target in targets {
        let examples: Vec<(Problem, Configuration)> = WORKED
            .iter()
            .map(|(problem, json)| Ok((problem.parse()?, serde_json::from_str(json)?)))
            .collect::<Result<_, Failed>>()?;
        seen += check_all(native, target, &examples)?.whole;
    }
    ensure(seen == 8 * WORKED.len(), || format!("{seen} kernels"))
}

/// Checks all ranks, both subgroup sizes, shared rows, and tiles that fit or do not.
pub(crate) fn random_triples(native: &Native) -> Result<(), Failed> {
    let mut all = Seen::default();
    for (name, kernels) in triples::random_triples(200, 21)? {
        let target = Target::named(name).ok_or("a target of the table")?;
        let seen = check_all(native, target, &kernels)?;
        all.kernels += seen.kernels;
        all.whole += seen.whole;
        all.kinds.extend(seen.kinds);
    }
    ensure(all.kernels == 200 && all.whole > 170, || {
        format!("{} of {} kernels load all", all.whole, all.kernels)
    })?;
    let wanted = [
        "32 lanes",
        "64 lanes",
        "split",
        "rank 1",
        "rank 2",
        "rank 3",
        "rank 4",
        "rank 5",
        "rank 6",
        "shifted",
        "clamped",
        "exact",
        "steps",
        "best step again",
        "neighbouring rows",
        "several subgroups",
        "several workgroups",
    ];
    let missing: Vec<&str> = wanted
        .into_iter()
        .filter(|kind| !all.kinds.contains(*kind))
        .collect();
    ensure(missing.is_empty(), || format!("no kernel with {missing:?}"))
}

/// Counts of the compared kernels.
#[derive(Default)]
struct Seen {
    kernels: usize,
    /// Kernels that load all elements of the map.
    whole: usize,
    kinds: BTreeSet<String>,
}

fn check_all(
    native: &Native,
    target: &Target,
    kernels: &[(Problem, Configuration)],
) -> Result<Seen, Failed> {
    let (mut seen, mut failures) = (Seen::default(), Vec::new());
    let compiled = native.compile_batch(target, kernels);
    for (compiled, (problem, configuration)) in compiled.into_iter().zip(kernels) {
        let map = lane_map(problem, target, configuration)?;
        seen.kernels += 1;
        seen.kinds.extend(kinds(&map));
        if is_decided(problem) {
            continue;
        }
        match check(problem, &map, &compiled?) {
            Ok(is_whole) => seen.whole += usize::from(is_whole),
            Err(failed) => {
                let message = failed.message().unwrap_or("failed").to_owned();
                failures.push(format!(
                    "{target} {problem} {}: {message}",
                    serde_json::to_string(configuration)?
                ));
            }
        }
    }
    ensure(failures.is_empty(), || {
        format!(
            "{} of {} maps are wrong:\n{}",
            failures.len(),
            kernels.len(),
            failures.join("\n")
        )
    })?;
    Ok(seen)
}

/// Returns true if a compiler may know that no element wins, and load none: neither truth value
/// replaces the initial one.
fn is_decided(problem: &Problem) -> bool {
    let reduction = problem.arg_compare().expect("all are");
    let Initial::Pair(start, _) = reduction.initial else {
        return false;
    };
    let mut fold = Fold::of(problem);
    problem.element == ElementType::I1 && (0..2).all(|value| !fold.replaces(value, start))
}

fn kinds(map: &LaneMap) -> impl Iterator<Item = String> {
    let dimensions = map.dimensions();
    let mut kinds = vec![
        format!("{} lanes", map.subgroup_size()),
        format!("rank {}", dimensions.len()),
    ];
    let covers = dimensions.iter().map(|along| match along.cover {
        TailKind::Exact => "exact",
        TailKind::Shifted => "shifted",
        TailKind::Clamped => "clamped",
        TailKind::Counted => "counted",
    });
    kinds.extend(covers.map(str::to_owned));
    let has = [
        ("split", map.split() > 1),
        ("steps", map.steps() > 1),
        ("best step again", map.loads_best_step_again()),
        ("neighbouring rows", map.loads_rows()),
        ("several subgroups", map.subgroups() > 1),
        ("several workgroups", map.workgroups() > 2),
    ];
    let has = has
        .into_iter()
        .filter(|(_, has)| *has)
        .map(|(name, _)| name.to_owned());
    kinds.extend(has);
    kinds.into_iter()
}

/// Elements of the input, counted from its first, in the order in which a lane loads them.
type Loaded = BTreeMap<(u32, u32), Vec<u64>>;

/// Checks the first, a middle and the last workgroup. Returns true if the compiler dropped no
/// load that it may drop.
fn check(problem: &Problem, map: &LaneMap, kernel: &CompiledKernel) -> Result<bool, Failed> {
    let code = CodeObject::load(&kernel.code_object)?;
    let last = map.workgroups() - 1;
    let workgroups: BTreeSet<u64> = [0, last / 2, last].into();
    let mut is_whole = true;
    for workgroup in workgroups {
        let mut loaded = run(problem, map, kernel, &code, u32::try_from(workgroup)?)?;
        for (lane, steps) in wanted(problem, map, workgroup)? {
            let loaded = loaded.remove(&lane).unwrap_or_default();
            is_whole &= compare(&loaded, &steps).map_err(|reason| {
                format!("workgroup {workgroup}, subgroup and lane {lane:?}: {reason}")
            })?;
        }
        ensure(loaded.is_empty(), || {
            format!("workgroup {workgroup}: there are lanes {loaded:?}")
        })?;
    }
    Ok(is_whole)
}

/// The loads of a lane in a step.
#[derive(Default)]
struct Step {
    all: BTreeSet<u64>,
    /// The elements that a result needs.
    own: BTreeSet<u64>,
}

/// The steps of each lane of each subgroup.
type Wanted = BTreeMap<(u32, u32), Vec<Step>>;

/// Returns the elements that the map assigns to each lane.
fn wanted(problem: &Problem, map: &LaneMap, workgroup: u64) -> Result<Wanted, Failed> {
    let mut wanted = Wanted::new();
    for step in 0..map.steps() {
        for load in map.loads(workgroup, step) {
            let steps = wanted.entry((load.subgroup, load.lane)).or_default();
            steps.resize_with(step as usize + 1, Step::default);
            let place = offset(problem, false, load.row) + offset(problem, true, load.column);
            ensure(place == load.offset, || format!("{load:?} is at {place}"))?;
            let elements = load.offset..load.offset + u64::from(load.length);
            steps[step as usize]
                .own
                .extend(elements.clone().skip(load.repeated as usize));
            steps[step as usize].all.extend(elements);
        }
    }
    Ok(wanted)
}

/// Returns the part of an element's place in the input that its row, or its column, adds.
fn offset(problem: &Problem, reduced: bool, number: u64) -> u64 {
    let (shape, strides) = (&problem.shape, problem.shape.strides());
    let (mut offset, mut rest) = (0, number);
    for d in (0..shape.rank())
        .rev()
        .filter(|&d| shape.is_reduced(d) == reduced)
    {
        let size = u64::from(shape.sizes()[d]);
        offset += rest % size * strides[d];
        rest /= size;
    }
    offset
}

/// Checks that a lane loads the elements of each step before those only in later steps. Returns
/// `Ok(false)` if only droppable loads are missing.
fn compare(loaded: &[u64], steps: &[Step]) -> Result<bool, String> {
    let mut is_whole = true;
    let (mut step, mut left) = (0, steps[0].all.clone());
    let is_done = |step: usize, left: &BTreeSet<u64>| left.is_disjoint(&steps[step].own);
    for (number, element) in loaded.iter().enumerate() {
        if left.remove(element) {
            continue;
        }
        let is_next = |step: usize| {
            steps
                .get(step + 1)
                .is_some_and(|next| next.all.contains(element))
        };
        if is_done(step, &left) && is_next(step) {
            is_whole &= left.is_empty();
            step += 1;
            left = steps[step].all.clone();
            left.remove(element);
        } else if !steps[..=step]
            .iter()
            .any(|before| before.all.contains(element))
        {
            return Err(format!(
                "load {number} is of element {element}, in step {step}, which lacks {left:?}"
            ));
        }
    }
    is_whole &= left.is_empty() && step + 1 == steps.len();
    let rest = steps[step + 1..].iter().all(|step| step.own.is_empty());
    match is_done(step, &left) && rest {
        true => Ok(is_whole),
        false => Err(format!("step {step} of {} lacks {left:?}", steps.len())),
    }
}

/// Returns the elements of the input that the lanes of a workgroup load.
fn run(
    problem: &Problem,
    map: &LaneMap,
    kernel: &CompiledKernel,
    code: &CodeObject,
    workgroup: u32,
) -> Result<Loaded, Failed> {
    let mut memory = EmulatedMemory::new();
    let mut buffers = Vec::new();
    for &size in &kernel.buffers {
        buffers.push(memory.allocate(size)?);
    }
    let input = buffers[kernel.input.buffer];
    let elements = memory.bytes_mut(input);
    let mut random = Random(u64::from(workgroup));
    // Any values will do, but for NaN; a large input may be all zeros.
    for byte in elements.iter_mut().take(1 << 16) {
        *byte = random.next() as u8 & 0x3f;
    }
    let start = input.get() + kernel.input.offset;
    let end = start + problem.shape.span() * u64::from(problem.element.bytes());
    let kernarg = run::kernarg(kernel, &buffers, 0);
    let only = [workgroup];
    let launch = KernelLaunch {
        workgroup_subset: Some(&only),
        instruction_limit: LIMIT,
        ..run::launch(code, kernel, &kernarg)?
    };
    let bytes = u64::from(problem.element.bytes());
    let (mut loaded, mut told) = (Loaded::new(), 0);
    let execution = observe_loads(code, &mut memory, &launch, &mut |loads| {
        told += u64::from(loads.bytes)
            * match loads.from {
                LoadAddresses::Lanes { mask, .. } => u64::from(mask.count_ones()),
                LoadAddresses::Scalar { .. } => 1,
            };
        let mut load = |lane: u32, address: u64| {
            if (start..end).contains(&address) {
                let first = (address - start) / bytes;
                let count = u64::from(loads.bytes).div_ceil(bytes);
                loaded
                    .entry((loads.wave, lane))
                    .or_default()
                    .extend(first..first + count);
            }
        };
        match loads.from {
            LoadAddresses::Lanes { mask, addresses } => (0u32..)
                .zip(addresses)
                .filter(|(lane, _)| mask >> lane & 1 == 1)
                .for_each(|(lane, &address)| load(lane, address)),
            LoadAddresses::Scalar { address } => {
                (0..map.subgroup_size()).for_each(|lane| load(lane, address))
            }
        }
    })?;
    // The counter of workgroups is no load of an element.
    let counted = execution.bytes_read - told;
    ensure(counted == if map.split() > 1 { 4 } else { 0 }, || {
        format!("{counted} bytes are read that nobody has told")
    })?;
    Ok(loaded)
}
