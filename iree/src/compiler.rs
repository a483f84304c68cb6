//! The program `iree-compile`: each run compiles one kernel.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use codegen_sandbox::Sandbox;
use configgen::{
    Configuration, Generator, Problem, SplitReduction, Target, Tiles, default_configuration,
};
use tempfile::TempDir;

use super::executable::{Executable, Executables, workgroups};
use super::launch::ModuleLaunch;
use super::launch_check::is_plausible;
use super::outcome::outcome;
use super::output_cache::{OutputCache, SOURCE};
use super::{IreeError, MlirModule};
use codegen::child_process;
use codegen::tools::{self, FoundTool, MissingTool, Tool};
use codegen::{CompiledKernel, Compiler, Tiling};

/// The time limit of one compilation. Legal configurations take 0.3 s, or up to 4 s on a busy
/// machine. IREE's own choices take up to minutes.
pub const TIME_LIMIT: Duration = Duration::from_secs(10);

/// The options beside those of [`options`]: the last phase, and all of the launch in one function
/// (see `launch`).
pub(super) const HOST_OPTIONS: [&str; 2] = ["--compile-to=hal", "--iree-hal-memoization=false"];

/// The option that replaces them to compile an executable.
const EXECUTABLE_OPTIONS: [&str; 1] = ["--compile-mode=hal-executable"];

/// The compiled module. No name of an executable has this beginning or end.
pub(super) const OUTPUT: &str = "host.mlir";

/// The attribute of an operation that took its configuration from a spec.
pub(super) const APPLIED: &str = "__tuning_spec_applied__";

/// Returns the options with which every kernel for `target` is compiled.
pub(super) fn options(target: &Target) -> [String; 4] {
    [
        "--iree-hal-target-device=hip".to_owned(),
        format!("--iree-rocm-target={target}"),
        // By default IREE computes f64 problems in f32.
        "--iree-input-demote-f64-to-f32=false".to_owned(),
        // One kernel has nothing to compile in parallel; callers run several compilations
        // instead.
        "--mlir-disable-threading".to_owned(),
    ]
}

/// A working `iree-compile`.
#[derive(Debug, Clone)]
pub struct IreeCompiler {
    pub(super) path: PathBuf,
    version: String,
    pub(super) limit: Duration,
    pub(super) sandbox: Option<Sandbox>,
    executables: Executables,
    outputs: OutputCache,
}

impl IreeCompiler {
    /// Finds the compiler and asks it for its version.
    ///
    /// # Errors
    ///
    /// [`MissingTool`]: the candidates, and the install command.
    pub fn find() -> Result<Self, MissingTool> {
        let FoundTool { path, version, .. } = tools::find(Tool::IreeCompile)?;
        Ok(Self {
            path,
            version,
            limit: TIME_LIMIT,
            sandbox: None,
            executables: Executables::default(),
            outputs: OutputCache::of_environment(),
        })
    }

    /// Disables the cache, even if the environment names one: the compiler then runs for each
    /// kernel.
    #[must_use]
    pub fn without_cache(mut self) -> Self {
        self.outputs = OutputCache::none();
        self
    }

    /// Moves the compiler into a sandbox.
    ///
    /// # Errors
    ///
    /// [`MissingTool`]: the compiler does not start there.
    pub fn in_sandbox(mut self, sandbox: Sandbox) -> Result<Self, MissingTool> {
        tools::try_in_sandbox(Tool::IreeCompile, &self.path, &sandbox)?;
        self.sandbox = Some(sandbox);
        // The output of an untrusted compiler must not reach others through the cache.
        Ok(self.without_cache())
    }

