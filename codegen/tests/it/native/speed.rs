//! The time of the generator from a configuration to a code object.

use codegen::native::{BATCH, Native};
use configgen::Target;
use testing::Failed;

use crate::native::triples;

/// The processor time that a configuration may take, in milliseconds: the median over batches of
/// random triples, each a batch of its target. It is twice the time of the slowest machine that
/// runs these tests. The same code took 7.8 ms on one and 16 to 22 ms on others, three quarters
/// of it in LLVM.
const LIMIT_MS: f64 = 40.0;

/// Prints the figures, visible with `--nocapture`. Processor time belongs to the whole process,
/// so the test must run alone.
pub(crate) fn random_kernels_compile_quickly(native: &Native) -> Result<(), Failed> {
    let mut times_ms = Vec::new();
    for (name, kernels) in triples::random_triples(3000, 12)? {
        let target = Target::named(name).ok_or("a target of the table")?;
        for batch in kernels.chunks_exact(BATCH) {
            let began = processor_ms()?;
            let compiled = native.compile_batch(target, batch);
            times_ms.push((processor_ms()? - began) / BATCH as f64);
            compiled.into_iter().collect::<Result<Vec<_>, _>>()?;
        }
    }
    times_ms.sort_by(f64::total_cmp);
    let at = |part: f64| times_ms[((times_ms.len() - 1) as f64 * part) as usize];
    let (median, most) = (at(0.5), at(1.0));
    println!(
        "{} batches of {BATCH}: median {median:.2} ms a configuration, from {:.2} to {most:.2}, nine of ten below {:.2}",
        times_ms.len(),
        at(0.0),
        at(0.9),
    );
    match median <= LIMIT_MS {
        true => Ok(()),
        false => Err(format!("{median:.2} ms a configuration, more than {LIMIT_MS}").into()),
    }
}

/// Returns the processor time of this process and of its ended children (linkers):
/// proc_pid_stat(5), fields 14 to 17, in ticks of 10 ms.
fn processor_ms() -> Result<f64, Failed> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let (_, fields) = stat.rsplit_once(") ").ok_or("a name in brackets")?;
    let ticks = fields.split(' ').skip(11).take(4).map(str::parse::<f64>);
    Ok(ticks.sum::<Result<f64, _>>()? * 10.0)
}
