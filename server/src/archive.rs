//! Archive: a tar file. Its bytes depend on its files alone, so that equal archives have equal
//! entity tags.

use tar::{Builder, EntryType, Header};

/// Mode of all files: everybody reads, the owner writes.
const MODE: u32 = 0o644;

/// Modification time of all files, in seconds since 1970: 1 January 1980. Some unpackers warn of
/// the year 1970.
const CHANGED: u64 = 315_532_800;

/// A tar file in memory.
pub(crate) struct Archive(Builder<Vec<u8>>);

impl Archive {
    pub(crate) fn new() -> Self {
        Archive(Builder::new(Vec::new()))
    }

    /// Appends a file.
    pub(crate) fn add(&mut self, name: &str, content: &[u8]) {
        let mut header = Header::new_ustar();
        header.set_entry_type(EntryType::Regular);
        header.set_mode(MODE);
        header.set_mtime(CHANGED);
        // The user of this machine must not be in the bytes.
        header.set_uid(0);
        header.set_gid(0);
        header.set_size(content.len() as u64);
        let added = self.0.append_data(&mut header, name, content);
        added.expect("writes to memory succeed, and the name is valid");
    }

    /// Returns the bytes of the archive.
    pub(crate) fn end(self) -> Vec<u8> {
        let bytes = self.0.into_inner();
        bytes.expect("writes to memory succeed")
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut archive = Archive::new();
        for (name, content) in files {
            archive.add(name, content);
        }
        archive.end()
    }

    #[test]
    fn files_come_out_as_they_went_in() {
        let long = "n".repeat(150);
        let files: [(&str, &[u8]); 3] = [("a.hsaco", b"\x7fELF"), (&long, b""), ("b", &[7; 5000])];
        let bytes = archive(&files);
        assert_eq!(bytes, archive(&files));
        let mut read = tar::Archive::new(&bytes[..]);
        let mut found = 0;
        for (entry, (name, content)) in read.entries().unwrap().zip(files) {
            let mut entry = entry.unwrap();
            assert_eq!(&*entry.path_bytes(), name.as_bytes());
            let header = entry.header();
            assert_eq!(header.entry_type(), EntryType::Regular);
            let owner = (header.uid().unwrap(), header.gid().unwrap());
            assert_eq!((header.mode().unwrap(), owner), (0o644, (0, 0)));
            assert_eq!(header.mtime().unwrap(), CHANGED);
            let mut read = Vec::new();
            entry.read_to_end(&mut read).unwrap();
            assert_eq!(read, content);
            found += 1;
        }
        assert_eq!(found, files.len());
    }
}
