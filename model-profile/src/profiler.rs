//! The profiler: compiles a module and profiles calls of its functions.
//!
//! A profile is kept in the object cache, under the hash of everything that determines it.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::Write as _;
use std::path::Path;

use bench_harness::least_us;
use codegen_object_cache::Cache;
use configgen::Device;
use iree::{CallJournal, IreeCompiler, IreeError, IreeRuntime, SpecPaths, TracedGpu};
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use crate::call_inputs::{CallSizes, FunctionDeclaration};
use crate::command::{CommandKind, DeviceCommand, UnknownTime};
use crate::error::ProfileError;
use crate::executable_source::{self, ExecutableSource};
use crate::function_profile::FunctionProfile;
use crate::journal;
use crate::measured_times::replace_times;
use crate::module_outline::ModuleOutline;

/// The name of no function, in the key of an outline.
const OUTLINE: &str = " outline 3";

/// The calls that are traced on a GPU.
const CALLS: u32 = 20;

/// A compiler, a runtime and a device.
#[derive(Debug)]
pub struct Profiler {
    pub(crate) compiler: IreeCompiler,
    pub(crate) runtime: IreeRuntime,
    pub(crate) device: &'static Device,
    /// The options of the user's iree-compile.
    pub(crate) options: Vec<OsString>,
    cache: Cache,
    /// The GPU that measures the calls. `None` keeps the modelled times.
    gpu: Option<TracedGpu>,
    /// The lines of earlier journals. Modules of one model have most launches in common.
    known: NamedTempFile,
}

/// The profiles of a compiled module.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProfiledModule {
    /// One profile for each function and size.
    pub functions: Vec<FunctionProfile>,
}

impl Profiler {
    /// Creates a profiler with the options of the user's iree-compile.
    ///
    /// # Errors
    ///
    /// If there is no temporary folder.
    pub fn new(
        compiler: IreeCompiler,
        runtime: IreeRuntime,
        device: &'static Device,
        options: &[OsString],
        cache: Cache,
    ) -> Result<Profiler, ProfileError> {
        let known = NamedTempFile::with_prefix("wavetune-times-");
        Ok(Profiler {
            compiler,
            runtime,
            device,
            options: options.to_vec(),
            cache,
            gpu: None,
            known: known.map_err(IreeError::io(std::env::temp_dir()))?,
        })
    }

    /// Measures the calls on a GPU. The emulated device has the same target; bytes and bounds stay
    /// those of its model.
    #[must_use]
    pub fn on_gpu(mut self, gpu: TracedGpu) -> Profiler {
        self.gpu = Some(gpu);
        self
    }

    /// Keeps the times of a journal's kernels.
    fn keep_times(&self, journal: &CallJournal) -> Result<(), ProfileError> {
        let lines = journal.before.iter().chain(&journal.call);
        let kernels = lines.filter(|line| line.starts_with("kernel\t"));
        let text: String = kernels.map(|line| format!("{line}\n")).collect();
        let mut file = self.known.as_file();
        let written = file.write_all(text.as_bytes());
        Ok(written.map_err(IreeError::io(self.known.path()))?)
    }

    /// Returns the version of iree-compile.
    pub fn compiler_version(&self) -> &str {
        self.compiler.version()
    }

