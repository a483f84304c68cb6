//! Lowering of a user's module by iree-compile, up to the phase before dispatches are formed.
//!
//! Only the compiler reads the module, from its own file. For any module, the result is
//! text to be parsed.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use configgen::Target;

use super::compiler::{folder, read_text};
use super::outcome::outcome_of_module;
use super::{IreeCompiler, IreeError};
use crate::child_process;

/// The options that omit weights, which are not needed and may be gigabytes.
const WITHOUT_WEIGHTS: [&str; 2] = [
    "--mlir-elide-elementsattrs-if-larger=16",
    "--mlir-elide-resource-strings-if-larger=16",
];

/// The largest size of a lowered module, in bytes.
const MAX_BYTES: u64 = 64 << 20;

impl IreeCompiler {
    /// Returns the text of the module in this file before IREE forms dispatches, for any front
    /// end. `options` are the options of iree-compile that the module needs. This function adds
    /// input, output, device and target.
    ///
    /// # Errors
    ///
    /// Every failure of the compiler; see [`IreeError`].
    pub fn lower(
        &self,
        source: &Path,
        target: &Target,
        options: &[OsString],
    ) -> Result<String, IreeError> {
        let folder = folder()?;
        let folder = folder.path();
        // In a sandbox, the compiler sees this folder and none of the user's files.
        let (copy, lowered) = (folder.join("model"), folder.join("lowered.mlir"));
        fs::copy(source, &copy).map_err(IreeError::io(source))?;
        let sandbox = self.sandbox.as_ref();
        let mut command = child_process::command(sandbox, &self.path, &[&self.path], Some(folder));
        command
            .arg("--iree-hal-target-device=hip")
            .arg(format!("--iree-rocm-target={target}"))
            .args(options)
            .args(WITHOUT_WEIGHTS)
            .arg("--compile-to=preprocessing")
            .arg(&copy)
            .arg("-o")
            .arg(&lowered);
        let ended =
            child_process::run(&mut command, self.limit).map_err(IreeError::io(&self.path))?;
        outcome_of_module(ended, self.limit)?;
        let Ok(written) = fs::metadata(&lowered) else {
            let message = "iree-compile ended as if all were well, and wrote no module".to_owned();
            return Err(IreeError::Unreadable(message));
        };
        let bytes = written.len();
        if bytes > MAX_BYTES {
            let message = format!("the lowered module has {bytes} bytes, more than {MAX_BYTES}");
            return Err(IreeError::Unreadable(message));
        }
        read_text(&lowered)
    }
}
