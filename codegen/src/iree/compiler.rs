//! `iree-compile` as a program: one kernel at a time out of it.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use configgen::{Configuration, Problem, Target};
use sandbox::Sandbox;

use super::launch::Launch;
use super::plausible::is_plausible;
use super::{IreeError, Module};
use crate::child::{self, End, Ended};
use crate::tools::{self, Found, Missing, Tool};
use crate::{CompiledKernel, Compiler, Tiling};

/// The time that one compilation may take. Legal configurations take 0.3 s, on a busy machine up to 4 s; IREE's own
/// choices take anything up to minutes.
pub const TIME_LIMIT: Duration = Duration::from_secs(10);

/// What a message may measure, in characters: an operation in the generic form can have thousands.
const MESSAGE_LENGTH: usize = 300;

/// Options beside those of [`options`]: how far to compile, and everything about the launch in one function (see `launch`).
pub(super) const HOST_OPTIONS: [&str; 2] = ["--compile-to=hal", "--iree-hal-memoization=false"];

/// The options with which every kernel for `target` is compiled.
pub(super) fn options(target: &Target) -> [String; 4] {
    [
        "--iree-hal-target-device=hip".to_owned(),
        format!("--iree-rocm-target={target}"),
        // By default IREE computes f64 problems in f32.
        "--iree-input-demote-f64-to-f32=false".to_owned(),
        // One kernel has nothing to compile in parallel; the callers run several compilations instead.
        "--mlir-disable-threading".to_owned(),
    ]
}

/// An `iree-compile` that works.
#[derive(Debug, Clone)]
pub struct IreeCompiler {
    path: PathBuf,
    version: String,
    limit: Duration,
    sandbox: Option<Sandbox>,
}

impl IreeCompiler {
    /// Finds the compiler and asks it for its version.
    ///
    /// # Errors
    ///
    /// [`Missing`]: where it was looked for in vain, and how to install it.
    pub fn find() -> Result<Self, Missing> {
        let Found { path, version, .. } = tools::find(Tool::IreeCompile)?;
        Ok(Self {
            path,
            version,
            limit: TIME_LIMIT,
            sandbox: None,
        })
    }

    /// The same compiler in a sandbox.
    ///
    /// # Errors
    ///
    /// [`Missing`]: it does not start there.
    pub fn in_sandbox(mut self, sandbox: Sandbox) -> Result<Self, Missing> {
        tools::try_in_sandbox(Tool::IreeCompile, &self.path, &sandbox)?;
        self.sandbox = Some(sandbox);
        Ok(self)
    }

    /// The same compiler with another time limit for one compilation.
    #[must_use]
    pub fn with_time_limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its version, for provenance: `3.13.0rc20261016`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Compiles one problem in a child process; without a configuration with IREE's own choice.
    ///
    /// # Errors
    ///
    /// Every way in which the compiler can fail; see [`IreeError`].
    pub fn compile(
        &self,
        problem: &Problem,
        target: &Target,
        configuration: Option<&Configuration>,
    ) -> Result<CompiledKernel, IreeError> {
        let module = Module::new(problem, configuration)?;
        let folder = tempfile::Builder::new()
            .prefix("wavetune-iree-")
            .tempdir()
            .map_err(IreeError::io(std::env::temp_dir()))?;
        let folder = folder.path();
        let source = folder.join("module.mlir");
        let host = folder.join("host.mlir");
        fs::write(&source, module.to_string()).map_err(IreeError::io(&source))?;

        let sandbox = self.sandbox.as_ref();
        let mut command = child::command(sandbox, &self.path, &[&self.path], Some(folder));
        command
            .args(options(target))
            .args(HOST_OPTIONS)
            .arg(&source)
            .arg("-o")
            .arg(&host)
            .arg(option("--iree-hal-dump-executable-binaries-to=", folder))
            .arg(option(
                "--iree-hal-dump-executable-configurations-to=",
                folder,
            ));
        outcome(
            child::run(&mut command, self.limit).map_err(IreeError::io(&self.path))?,
            self.limit,
        )?;

        let launch = Launch::read(&read_text(&host)?)?;
        let configured = read_text(&only(folder, "configured_", ".mlir")?)?;
        let code_object = only(folder, "", ".hsaco")?;
        Ok(CompiledKernel {
            tiling: tiling(problem, configuration, launch.workgroups),
            code_object: fs::read(&code_object)
                .map_err(IreeError::io(&code_object))?
                .into(),
            symbol: launch.symbol,
            workgroups: launch.workgroups,
            workgroup_size: workgroup_size(&configured)?,
            arguments: launch.arguments,
            buffers: launch.buffers,
            input: launch.input,
            explicit_indices: launch.explicit_indices,
            workspace: None,
            results: vec![launch.values, launch.indices],
            compiler: self.compiler(),
        })
    }