    /// Returns the device.
    pub fn device(&self) -> &'static Device {
        self.device
    }

    /// Compiles the module in this file, and profiles a call of each function with each size. A
    /// function without dynamic sizes is called once. `function` names the only one to call.
    ///
    /// # Errors
    ///
    /// See [`ProfileError`].
    pub fn profile(
        &self,
        source: &Path,
        specs: SpecPaths<'_>,
        function: Option<&str>,
        sizes: &[CallSizes<'_>],
    ) -> Result<ProfiledModule, ProfileError> {
        let key = match self.gpu {
            None => Some(self.key(source, specs, function, sizes)),
            // Another measurement has other times.
            Some(_) => None,
        };
        let key = key.transpose().map_err(IreeError::io(source))?;
        if let Some(known) = key.and_then(|key| self.cache.get(key))
            && let Ok(known) = serde_json::from_slice(&known)
        {
            return Ok(known);
        }
        let target = self.device.target();
        let compiled = (self.compiler).compile_module(source, target, &self.options, specs)?;
        let mut declared = self.declared(compiled.path())?;
        if declared.is_empty() {
            let lowered = (self.compiler).lower(source, target, &self.options, None)?;
            declared = FunctionDeclaration::of_lowered(&lowered.text);
        }
        let executables = &compiled.executables;
        let profiled = self.calls(compiled.path(), declared, executables, function, sizes)?;
        // A profile that cannot be kept is made again.
        if let Some(key) = key
            && let Ok(text) = serde_json::to_vec(&profiled)
        {
            self.cache.put(key, &text);
        }
        Ok(profiled)
    }

    /// Lowers the module in this file up to its commands. An outline is kept as profiles are.
    ///
    /// # Errors
    ///
    /// See [`ProfileError`].
    pub(crate) fn outline(
        &self,
        source: &Path,
        specs: SpecPaths<'_>,
    ) -> Result<ModuleOutline, ProfileError> {
        let key = self.key(source, specs, Some(OUTLINE), &[]);
        let key = key.map_err(IreeError::io(source))?;
        if let Some(known) = self.cache.get(key)
            && let Ok(known) = serde_json::from_slice(&known)
        {
            return Ok(known);
        }
        let target = self.device.target();
        let outlined = (self.compiler).outline(source, target, &self.options, specs)?;
        let outline = ModuleOutline::of(&outlined);
        if let Ok(text) = serde_json::to_vec(&outline) {
            self.cache.put(key, &text);
        }
        Ok(outline)
    }

    /// Profiles every function of several modules, one module after the other.
    ///
    /// # Errors
    ///
    /// See [`ProfileError`].
    pub fn profile_all(
        &self,
        sources: &[&Path],
        specs: SpecPaths<'_>,
        sizes: &[CallSizes<'_>],
    ) -> Result<ProfiledModule, ProfileError> {
        let mut functions = Vec::new();
        for source in sources {
            functions.extend(self.profile(source, specs, None, sizes)?.functions);
        }
        Ok(ProfiledModule { functions })
    }

    /// Profiles calls of the functions of a compiled module, without the sources of its
    /// executables.
    ///
    /// # Errors
    ///
    /// See [`ProfileError`].
    pub fn of_compiled(
        &self,
        module: &Path,
        function: Option<&str>,
        sizes: &[CallSizes<'_>],
    ) -> Result<ProfiledModule, ProfileError> {
        self.calls(module, self.declared(module)?, &[], function, sizes)
    }

    /// Returns the functions of a compiled module that declare their parameters.
    fn declared(&self, module: &Path) -> Result<Vec<FunctionDeclaration>, ProfileError> {
        let declared = self.runtime.declarations(module)?;
        let declared = declared.iter();
        Ok(declared
            .filter_map(|text| FunctionDeclaration::parse(text))
            .collect())
    }

    fn calls(
        &self,
        module: &Path,
        mut functions: Vec<FunctionDeclaration>,
        executables: &[String],
        function: Option<&str>,
        sizes: &[CallSizes<'_>],
    ) -> Result<ProfiledModule, ProfileError> {
        let known = || functions.iter().map(|it| it.name.clone()).collect();
        match function {
            Some(name) if !functions.iter().any(|it| it.name == name) => {
                return Err(ProfileError::UnknownFunction {
                    name: name.to_owned(),
                    known: known(),
                });
            }
            None if functions.len() > 1 && sizes.iter().any(|it| it.inputs.is_some()) => {
                return Err(ProfileError::InputsOfSeveral { known: known() });
            }
            _ => functions.retain(|it| function.is_none_or(|name| it.name == name)),
        }
        if functions.is_empty() {
            return Err(ProfileError::NoFunction);
        }
        let sources = executable_source::kernels(executables);
        let mut profiles = Vec::new();
        for declaration in &functions {
            // Without a dynamic size, all calls would be the same.
            let calls = match declaration.is_dynamic() {
                true => sizes,
                false => &sizes[..sizes.len().min(1)],
            };
            for call in calls {
                profiles.push(self.call(module, declaration, call, &sources)?);
            }
        }
        Ok(ProfiledModule {
            functions: profiles,
        })
    }

    fn call(
        &self,
        module: &Path,
        declaration: &FunctionDeclaration,
        sizes: &CallSizes<'_>,
        sources: &HashMap<String, ExecutableSource>,
    ) -> Result<FunctionProfile, ProfileError> {
        let inputs = match sizes.inputs {
            Some(inputs) => inputs.to_vec(),
            None => declaration.zeros(sizes.count)?,
        };
        let name = &declaration.name;
        let known = self.known.path();
        let journal = (self.runtime).call(module, name, &inputs, self.device.name, known)?;
        self.keep_times(&journal)?;
        let commands = |lines: &[String]| {
            let commands = lines.iter().map(|line| {
                let command = journal::command(line)?;
                Ok(self.with_source(command, sources))
            });
            commands.collect::<Result<Vec<DeviceCommand>, ProfileError>>()
        };
        let mut at_load = commands(&journal.before)?;
        // Copies before the call are those of the inputs, and no work of the module.
        at_load.retain(|it| it.kernel().is_some());
        let mut profile = FunctionProfile {
            function: name.clone(),
            inputs,
            commands: commands(&journal.call)?,
            at_load,
        };
        if let Some(gpu) = &self.gpu {
            self.measure(module, &mut profile, gpu)?;
        }
        Ok(profile)
    }

    /// Replaces the modelled times of a call by measured ones.
    fn measure(
        &self,
        module: &Path,
        profile: &mut FunctionProfile,
        gpu: &TracedGpu,
    ) -> Result<(), ProfileError> {
        let (function, inputs) = (&profile.function, &profile.inputs);
        let traced = (self.runtime).traced_calls(module, function, inputs, gpu, CALLS)?;
        let replaced = replace_times(&mut profile.commands, &traced, CALLS as usize);
        replaced.map_err(|reason| ProfileError::Trace {
            function: function.clone(),
            reason,
        })?;
        for command in &mut profile.at_load {
            command.time_us = Err(UnknownTime {
                reason: "kernels at load are not measured".to_owned(),
                least_us: None,
            });
        }
        // Time stamps of a kernel do not contain its launch, and the bound does.
        let launch_us = least_us(0, 0, self.device);
        for command in profile.commands.iter_mut().chain(&mut profile.at_load) {
            command.bound_us = command.bound_us.map(|bound| (bound - launch_us).max(0.0));
        }
        Ok(())
    }

    /// Adds the operations of a kernel's source, its bytes if they are unknown, and the bound.
    fn with_source(
        &self,
        mut command: DeviceCommand,
        sources: &HashMap<String, ExecutableSource>,
    ) -> DeviceCommand {
        if let CommandKind::Kernel(kernel) = &mut command.kind
            && let Some(source) = sources.get(&kernel.name)
        {
            kernel.operations.clone_from(&source.operations);
            if let Some((read, written)) = source.bytes(&kernel.scalars) {
                // A gather's source loads a whole table. The sample of a launch counts the lines
                // of small results too often.
                let least = |found: Option<u64>, of_source: u64| {
                    Some(found.map_or(of_source, |found| found.min(of_source)))
                };
                command.read_bytes = least(command.read_bytes, read);
                command.written_bytes = least(command.written_bytes, written);
            }
        }
        let bytes = command.read_bytes.zip(command.written_bytes);
        command.bound_us = match command.kind {
            CommandKind::Kernel(_) => {
                bytes.map(|(read, written)| least_us(read, written, self.device))
            }
            // The time of a copy or a fill is already that of the bandwidth.
            CommandKind::Copy | CommandKind::Fill => command.time_us.as_ref().ok().copied(),
        };
        command
    }
}
