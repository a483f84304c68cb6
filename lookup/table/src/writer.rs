//! The writer of a table. The same entries make the same bytes, in any order.

use std::collections::HashMap;
use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use self::bytes::lay_out;
use crate::entry::Status;
use crate::error::WriteError;
use crate::format::{MAX_ENTRIES, MAX_METADATA, MAX_SIZES};

mod bytes;

/// A new entry of a table.
#[derive(Debug, Clone, Copy)]
pub struct NewEntry<'a> {
    /// The key of a lookup.
    pub key: &'a str,
    /// The configuration, as JSON.
    pub configuration: &'a str,
    /// The configuration as attributes of a compiler, or empty.
    pub attributes: &'a str,
    /// The generator of the configuration.
    pub generator: &'a str,
    /// The verdict.
    pub status: Status,
    /// The time in microseconds.
    pub time_us: f64,
    /// The time of the generator's default in microseconds.
    pub default_time_us: Option<f64>,
    /// The least time that any kernel needs, in microseconds.
    pub bound_us: Option<f64>,
    /// The number of the trial's study.
    pub study: i64,
    /// The ordinal of the trial in its study.
    pub ordinal: u32,
    /// The provenance of the numbers, as JSON.
    pub provenance: &'a str,
    /// The text that all entries of the family share.
    pub family: &'a str,
    /// The sizes: at most four, and as many as in the other entries of the family.
    pub sizes: &'a [u64],
}

/// The entries and metadata of a new table.
#[derive(Debug, Default)]
pub struct TableWriter {
    metadata: Vec<(String, String)>,
    entries: Vec<AddedEntry>,
    texts: Texts,
}

/// An entry with numbers of [`Texts`] for the texts that other entries may share.
#[derive(Debug)]
struct AddedEntry {
    key: Box<str>,
    configuration: u32,
    attributes: u32,
    generator: u32,
    provenance: u32,
    family: u32,
    status: Status,
    time_us: f64,
    default_time_us: Option<f64>,
    bound_us: Option<f64>,
    study: i64,
    ordinal: u32,
    sizes: [u64; MAX_SIZES],
    dimensions: u32,
}

/// A list of texts, each once.
#[derive(Debug, Default)]
struct Texts {
    all: Vec<Box<str>>,
    numbers: HashMap<Box<str>, u32>,
}

impl Texts {
    fn number(&mut self, text: &str) -> u32 {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        // An entry has at most five new texts, so these numbers stay below 2^31.
        let number = self.all.len() as u32;
        self.all.push(text.into());
        self.numbers.insert(text.into(), number);
        number
    }

    fn text(&self, number: u32) -> &str {
        &self.all[number as usize]
    }
}

impl TableWriter {
    /// Creates a writer without entries.
    pub fn new() -> TableWriter {
        TableWriter::default()
    }

    /// Adds a metadatum, such as the target or the compiler's version.
    ///
    /// # Errors
    ///
    /// The name occurs already, or there are too many metadata.
    pub fn metadatum(&mut self, name: &str, value: &str) -> Result<(), WriteError> {
        if self.metadata.iter().any(|(known, _)| known == name) {
            let name = name.to_owned();
            return Err(WriteError::Metadatum { name });
        }
        if self.metadata.len() as u64 == MAX_METADATA {
            return Err(WriteError::Metadata);
        }
        self.metadata.push((name.to_owned(), value.to_owned()));
        Ok(())
    }

