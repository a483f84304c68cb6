//! The measurement of a module: the verdict of an export, and the values with its kernels.

use std::path::{Path, PathBuf};

use serde_json::Value;
use testing::Failed;

use super::{TARGETS, values};
use crate::iree_kernels::tools::Tools;

/// A module of the corpus.
pub(super) struct CorpusModule {
    pub(super) name: String,
    pub(super) path: PathBuf,
    /// Its entry functions.
    pub(super) functions: Vec<String>,
    /// The inputs of the first function, in the notation of modules.tsv.
    pub(super) inputs: Vec<String>,
    /// The number of reductions, row operations and comparisons, counted by hand.
    pub(super) operations: u64,
    /// These operations, such as `1 softmax, 2 layer_norm`.
    pub(super) operation_names: String,
}

/// The times of a call in microseconds.
pub(super) struct Call {
    pub(super) function: String,
    /// `None` if iree-compile alone does not compile the module.
    pub(super) plain_us: Option<f64>,
    pub(super) time_us: f64,
}

/// A measured module.
pub(super) struct MeasuredModule {
    pub(super) name: String,
    pub(super) calls: Vec<Call>,
    /// Kernels of the calls as iree-compile makes them alone, and with the export.
    pub(super) plain_kernels: u64,
    pub(super) kernels: u64,
    /// Kernels that stay, and all that were judged.
    pub(super) kept: usize,
    pub(super) judged: usize,
    pub(super) untimed: u64,
    /// The compilations of the module.
    pub(super) compilations: u64,
    /// The time with all kernels, whether they gain or not, at the largest sizes.
    pub(super) all_us: Option<f64>,
    /// The first wrong value, if values were compared.
    pub(super) wrong: Option<String>,
    /// True if values were compared.
    pub(super) is_compared: bool,
}

/// Returns the corpus, in the order of its table.
pub(super) fn modules() -> Result<Vec<CorpusModule>, Failed> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testing/modules");
    let table = std::fs::read_to_string(folder.join("modules.tsv"))?;
    let mut lines = table.lines();
    let head: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let column = |name: &str| {
        let at = head.iter().position(|it| *it == name);
        at.ok_or_else(|| format!("modules.tsv has no column {name}"))
    };
    let (file, entry, inputs) = (column("file")?, column("entry")?, column("inputs")?);
    let (operations, names) = (column("row_count")?, column("rows")?);
    let module = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let cell = |at: usize| cells.get(at).copied().unwrap_or_default();
        Ok(CorpusModule {
            name: cell(file).trim_end_matches(".mlir").to_owned(),
            path: folder.join(cell(file)),
            functions: cell(entry).split(',').map(str::to_owned).collect(),
            inputs: cell(inputs).split_whitespace().map(str::to_owned).collect(),
            operations: cell(operations).parse()?,
            operation_names: cell(names).to_owned(),
        })
    };
    lines.map(module).collect()
}

/// The measured modules of the corpus for each of the targets.
pub(super) type Corpus = [Vec<Result<MeasuredModule, Failed>>; TARGETS.len()];

/// Measures the corpus on each target, and prints each module's result.
pub(super) fn measured_corpus(tools: &Tools) -> Result<Corpus, Failed> {
    let modules = modules()?;
    let on = |(target, device): (&str, &str)| {
        let measured = modules.iter().map(|module| {
            let measured = measured(tools, module, target, device, true);
            match &measured {
                Ok(it) => println!("{target} {}: {} of {}", it.name, it.kept, it.judged),
                Err(fault) => {
                    let fault = fault.message().unwrap_or_default();
                    println!("{target} {}: {fault}", module.name);
                }
            }
            measured
        });
        measured.collect()
    };
    // Most of a measurement is one thread of iree-compile and one of the emulator.
    Ok(std::thread::scope(|scope| {
        let threads = TARGETS.map(|target| scope.spawn(move || on(target)));
        threads.map(|it| it.join().expect("a measurement returns its faults"))
    }))
}

/// Exports the kernels that make a module faster, and compares its times and values. The time with
/// every kernel is only measured `with_all`.
pub(super) fn measured(
    tools: &Tools,
    module: &CorpusModule,
    target: &str,
    device: &str,
    with_all: bool,
) -> Result<MeasuredModule, Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let db = folder.join("none.db");
    let model = module.path.display().to_string();
    let kernels = folder.join("kernels");
    let export = |out: &Path, more: &[&str]| {
        let words = ["export", "iree-kernels", &model, "--target", target];
        let out = ["--out".to_owned(), out.display().to_string()];
        let words = words.iter().chain(more).map(|it| (*it).to_owned());
        let words: Vec<String> = words.chain(out).collect();
        tools.wavetune_said(&db, &words)
    };
    let (status, output, said) = export(&kernels, &["--output-format", "json"])?;
    // The command answers with exit code 1, too, if no kernel stays.
    let answer: Value = match &output[..] {
        // Nothing in the module can be replaced.
        [] if status == Some(1) => Value::Null,
        _ => serde_json::from_slice(&output).map_err(|_| format!("{}: {said}", module.name))?,
    };
    let judgement = &answer["judgement"];
    let calls = list(&judgement["calls"]);
    let judged = list(&judgement["kernels"]);
    let has_kernels = status == Some(0);
    let all = folder.join("all");
    let all_us = match with_all && export(&all, &["--unjudged"])?.0 == Some(0) {
        true => time_of(tools, &db, &model, device, &all)?,
        false => None,
    };
    let sum = |name: &str| calls.iter().filter_map(|it| it[name].as_u64()).sum::<u64>();
    let untimed = sum("untimed");
    let mut measured = MeasuredModule {
        name: module.name.clone(),
        plain_kernels: sum("plain_kernels"),
        kernels: sum("kernels"),
        kept: judged.iter().filter(|it| it["kept"] == true).count(),
        judged: judged.len(),
        untimed,
        compilations: judgement["profiles"].as_u64().unwrap_or(0),
        calls: (calls.iter())
            .filter_map(|it| {
                Some(Call {
                    function: it["function"].as_str()?.to_owned(),
                    plain_us: it["plain_us"].as_f64(),
                    time_us: it["time_us"].as_f64()?,
                })
            })
            .collect(),
        all_us,
        wrong: None,
        is_compared: false,
    };
    // A module with a kernel that is not emulated has no values.
    if has_kernels && untimed == 0 {
        measured.wrong = values::wrong(tools, folder, module, target, device, Some(&kernels))?;
        measured.is_compared = true;
    }
    Ok(measured)
}

/// Returns the time of all calls with the kernels of a folder, or `None` if the module does not
/// compile with them.
fn time_of(
    tools: &Tools,
    db: &Path,
    model: &str,
    device: &str,
    kernels: &Path,
) -> Result<Option<f64>, Failed> {
    let kernels = kernels.display().to_string();
    let words = ["profile", model, "--device", device, "--kernels", &kernels];
    let words = words.iter().chain(&["--output-format", "json"]);
    let words: Vec<String> = words.map(|it| (*it).to_owned()).collect();
    let (status, output, _) = tools.wavetune_said(db, &words)?;
    if status != Some(0) {
        return Ok(None);
    }
    let profile: Value = serde_json::from_slice(&output)?;
    let functions = list(&profile["functions"]);
    let times = functions.iter().map(|it| it["time_us"].as_f64());
    Ok(times.sum())
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
