//! The files of the book, which the service shows below `/docs/`. `cargo xtask book` makes them.
//!
//! The service reads all files once, when it starts. A request names one of them or gets 404: no
//! address reaches the file system.

mod policy;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use axum::body::Bytes;
use axum::http::HeaderValue;

/// Bytes of all files. The book of this repository has four megabytes.
const MOST_BYTES: u64 = 64 << 20;

/// Folders inside each other. mdBook makes two.
const MOST_FOLDERS: usize = 8;

/// The page that a folder of a book begins with.
const INDEX: &str = "index.html";

/// The media types of names with these endings. A browser shows any other file as text.
const KINDS: [(&str, &str); 7] = [
    (".html", "text/html; charset=utf-8"),
    (".js", "text/javascript; charset=utf-8"),
    (".css", "text/css; charset=utf-8"),
    (".svg", "image/svg+xml"),
    (".png", "image/png"),
    (".webp", "image/webp"),
    (".woff2", "font/woff2"),
];
const TEXT: &str = "text/plain; charset=utf-8";

/// The files of a book.
#[derive(Debug, Default)]
pub struct Book {
    files: BTreeMap<String, BookFile>,
}

/// A file of a book.
#[derive(Debug)]
pub(crate) struct BookFile {
    pub(crate) bytes: Bytes,
    /// The media type.
    pub(crate) kind: &'static str,
    /// The hash of the bytes, in hexadecimal digits.
    pub(crate) digest: String,
    /// The rights that a browser gives to the file.
    pub(crate) policy: HeaderValue,
}

/// The reason why a folder is no book.
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    /// The system cannot read a file or a folder.
    #[error("cannot read {}", path.display())]
    Unreadable {
        /// The file or the folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The folder has no first page.
    #[error("{} has no {INDEX}: name the folder of a built book", .0.display())]
    NoIndex(PathBuf),
    /// The folder has too much in it for a book.
    #[error("{} is not a book: it has more than {} MiB, or folders more than {MOST_FOLDERS} deep", .0.display(), MOST_BYTES >> 20)]
    Large(PathBuf),
}

impl Book {
    /// Reads the files of a folder. Follows no symbolic links inside.
    ///
    /// # Errors
    /// If a file cannot be read, or if the folder is no book.
    pub fn read(folder: &Path) -> Result<Self, BookError> {
        let mut book = Self::default();
        let mut bytes = 0;
        book.add(folder, folder, &mut bytes, MOST_FOLDERS)?;
        match book.files.contains_key(INDEX) {
            true => Ok(book),
            false => Err(BookError::NoIndex(folder.to_owned())),
        }
    }

    fn add(
        &mut self,
        book: &Path,
        folder: &Path,
        bytes: &mut u64,
        depth: usize,
    ) -> Result<(), BookError> {
        let unreadable = |path: &Path| {
            let path = path.to_owned();
            |source| BookError::Unreadable { path, source }
        };
        for entry in fs::read_dir(folder).map_err(unreadable(folder))? {
            let entry = entry.map_err(unreadable(folder))?;
            let path = entry.path();
            // A link has a type of its own here, so that nothing outside of the folder is read.
            let kind = entry.file_type().map_err(unreadable(&path))?;
            if kind.is_dir() {
                // The limit ends a folder that is mounted into itself.
                let depth = depth.checked_sub(1);
                let depth = depth.ok_or_else(|| BookError::Large(book.to_owned()))?;
                self.add(book, &path, bytes, depth)?;
            } else if kind.is_file() {
                *bytes += entry.metadata().map_err(unreadable(&path))?.len();
                // All files stay in memory, so that a wrong folder must not fill it.
                if *bytes > MOST_BYTES {
                    return Err(BookError::Large(book.to_owned()));
                }
                let name = path.strip_prefix(book).ok().and_then(Path::to_str);
                if let Some(name) = name {
                    let content = fs::read(&path).map_err(unreadable(&path))?;
                    self.files
                        .insert(name.to_owned(), BookFile::new(name, content));
                }
            }
        }
        Ok(())
    }

    /// Returns the file with this name, with `/` between folders. For a folder, returns its first
    /// page.
    pub(crate) fn file(&self, name: &str) -> Option<&BookFile> {
        match name.is_empty() || name.ends_with('/') {
            true => self.files.get(&format!("{name}{INDEX}")),
            false => self.files.get(name),
        }
    }
}

impl BookFile {
    fn new(name: &str, bytes: Vec<u8>) -> Self {
        // A name decides, never the content: with `nosniff` a browser does not guess, either.
        let kind = KINDS.iter().find(|(end, _)| name.ends_with(end));
        Self {
            kind: kind.map_or(TEXT, |it| it.1),
            digest: blake3::hash(&bytes).to_hex()[..32].to_owned(),
            policy: match name.ends_with(".html") {
                true => policy::of_page(&String::from_utf8_lossy(&bytes)),
                false => policy::OF_FILES,
            },
            bytes: bytes.into(),
        }
    }
}

#[cfg(test)]
mod tests;