    /// The compiler that makes the code, for provenance.
    pub fn compiler(&self) -> Compiler {
        Compiler {
            name: "iree-compile".into(),
            version: self.version.clone(),
            linker: String::new(),
        }
    }

    /// Whether a kernel that was compiled elsewhere, whatever its code does, is launched as one could be that is compiled here.
    pub fn is_launch_of(
        &self,
        problem: &Problem,
        target: &Target,
        configuration: Option<&Configuration>,
        kernel: &CompiledKernel,
    ) -> bool {
        kernel.compiler == self.compiler()
            && is_plausible(problem, target, kernel)
            && kernel.tiling == tiling(problem, configuration, kernel.workgroups)
    }
}

/// IREE numbers the boxes of a configuration row by row. Its own choice is known where at most one dimension is
/// parallel: each workgroup takes as many rows as the others.
fn tiling(
    problem: &Problem,
    configuration: Option<&Configuration>,
    workgroups: [u32; 3],
) -> Option<Tiling> {
    let workgroups: u64 = workgroups.into_iter().map(u64::from).product();
    let sizes = problem.shape.sizes();
    let parallel: Vec<usize> = problem.shape.parallel().collect();
    let tiles: Vec<u32> = match (configuration, &parallel[..]) {
        (Some(configuration), _) => {
            let tiles = parallel
                .iter()
                .map(|&d| configuration.lowering.workgroup.get(d));
            tiles.map(Option::<&u32>::copied).collect::<Option<_>>()?
        }
        (None, []) => Vec::new(),
        (None, &[d]) => vec![u64::from(sizes[d]).checked_div(workgroups)? as u32],
        (None, _) => return None,
    };
    let tiling = Tiling::new(parallel.iter().map(|&d| sizes[d]).zip(tiles))?;
    (tiling.boxes() == workgroups).then_some(tiling)
}

/// `--option=PATH` without a detour over text: a path need not be UTF-8.
fn option(option: &str, path: &Path) -> std::ffi::OsString {
    let mut argument = std::ffi::OsString::from(option);
    argument.push(path);
    argument
}

fn outcome(ended: Ended, limit: Duration) -> Result<(), IreeError> {
    let message = first_error(&ended.messages);
    match ended.end {
        End::Success => Ok(()),
        End::TimedOut => Err(IreeError::TimedOut { limit }),
        End::Signal(signal) => Err(IreeError::Crashed { signal, message }),
        End::Failure => Err(IreeError::Rejected { message }),
    }
}

/// The first line that says what is wrong: `place: error: message` or `LLVM ERROR: message`, else the first line.
fn first_error(messages: &str) -> String {
    let lines = || messages.lines().map(str::trim);
    let error = lines().find_map(|line| line.split_once("error: "));
    let fatal = || lines().find_map(|line| line.split_once("LLVM ERROR: "));
    let message = error.or_else(fatal).map(|(_place, message)| message);
    let message = message.or_else(|| lines().find(|line| !line.is_empty()));
    cut(message.unwrap_or("no message"))
}

fn cut(message: &str) -> String {
    let mut characters = message.chars();
    let mut text: String = characters.by_ref().take(MESSAGE_LENGTH).collect();
    if characters.next().is_some() {
        text.push('…');
    }
    text
}

fn read_text(path: &Path) -> Result<String, IreeError> {
    fs::read_to_string(path).map_err(IreeError::io(path))
}

/// The only file of the folder with this beginning and this end of its name.
fn only(folder: &Path, prefix: &str, suffix: &str) -> Result<PathBuf, IreeError> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(IreeError::io(folder))? {
        let path = entry.map_err(IreeError::io(folder))?.path();
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        if name.starts_with(prefix) && name.ends_with(suffix) {
            found.push(path);
        }
    }
    match <[PathBuf; 1]>::try_from(found) {
        Ok([path]) => Ok(path),
        Err(found) => Err(IreeError::Unreadable(format!(
            "{} files {prefix}*{suffix} instead of 1",
            found.len()
        ))),
    }
}

