//! Lowering of a user's module by iree-compile, up to the phase before dispatches are formed.
//!
//! Only the compiler reads the module, from its own file. For any module, the result is
//! text to be parsed.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use configgen::Target;

use super::compiler::{folder, option, read_text};
use super::whole_module::{COPY, REPLACEMENTS, WITHOUT_WEIGHTS};
use super::{IreeCompiler, IreeError, LoweredModule};

/// The option that prints the place of each operation in the user's file.
const WITH_LOCATIONS: &str = "--mlir-print-debuginfo";

/// The largest size of a lowered module, in bytes.
const MAX_BYTES: u64 = 64 << 20;

impl IreeCompiler {
    /// Returns the module in this file before IREE forms dispatches, for any front end. `options`
    /// are the options of iree-compile that the module needs. This function adds input, output,
    /// device and target. `replacements` is a preprocessing spec, which is then applied.
    ///
    /// # Errors
    ///
    /// Every failure of the compiler; see [`IreeError`].
    pub fn lower(
        &self,
        source: &Path,
        target: &Target,
        options: &[OsString],
        replacements: Option<&Path>,
    ) -> Result<LoweredModule, IreeError> {
        let folder = folder()?;
        let mut how = options.to_vec();
        how.extend(WITHOUT_WEIGHTS.map(OsString::from));
        // The compiler takes a flag only once.
        if !options.iter().any(|it| it == WITH_LOCATIONS) {
            how.push(WITH_LOCATIONS.into());
        }
        how.push("--compile-to=preprocessing".into());
        how.extend(replacements.map(|spec| option(REPLACEMENTS, spec)));
        let visible: Vec<&Path> = replacements.into_iter().collect();
        let lowered = self.run_on_module(source, target, folder.path(), &how, &visible)?;
        let bytes = fs::metadata(&lowered)
            .map_err(IreeError::io(&lowered))?
            .len();
        if bytes > MAX_BYTES {
            let message = format!("the lowered module has {bytes} bytes, more than {MAX_BYTES}");
            return Err(IreeError::Unreadable(message));
        }
        let mut module = LoweredModule::of(&read_text(&lowered)?);
        let name = source.file_name().unwrap_or_default();
        module.rename(&folder.path().join(COPY), &name.to_string_lossy());
        Ok(module)
    }
}