    /// Sets another time limit for one compilation.
    #[must_use]
    pub fn with_time_limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Returns the compiler's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the compiler's version, for provenance, such as `3.13.0rc20261016`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Compiles one problem in a child process. Without a configuration, IREE makes its own
    /// choice.
    ///
    /// # Errors
    ///
    /// Every failure of the compiler; see [`IreeError`].
    pub fn compile(
        &self,
        problem: &Problem,
        target: &Target,
        configuration: Option<&Configuration>,
    ) -> Result<CompiledKernel, IreeError> {
        let module = MlirModule::new(problem, configuration)?;
        let folder = folder()?;
        let folder = folder.path();
        if let Some(configuration) = configuration
            && SplitReduction::of(problem, configuration).is_some()
        {
            let options = HOST_OPTIONS.map(OsString::from);
            self.run_with_spec(target, folder, &module, (problem, configuration), &options)?;
            return self.split_kernel(problem, configuration, folder);
        }
        if let Some(configuration) = configuration.filter(|_| module.has_spec()) {
            let options = HOST_OPTIONS.map(OsString::from);
            self.run_with_spec(target, folder, &module, (problem, configuration), &options)?;
            // IREE ignores a spec that does not match without a message, so the result must be
            // checked.
            let configured = read_text(&only(folder, "configured_", ".mlir")?)?;
            if !configured.contains(APPLIED) {
                let message = "an operation that took no configuration of the spec".to_owned();
                return Err(IreeError::Unreadable(message));
            }
            let host = read_text(&folder.join(OUTPUT))?;
            let launch = ModuleLaunch::read(&host, problem.results().len(), None)?;
            if launch.merge.is_some() {
                return Err(IreeError::Unreadable("2 dispatches".to_owned()));
            }
            let tiling = tiling(
                problem,
                target,
                Some(configuration),
                launch.first.workgroups,
            );
            return self.kernel(folder, launch, workgroup_size(&configured)?, tiling);
        }
        // From a problem's second configuration on, its executable is known and its host program
        // need not be compiled.
        let tiling_of = |workgroups| tiling(problem, target, configuration, workgroups);
        let known = configuration.and_then(|configuration| {
            let executable = self.executables.of(problem, target)?;
            let launch = executable.launch(&tiles(problem, &configuration.lowering.workgroup)?)?;
            Some((executable.source(module.configuration()?), launch))
        });
        let launch = match known {
            Some((source, launch)) => {
                self.run(target, folder, &source, &EXECUTABLE_OPTIONS)?;
                launch
            }
            None => {
                let sources = option("--iree-hal-dump-executable-sources-to=", folder);
                let options = HOST_OPTIONS.map(OsString::from);
                let options = [&options[..], &[sources]].concat();
                self.run(target, folder, &module.to_string(), &options)?;
                let host = read_text(&folder.join(OUTPUT))?;
                let count = problem.shape.counts().map(|it| *it.end());
                let launch = ModuleLaunch::read(&host, problem.results().len(), count)?;
                if launch.merge.is_some() {
                    return Err(IreeError::Unreadable("2 dispatches".to_owned()));
                }
                let tiling = tiling_of(launch.first.workgroups);
                // The launch is read for the largest count only, so the tiling must predict the
                // others.
                check_counts(problem, &host, tiling.as_ref())?;
                if configuration.is_some() {
                    let source = read_text(&only(folder, "module_", ".mlir")?)?;
                    let executable = Executable::new(&source, &launch, tiling.as_ref())?;
                    if let Some(executable) = executable {
                        self.executables.keep(problem, target, executable);
                    }
                }
                launch
            }
        };
        let configured = read_text(&only(folder, "configured_", ".mlir")?)?;
        let tiling = tiling_of(launch.first.workgroups);
        self.kernel(folder, launch, workgroup_size(&configured)?, tiling)
    }