/// The workgroup size of the configured kernel, which its `translation_info` names whoever chose it.
fn workgroup_size(configured: &str) -> Result<[u32; 3], IreeError> {
    let sizes = configured
        .split_once("#iree_codegen.translation_info<")
        .and_then(|(_, rest)| rest.split_once("workgroup_size = ["))
        .and_then(|(_, rest)| rest.split_once(']'))
        .map(|(sizes, _)| sizes);
    let numbers = sizes.map(|sizes| sizes.split(", ").map_while(|size| size.parse().ok()));
    numbers
        .map(Iterator::collect::<Vec<u32>>)
        .and_then(|numbers| numbers.try_into().ok())
        .ok_or_else(|| IreeError::Unreadable("no workgroup size of three numbers".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_error(messages: &str, expected: &str) {
        assert_eq!(first_error(messages), expected);
    }

    #[test]
    fn the_first_meaningful_line_of_a_failure() {
        check_error(
            "dir/configured.mlir:8:6: error: 'func.func' op failed to distribute\n  func.func @main\n",
            "'func.func' op failed to distribute",
        );
        check_error(
            "<unknown>:0: warning: a\nmodule.mlir:3:1: error: first\nmodule.mlir:9:1: error: second\n",
            "first",
        );
        check_error(
            "LLVM ERROR: Do not know how to promote this operator!\nStack dump:\n",
            "Do not know how to promote this operator!",
        );
        check_error(
            "\n  iree-compile: Unknown argument\n",
            "iree-compile: Unknown argument",
        );
        check_error("", "no message");
        check_error(
            &format!("a: error: {}", "é".repeat(1000)),
            &format!("{}…", "é".repeat(MESSAGE_LENGTH)),
        );
    }

    #[track_caller]
    fn check_outcome(end: End, expected: &str) {
        let ended = Ended {
            end,
            output: String::new(),
            messages: "m.mlir:1:1: error: bad tile\n".to_owned(),
        };
        let error = outcome(ended, Duration::from_millis(2500)).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn every_end_but_success_is_an_error_of_its_own() {
        check_outcome(End::Failure, "iree-compile: bad tile");
        check_outcome(
            End::Signal(6),
            "iree-compile crashed with signal 6: bad tile",
        );
        check_outcome(
            End::TimedOut,
            "iree-compile was stopped at its time limit of 2.5 s",
        );
    }

    #[track_caller]
    fn check_size(configured: &str, expected: Option<[u32; 3]>) {
        assert_eq!(workgroup_size(configured).ok(), expected);
    }

    #[test]
    fn workgroup_sizes() {
        check_size(
            "#iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<TileAndFuse> workgroup_size = [128, 2, 1] subgroup_size = 64>",
            Some([128, 2, 1]),
        );
        check_size(
            "#iree_codegen.translation_info<pipeline = X workgroup_size = [128, 2] x>",
            None,
        );
        check_size(
            "#iree_codegen.translation_info<pipeline = X workgroup_size = [128, -2, 1] x>",
            None,
        );
        check_size("workgroup_size = [128, 2, 1]", None);
    }

    /// Where the ranges of rows of the first box begin and end, and how many boxes there are.
    #[track_caller]
    fn check_tiling(
        problem: &str,
        workgroup: Option<&[u32]>,
        workgroups: [u32; 3],
        expected: Option<(&[(u64, u64)], u64)>,
    ) {
        let problem: Problem = problem.parse().unwrap();
        let configuration = workgroup.map(|tiles| {
            let target = Target::named("gfx942").unwrap();
            let space = configgen::Space::new(&problem, target, configgen::Generator::IREE);
            let mut configuration = space.sample(1, 0).remove(0);
            configuration.lowering.workgroup = tiles.iter().copied().collect();
            configuration
        });
        let found = tiling(&problem, configuration.as_ref(), workgroups);
        let found = found.map(|tiling| {
            let rows = tiling.rows_of(0).into_iter();
            let rows: Vec<_> = rows.map(|rows| (rows.start, rows.end)).collect();
            (rows, tiling.boxes())
        });
        let expected = expected.map(|(rows, boxes)| (rows.to_vec(), boxes));
        assert_eq!(found, expected, "{problem} {workgroup:?}");
    }

    #[test]
    fn rows_of_a_workgroup() {
        check_tiling("argmax:12x[64]xf32", None, [3, 1, 1], Some((&[(0, 4)], 3)));
        check_tiling(
            "argmax:[64]x12xf32",
            None,
            [12, 1, 1],
            Some((&[(0, 1)], 12)),
        );
        check_tiling("argmax:[64]xf32", None, [1, 1, 1], Some((&[(0, 1)], 1)));
        check_tiling("argmax:12x[64]xf32", None, [5, 1, 1], None);
        check_tiling("argmax:12x[64]xf32", None, [0, 1, 1], None);
        check_tiling("argmax:3x4x[64]xf32", None, [12, 1, 1], None);
        let boxes: &[_] = &[(0, 2), (6, 8)];
        check_tiling(
            "argmax:4x[64]x6xf32",
            Some(&[2, 0, 2]),
            [3, 2, 1],
            Some((boxes, 6)),
        );
        check_tiling("argmax:4x[64]x6xf32", Some(&[2, 0, 2]), [5, 1, 1], None);
        check_tiling("argmax:4x[64]x6xf32", Some(&[2, 0]), [6, 1, 1], None);
        check_tiling("argmax:4x[64]x6xf32", Some(&[2, 0, 0]), [6, 1, 1], None);
    }
}