    /// Adds an entry.
    ///
    /// # Errors
    ///
    /// A time is invalid, or there are too many entries or sizes.
    pub fn add(&mut self, entry: &NewEntry<'_>) -> Result<(), WriteError> {
        let key = || entry.key.to_owned();
        let times = [
            ("time_us", Some(entry.time_us)),
            ("default_time_us", entry.default_time_us),
            ("bound_us", entry.bound_us),
        ];
        for (field, time) in times {
            if let Some(value) = time.filter(|time| !(time.is_finite() && *time > 0.0)) {
                let key = key();
                return Err(WriteError::Time { key, field, value });
            }
        }
        if entry.sizes.len() > MAX_SIZES {
            let (key, sizes) = (key(), entry.sizes.len());
            return Err(WriteError::Sizes { key, sizes });
        }
        if self.entries.len() as u64 == MAX_ENTRIES {
            return Err(WriteError::Entries);
        }
        let mut sizes = [0; MAX_SIZES];
        sizes[..entry.sizes.len()].copy_from_slice(entry.sizes);
        self.entries.push(AddedEntry {
            key: entry.key.into(),
            configuration: self.texts.number(entry.configuration),
            attributes: self.texts.number(entry.attributes),
            generator: self.texts.number(entry.generator),
            provenance: self.texts.number(entry.provenance),
            family: self.texts.number(entry.family),
            status: entry.status,
            time_us: entry.time_us,
            default_time_us: entry.default_time_us,
            bound_us: entry.bound_us,
            study: entry.study,
            ordinal: entry.ordinal,
            sizes,
            dimensions: entry.sizes.len() as u32,
        });
        Ok(())
    }

    /// Returns the table as the bytes of a file.
    ///
    /// # Errors
    ///
    /// Two keys are equal, the entries of a family have different numbers of sizes, or a limit is
    /// exceeded.
    pub fn to_bytes(mut self) -> Result<Vec<u8>, WriteError> {
        // Sorted, because the bytes must not depend on the order of insertion.
        let mut metadata = self.metadata;
        metadata.sort();
        let mut number = |text: &String| self.texts.number(text);
        let metadata = metadata.iter();
        let metadata: Vec<(u32, u32)> = metadata
            .map(|(name, value)| (number(name), number(value)))
            .collect();
        lay_out(&metadata, self.entries, &self.texts)
    }

    /// Writes the table to a temporary file in the same folder, and renames it once all of it is
    /// on the disk.
    ///
    /// A reader of the path gets the old table or the new one. A symbolic link stays, and its
    /// target is replaced. If the path is a pipe or a device, the bytes go into that.
    ///
    /// # Errors
    ///
    /// Those of [`TableWriter::to_bytes`], or an error of the file system; an existing file stays
    /// then.
    pub fn write(self, path: impl AsRef<Path>) -> Result<(), WriteError> {
        let path = path.as_ref();
        let bytes = self.to_bytes()?;
        put(path, &bytes).map_err(|error| WriteError::Io {
            path: path.to_owned(),
            error,
        })
    }
}

fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // The descriptor may lead to a file with other content, which opening or replacing it would
    // lose.
    if path == Path::new("/dev/stdout") {
        let mut out = io::stdout().lock();
        out.write_all(bytes)?;
        return out.flush();
    }
    match fs::metadata(path) {
        // Replacing the target keeps the link.
        Ok(there) if there.is_file() => replace(&fs::canonicalize(path)?, bytes),
        Ok(there) if there.is_dir() => Err(io::Error::new(
            io::ErrorKind::IsADirectory,
            "it is a folder: name a file in it",
        )),
        Ok(_) => File::options().write(true).open(path)?.write_all(bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => replace(&led_to(path)?, bytes),
        Err(error) => Err(error),
    }
}

/// Follows symbolic links, and returns the path of the missing file at their end.
fn led_to(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    // The system follows as many links.
    for _ in 0..40 {
        match fs::read_link(&path) {
            Ok(to) => path = folder(&path).join(to),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("it is a link to itself"))
}

fn folder(path: &Path) -> &Path {
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = folder(path);
    let mut builder = tempfile::Builder::new();
    builder.prefix(".wtab-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The permissions of any new file under the umask; a temporary file is readable by its
        // owner only.
        builder.permissions(Permissions::from_mode(0o666));
    }
    // The full error names the temporary file, which the user did not ask for.
    let file = builder.tempfile_in(folder);
    let mut file = file.map_err(|error| io::Error::from(error.kind()))?;
    file.write_all(bytes)?;
    // The content reaches the disk before the rename, so a crash never leaves an incomplete file
    // at the path.
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    // The rename, too, must reach the disk before the caller reports success.
    File::open(folder)?.sync_all()
}