    /// Returns the kernel whose code object is in a folder, without a merge.
    pub(super) fn kernel(
        &self,
        folder: &Path,
        launch: ModuleLaunch,
        workgroup_size: [u32; 3],
        tiling: Option<Tiling>,
    ) -> Result<CompiledKernel, IreeError> {
        let code_object = only(folder, "", ".hsaco")?;
        Ok(CompiledKernel {
            tiling,
            code_object: fs::read(&code_object)
                .map_err(IreeError::io(&code_object))?
                .into(),
            symbol: launch.first.symbol,
            workgroups: launch.first.workgroups,
            workgroup_size,
            arguments: launch.first.arguments,
            buffers: launch.buffers,
            input: launch.input,
            operands: launch.operands,
            workspace: None,
            sharers: 1,
            results: launch.results,
            merge: None,
            compiler: self.compiler(),
        })
    }

    /// Compiles `source` in a folder. Afterwards the folder has the output, the configured
    /// executable and the code object.
    pub(super) fn run(
        &self,
        target: &Target,
        folder: &Path,
        source: &str,
        how: &[impl AsRef<OsStr>],
    ) -> Result<(), IreeError> {
        let file = folder.join(SOURCE);
        fs::write(&file, source).map_err(IreeError::io(&file))?;
        let mut arguments = Vec::from(options(target).map(OsString::from));
        arguments.extend(how.iter().map(|it| it.as_ref().to_owned()));
        arguments.extend([file.into(), "-o".into(), folder.join(OUTPUT).into()]);
        let dumps = ["binaries", "configurations"];
        let dumps = dumps.map(|it| option(&format!("--iree-hal-dump-executable-{it}-to="), folder));
        arguments.extend(dumps);
        self.outputs.of(&self.path, &arguments, folder, || {
            let sandbox = self.sandbox.as_ref();
            let mut command =
                child_process::command(sandbox, &self.path, &[&self.path], Some(folder));
            command.args(&arguments);
            let ended =
                child_process::run(&mut command, self.limit).map_err(IreeError::io(&self.path))?;
            outcome(ended, self.limit)
        })
    }

    /// Returns the compiler's name and version, for provenance.
    pub fn compiler(&self) -> Compiler {
        Compiler {
            name: "iree-compile".into(),
            version: self.version.clone(),
            linker: String::new(),
        }
    }

    /// Returns true if a kernel from another machine has launch parameters that this
    /// configuration could produce. Does not look at its code.
    pub fn is_launch_of(
        &self,
        problem: &Problem,
        target: &Target,
        configuration: Option<&Configuration>,
        kernel: &CompiledKernel,
    ) -> bool {
        let pieces = configuration.map_or(1, |configuration| configuration.knobs.split);
        let [x, y, z] = kernel.workgroups;
        let workgroups = [x / pieces.max(1), y, z];
        kernel.compiler == self.compiler()
            && is_plausible(problem, target, pieces, kernel)
            && kernel.tiling == tiling(problem, target, configuration, workgroups)
    }
}

/// Checks that launches with other counts have the workgroups of the tiling.
fn check_counts(problem: &Problem, host: &str, tiling: Option<&Tiling>) -> Result<(), IreeError> {
    for count in problem.timed_counts() {
        let launch = ModuleLaunch::read(host, problem.results().len(), Some(count))?;
        let told = tiling.and_then(|tiling| tiling.at_count(count));
        if told.as_ref().and_then(workgroups) != Some(launch.first.workgroups) {
            let message = format!(
                "with {count} places of the outermost dimension its workgroups are {:?}",
                launch.first.workgroups
            );
            return Err(IreeError::Unreadable(message));
        }
    }
    Ok(())
}

