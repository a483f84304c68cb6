//! The key of a profile in the object cache.

use std::fs;
use std::io;
use std::path::Path;

use codegen_object_cache::CacheKey;
use iree::SpecPaths;

use crate::call_inputs::CallSizes;
use crate::profiler::Profiler;

/// A part of every key. Change it with the form of profiles and with the time model.
const FORMAT: &str = "model profile 2";

impl Profiler {
    /// Returns the hash of everything that determines a profile.
    pub(crate) fn key(
        &self,
        source: &Path,
        specs: SpecPaths<'_>,
        function: Option<&str>,
        sizes: &[CallSizes<'_>],
    ) -> io::Result<CacheKey> {
        // A part that is missing here would give a model the times of another one.
        let mut parts = vec![
            FORMAT.to_owned(),
            env!("CARGO_PKG_VERSION").to_owned(),
            CacheKey::part_of_program(self.compiler.path())?,
            CacheKey::part_of_program(self.runtime.library())?,
            self.device.name.to_owned(),
            function.unwrap_or_default().to_owned(),
            format!("{sizes:?}"),
            digest(source)?,
        ];
        for (kind, spec) in [("kernels", specs.replacements), ("tuning", specs.tuning)] {
            let Some(spec) = spec else { continue };
            parts.push(kind.to_owned());
            parts.push(digest(spec)?);
            if kind == "kernels" {
                parts.extend(objects(spec.parent().unwrap_or(Path::new(".")))?);
            }
        }
        parts.push("options".to_owned());
        for option in &self.options {
            let option = option.to_string_lossy();
            // An option may name a file, whose content counts.
            let named = option.split_once('=').map(|it| Path::new(it.1));
            if let Some(file) = named.filter(|it| it.is_file()) {
                parts.push(digest(file)?);
            }
            parts.push(option.into_owned());
        }
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        Ok(CacheKey::of(&parts))
    }
}

/// Returns the names and digests of the code objects in a folder, in the order of their names.
fn objects(folder: &Path) -> io::Result<Vec<String>> {
    let mut objects = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "hsaco") {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            objects.push(format!("{name} {}", digest(&path)?));
        }
    }
    objects.sort();
    Ok(objects)
}

/// Returns the digest of a file.
fn digest(path: &Path) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(fs::File::open(path)?)?;
    Ok(hasher.finalize().to_hex().to_string())
}
