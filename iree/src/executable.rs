//! Executables: the short path to a kernel. A problem's executable before its configuration is
//! kept, and each configuration is inserted into it.
//!
//! For each configuration of a problem, iree-compile does the same work up to the executable and
//! for the host program. `--compile-mode=hal-executable` starts from the executable and makes the
//! same code object in 0.58 of the processor time. (Medians of 15 compilations of 4x4096 f32 for
//! gfx942: 128 ms instead of 220 ms.) Only the number of workgroups of the launch depends on the
//! configuration, and IREE numbers them in one dimension.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use configgen::{Configuration, Problem, Target};

use super::IreeError;
use super::launch::ModuleLaunch;
use codegen::Tiling;

/// The largest number of problems in the cache; a service tunes several at a time.
const MOST: usize = 64;

/// The beginning and end of the operation's configuration in an executable, which has no other
/// attribute.
const ATTRIBUTE: [&str; 2] = ["{compilation_info = ", ">}"];

/// The executable of a problem for a target, without a configuration.
#[derive(Debug)]
pub(super) struct Executable {
    /// The text before the configuration, and after it.
    text: [String; 2],
    launch: ModuleLaunch,
}

impl Executable {
    /// Creates the executable from the files of a whole compilation with a configuration. Returns
    /// `None` if its workgroups differ from those of the tiling, because they could then not be
    /// predicted for another tiling.
    pub(super) fn new(
        source: &str,
        launch: &ModuleLaunch,
        tiling: Option<&Tiling>,
    ) -> Result<Option<Self>, IreeError> {
        let [start, end] = ATTRIBUTE;
        let unknown = || IreeError::Unreadable("no configuration in the executable".to_owned());
        let (before, rest) = source.split_once(start).ok_or_else(unknown)?;
        let (_, after) = rest.split_once(end).ok_or_else(unknown)?;
        let is_told = tiling.and_then(workgroups) == Some(launch.first.workgroups);
        Ok(is_told.then(|| Self {
            text: [before, after].map(str::to_owned),
            launch: launch.clone(),
        }))
    }

    /// Returns the executable with this configuration of its operation.
    pub(super) fn source(&self, configuration: &Configuration) -> String {
        let [before, after] = &self.text;
        let [start, _] = ATTRIBUTE;
        format!("{before}{start}{configuration}}}{after}")
    }

    /// Returns the launch of a kernel with this tiling.
    pub(super) fn launch(&self, tiling: &Tiling) -> Option<ModuleLaunch> {
        let mut launch = self.launch.clone();
        launch.first.workgroups = workgroups(tiling)?;
        Some(launch)
    }
}

/// Returns the workgroups of a kernel with this tiling.
pub(super) fn workgroups(tiling: &Tiling) -> Option<[u32; 3]> {
    Some([u32::try_from(tiling.boxes()).ok()?, 1, 1])
}

/// The executables of recently compiled problems.
#[derive(Debug, Clone, Default)]
pub(super) struct Executables(Arc<Mutex<HashMap<ExecutableKey, Arc<Executable>>>>);

type ExecutableKey = (Problem, &'static str);

impl Executables {
    pub(super) fn of(&self, problem: &Problem, target: &Target) -> Option<Arc<Executable>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&(problem.clone(), target.name)).cloned()
    }

    pub(super) fn keep(&self, problem: &Problem, target: &Target, executable: Executable) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST {
            // A lost executable only costs one whole compilation.
            known.clear();
        }
        known.insert((problem.clone(), target.name), Arc::new(executable));
    }
}