/// Returns the tiling of a kernel. IREE numbers the boxes of a configuration in row-major order.
/// The tiling of IREE's own choice is known only if at most one dimension is parallel: each
/// workgroup takes the same number of rows. With an open count, it is assumed to be the default
/// rule's.
fn tiling(
    problem: &Problem,
    target: &Target,
    configuration: Option<&Configuration>,
    workgroups: [u32; 3],
) -> Option<Tiling> {
    let workgroups: u64 = workgroups.into_iter().map(u64::from).product();
    let tiling = match configuration {
        Some(configuration) => tiles(problem, &configuration.lowering.workgroup)?,
        None if problem.shape.counts().is_some() => {
            let default = default_configuration(problem, target, Generator::IREE);
            tiles(problem, default.ok()?.workgroup())?
        }
        None => {
            let sizes = problem.shape.sizes();
            match problem.shape.parallel().collect::<Vec<_>>()[..] {
                [] => Tiling::new([])?,
                [d] => {
                    let tile = u64::from(sizes[d]).checked_div(workgroups)?;
                    Tiling::new([(sizes[d], tile as u32)])?
                }
                _ => return None,
            }
        }
    };
    (tiling.boxes() == workgroups).then_some(tiling)
}

/// Returns the tiling with a configuration's or the default's tiles.
pub(super) fn tiles(problem: &Problem, workgroup: &Tiles) -> Option<Tiling> {
    let sizes = problem.shape.sizes();
    let tiles = problem.shape.parallel().map(|d| {
        let tile = workgroup.get(d).copied();
        tile.map(|tile| (sizes[d], tile))
    });
    Tiling::new(tiles.collect::<Option<Vec<(u32, u32)>>>()?)
}

/// Returns `--option=PATH` without a conversion to text, because a path need not be UTF-8.
pub(super) fn option(option: &str, path: &Path) -> OsString {
    let mut argument = OsString::from(option);
    argument.push(path);
    argument
}

/// Reads a text that the compiler wrote. A missing text after a successful run is the compiler's
/// fault and not the machine's.
pub(super) fn read_text(path: &Path) -> Result<String, IreeError> {
    fs::read_to_string(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::InvalidData => {
            let name = path.file_name().unwrap_or_default().display();
            IreeError::Unreadable(format!("{name}: {error}"))
        }
        _ => IreeError::io(path)(error),
    })
}

/// Creates a folder for one run of the compiler.
pub(super) fn folder() -> Result<TempDir, IreeError> {
    let folder = tempfile::Builder::new().prefix("wavetune-iree-").tempdir();
    folder.map_err(IreeError::io(std::env::temp_dir()))
}

/// Returns the only file of the folder whose name has this beginning and end.
pub(super) fn only(folder: &Path, prefix: &str, suffix: &str) -> Result<PathBuf, IreeError> {
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

/// Returns the workgroup size of the configured kernel. Its `translation_info` has one for a
/// given configuration and for IREE's own choice.
pub(super) fn workgroup_size(configured: &str) -> Result<[u32; 3], IreeError> {
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

    #[test]
    fn a_file_that_was_not_written_is_the_compilers_fault() {
        let folder = tempfile::tempdir().unwrap();
        let fault = read_text(&folder.path().join(OUTPUT)).unwrap_err();
        assert!(matches!(fault, IreeError::Unreadable(_)), "{fault}");
        let fault = read_text(folder.path()).unwrap_err();
        assert!(matches!(fault, IreeError::Io { .. }), "{fault}");
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

    /// Checks the ranges of rows of the first box, and the number of boxes.
    #[track_caller]
    fn check_tiling(
        problem: &str,
        workgroup: Option<&[u32]>,
        workgroups: [u32; 3],
        expected: Option<(&[(u64, u64)], u64)>,
    ) {
        let problem: Problem = problem.parse().unwrap();
        let target = Target::named("gfx942").unwrap();
        let configuration = workgroup.map(|tiles| {
            let space = configgen::Space::new(&problem, target, configgen::Generator::IREE);
            let mut configuration = space.sample(1, 0).remove(0);
            configuration.lowering.workgroup = tiles.iter().copied().collect();
            configuration
        });
        let found = tiling(&problem, target, configuration.as_ref(), workgroups);
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
        let open = "argmax:?x64x[1000]xf32:i32:count=1..8";
        check_tiling(open, None, [8, 1, 1], Some((&[(0, 64)], 8)));
        check_tiling(open, None, [64, 1, 1], None);
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
