//! The short way to a kernel: the executable of a problem as IREE makes it before it is configured, and a configuration put
//! into it.
//!
//! Of what iree-compile does for a module all up to the executable, and the program around it, is the same for each
//! configuration. `--compile-mode=hal-executable` begins with the executable, takes 0.58 of the time (medians of 15 compilations
//! of 4x4096 f32 for gfx942: 128 ms of processor time for 220), and makes the same code object. Of the launch the number of
//! workgroups alone depends on the configuration, and IREE numbers them in one dimension.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use configgen::{Configuration, Problem, Target};

use super::IreeError;
use super::launch::ModuleLaunch;
use crate::Tiling;

/// Problems that are remembered: a service tunes several at a time.
const MOST: usize = 64;

/// Where the operation's configuration stands in an executable, of which it is the only attribute.
const ATTRIBUTE: [&str; 2] = ["{compilation_info = ", ">}"];

/// The executable of a problem for a target, without a configuration.
#[derive(Debug)]
pub(super) struct Executable {
    /// Its text up to the configuration, and from there on.
    text: [String; 2],
    launch: ModuleLaunch,
}

impl Executable {
    /// From what a whole compilation with a configuration has left: its source of the executable, and its launch. None where the
    /// workgroups are not those that this tiling says, so that they could not be told for another.
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

    /// The executable with this configuration of its operation.
    pub(super) fn source(&self, configuration: &Configuration) -> String {
        let [before, after] = &self.text;
        let [start, _] = ATTRIBUTE;
        format!("{before}{start}{configuration}}}{after}")
    }

    /// How a kernel with this tiling is launched.
    pub(super) fn launch(&self, tiling: &Tiling) -> Option<ModuleLaunch> {
        let mut launch = self.launch.clone();
        launch.first.workgroups = workgroups(tiling)?;
        Some(launch)
    }
}

/// The workgroups of a kernel with this tiling.
pub(super) fn workgroups(tiling: &Tiling) -> Option<[u32; 3]> {
    Some([u32::try_from(tiling.boxes()).ok()?, 1, 1])
}

/// The executables of the problems that were compiled last.
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
            known.clear();
        }
        known.insert((problem.clone(), target.name), Arc::new(executable));
    }
}
