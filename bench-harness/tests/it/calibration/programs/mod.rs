//! Tests of the time model against nine programs that were measured on an MI300A.
//!
//! `mi300a.tsv` has their times, from MGPUSim's gpu_perf_scripts: event to event, with warm
//! caches. `programs.hip` has kernels of the same algorithms. `errors.tsv` stores the error of
//! each program; UPDATE_EXPECT=1 writes it, and `-- --nocapture` prints every point.

mod launches;

use bench_harness::machine;
use configgen::Device;
use emulator::model::{CacheState, Machine, estimate};
use emulator::{CodeObject, EmulatedMemory, KernelLaunch, profile};
use testing::Failed;

use super::{measure, statistics};
use launches::Launch;

/// A measured run of a program.
pub(super) struct Point {
    program: &'static str,
    size: &'static str,
    grid: [u32; 3],
    block: [u32; 3],
    launches: u32,
    mean_us: f64,
}

/// Returns the measured points.
fn points() -> Result<Vec<Point>, Failed> {
    let numbers = |text: &str| -> Result<[u32; 3], Failed> {
        let numbers: Result<Vec<u32>, _> = text.split('x').map(str::parse).collect();
        numbers?.try_into().map_err(|_| "no three numbers".into())
    };
    let lines = include_str!("mi300a.tsv").lines().skip(2);
    let point = |line: &'static str| {
        let columns: Vec<&str> = line.split('\t').collect();
        let [program, size, grid, block, launches, mean_us, _] = columns[..] else {
            return Err(format!("not seven columns: {line}").into());
        };
        Ok(Point {
            program,
            size,
            grid: numbers(grid)?,
            block: numbers(block)?,
            launches: launches.parse()?,
            mean_us: mean_us.parse()?,
        })
    };
    lines.map(point).collect()
}

/// Checks the error of each program.
pub(super) fn errors() -> Result<(), Failed> {
    let device = Device::named("mi300a").ok_or("no such device")?;
    let machine = machine(device);
    let code = measure::compile(device.target().name, "programs/programs.hip")?;
    let points = points()?;
    let mut found: Vec<(&str, Vec<(f64, f64)>)> = Vec::new();
    for point in &points {
        let modelled = modelled(&code, &machine, point)?;
        println!(
            "{} {}: {modelled:.1} µs, measured {:.1}, ratio {:.2}",
            point.program,
            point.size,
            point.mean_us,
            modelled / point.mean_us
        );
        if found.last().is_none_or(|last| last.0 != point.program) {
            found.push((point.program, Vec::new()));
        }
        let last = found.last_mut().ok_or("no program")?;
        last.1.push((point.mean_us, modelled));
    }
    let all = found.iter().flat_map(|program| program.1.clone()).collect();
    found.push(("all", all));
    let table = table(&found);
    println!("{table}");
    if std::env::var_os("UPDATE_EXPECT").is_some_and(|value| value == "1") {
        let folder = "/tests/it/calibration/programs/errors.tsv";
        std::fs::write(format!("{}{folder}", env!("CARGO_MANIFEST_DIR")), &table)?;
        return Ok(());
    }
    match table == include_str!("errors.tsv") {
        true => Ok(()),
        false => Err("errors.tsv differs; UPDATE_EXPECT=1 writes what was found".into()),
    }
}

/// Returns the modelled microseconds of a point.
fn modelled(code: &CodeObject, machine: &Machine, point: &Point) -> Result<f64, Failed> {
    let mut memory = EmulatedMemory::new();
    let plan = launches::plan(point, &mut memory)?;
    let copies = plan.copies.iter();
    let mut time_us: f64 = copies.map(|&bytes| machine.host_copy.us(bytes)).sum();
    // The first launch of a run costs more than those behind it.
    let behind = machine.launch.floor_us - machine.launch.behind_us;
    time_us += behind;
    for Launch { kernarg, times } in &plan.launches {
        let launch = KernelLaunch {
            kernel: code.kernel(point.program).ok_or("no such kernel")?,
            workgroups: point.grid,
            workgroup_size: point.block,
            dynamic_lds_bytes: plan.lds_bytes,
            kernarg,
            workgroup_subset: None,
            instruction_limit: 1 << 24,
            resident_workgroups: 0,
            threads: 0,
        };
        let profile = profile(
            code,
            &mut memory,
            &launch,
            bench_harness::PROFILED_WORKGROUPS,
        )?;
        let estimate = estimate(&profile, machine, CacheState::Warm);
        if std::env::var_os("PARTS").is_some() {
            println!("    {} {times}: {:?}", point.size, estimate);
        }
        time_us += times * (estimate.time_us - behind);
    }
    Ok(time_us)
}

/// Formats the errors in percent, and the ratios of modelled to measured times.
fn table(found: &[(&str, Vec<(f64, f64)>)]) -> String {
    let mut text = "program\tpoints\tmape\twmape\trank\tleast\tmedian\tmost\n".to_owned();
    for (program, points) in found {
        let error: f64 = points.iter().map(|(one, other)| (one - other).abs()).sum();
        let sum: f64 = points.iter().map(|point| point.0).sum();
        let mut ratios: Vec<f64> = points.iter().map(|point| point.1 / point.0).collect();
        ratios.sort_by(f64::total_cmp);
        text += &format!(
            "{program}\t{}\t{:.1}\t{:.1}\t{:.3}\t{:.2}\t{:.2}\t{:.2}\n",
            points.len(),
            100.0 * statistics::mean_error(points),
            100.0 * error / sum,
            statistics::rank_correlation(points),
            ratios[0],
            ratios[ratios.len() / 2],
            ratios[ratios.len() - 1]
        );
    }
    text
}
