//! Making a table: the same entries make the same bytes, in whatever order they come.

use std::collections::HashMap;
use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use self::bytes::lay_out;
use crate::entry::Status;
use crate::error::WriteError;
use crate::format::{MAX_ENTRIES, MAX_METADATA, MAX_SIZES};

mod bytes;

/// What is told of a key.
#[derive(Debug, Clone, Copy)]
pub struct NewEntry<'a> {
    /// What it is looked up by.
    pub key: &'a str,
    /// The configuration, as JSON.
    pub configuration: &'a str,
    /// The configuration as a compiler's attributes, or empty.
    pub attributes: &'a str,
    /// The generator that the configuration belongs to.
    pub generator: &'a str,
    /// The verdict.
    pub status: Status,
    /// Its time in microseconds.
    pub time_us: f64,
    /// The generator's default in microseconds.
    pub default_time_us: Option<f64>,
    /// The least time that any kernel could take, in microseconds.
    pub bound_us: Option<f64>,
    /// The study that its trial is of.
    pub study: i64,
    /// Its trial's place in the study.
    pub ordinal: u32,
    /// What made the numbers, as JSON.
    pub provenance: &'a str,
    /// What is equal in all entries that are this one but for their sizes.
    pub family: &'a str,
    /// At most four, and as many as all others of the family have.
    pub sizes: &'a [u64],
}

/// Entries that are to become a table.
#[derive(Debug, Default)]
pub struct TableWriter {
    metadata: Vec<(String, String)>,
    entries: Vec<AddedEntry>,
    texts: Texts,
}

/// An entry with numbers of [`Texts`] for what other entries have, too.
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

/// Each text once.
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
        // An entry has at most five texts that are new, so these numbers stay below 2^31.
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
    /// A table without entries.
    pub fn new() -> TableWriter {
        TableWriter::default()
    }

    /// Notes something of the whole, such as the target or the compiler's version.
    ///
    /// # Errors
    ///
    /// That the name was given already, or that there are too many.
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
    /// That a number of it is none, or that there are too many entries.
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

    /// The table, as the bytes of a file.
    ///
    /// # Errors
    ///
    /// That two keys are the same, that the entries of a family differ in the number of their sizes, or that a limit is
    /// passed.
    pub fn to_bytes(mut self) -> Result<Vec<u8>, WriteError> {
        let mut metadata = self.metadata;
        metadata.sort();
        let mut number = |text: &String| self.texts.number(text);
        let metadata = metadata.iter();
        let metadata: Vec<(u32, u32)> = metadata
            .map(|(name, value)| (number(name), number(value)))
            .collect();
        lay_out(&metadata, self.entries, &self.texts)
    }

    /// Writes the table to this path: to a temporary file in its folder first, which is renamed when all of it is on the disk.
    /// Who reads the path has the table that was there before, or this one. A link stays, and what it leads to is replaced. What is there
    /// and is no file, such as a pipe or a device, is written into.
    ///
    /// # Errors
    ///
    /// Those of [`Writer::to_bytes`], or why the file cannot be written; a file that was at the path is still there then.
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
    // Where it leads to a file that has more, to open or to replace that would lose the rest.
    if path == Path::new("/dev/stdout") {
        let mut out = io::stdout().lock();
        out.write_all(bytes)?;
        return out.flush();
    }
    match fs::metadata(path) {
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

/// Where a path leads of which the last link leads nowhere.
fn led_to(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    // As many as the system follows.
    for _ in 0..40 {
        match fs::read_link(&path) {
            Ok(to) => path = folder(&path).join(to),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("it is a link that leads to itself"))
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
        // Those of any new file, as the umask has it; a temporary file is its owner's alone.
        builder.permissions(Permissions::from_mode(0o666));
    }
    // What the error says beside names a file that nobody asked for.
    let file = builder.tempfile_in(folder);
    let mut file = file.map_err(|error| io::Error::from(error.kind()))?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    // The name, too, is on the disk before anybody is told so.
    File::open(folder)?.sync_all()
}
