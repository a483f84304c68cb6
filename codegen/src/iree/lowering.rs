//! Lowering of a user's module by iree-compile, up to the phase before dispatches are formed.
//!
//! Only the compiler reads the module, from its own file. For any module, the result is
//! text to be parsed.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use configgen::Target;

use super::compiler::{folder, read_text};
use super::{IreeCompiler, IreeError};

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
        let mut how = options.to_vec();
        how.extend(WITHOUT_WEIGHTS.map(OsString::from));
        how.push("--compile-to=preprocessing".into());
        let lowered = self.run_on_module(source, target, folder.path(), &how, &[])?;
        let bytes = fs::metadata(&lowered)
            .map_err(IreeError::io(&lowered))?
            .len();
        if bytes > MAX_BYTES {
            let message = format!("the lowered module has {bytes} bytes, more than {MAX_BYTES}");
            return Err(IreeError::Unreadable(message));
        }
        read_text(&lowered)
    }
}
