//! Held blocks: the parts of a large tensor that the checked rows can read. The bench holds them
//! one after the other, and leaves the rest of the tensor zero.

/// The number of elements of a block.
const BLOCK: u64 = 64;

/// The blocks of a tensor that the bench holds.
#[derive(Debug)]
pub(super) struct HeldBlocks {
    /// The number of elements of the tensor.
    elements: u64,
    /// A bit for each block of the tensor, set if the bench holds it.
    bits: Vec<u64>,
    /// For each word of `bits`, the number of held blocks before it.
    before: Vec<u32>,
    blocks: u64,
}

impl HeldBlocks {
    /// Creates the blocks that contain these elements of a tensor with `elements` elements.
    pub(super) fn new(elements: u64, read: impl Iterator<Item = u64>) -> HeldBlocks {
        let mut bits = vec![0u64; elements.div_ceil(BLOCK * 64) as usize];
        for element in read {
            let block = element / BLOCK;
            bits[(block / 64) as usize] |= 1 << (block % 64);
        }
        let mut blocks = 0;
        let before = bits.iter().map(|word| {
            blocks += word.count_ones();
            blocks - word.count_ones()
        });
        HeldBlocks {
            elements,
            before: before.collect(),
            blocks: blocks.into(),
            bits,
        }
    }

    /// Returns the number of held elements, with those after the end in the last block.
    pub(super) fn len(&self) -> u64 {
        self.blocks * BLOCK
    }

    /// Returns the position of an element among the held ones.
    #[inline]
    pub(super) fn position(&self, element: u64) -> usize {
        let (word, bit) = ((element / BLOCK / 64) as usize, element / BLOCK % 64);
        debug_assert!(self.bits[word] >> bit & 1 == 1, "element {element} is held");
        let below = self.bits[word] & ((1 << bit) - 1);
        let block = u64::from(self.before[word] + below.count_ones());
        (block * BLOCK + element % BLOCK) as usize
    }

    /// Passes the held elements, `size` bytes each, to `write`, with their byte offsets in the
    /// tensor.
    ///
    /// # Errors
    /// The first error of `write`.
    pub(super) fn write<E>(
        &self,
        bytes: &[u8],
        size: u64,
        mut write: impl FnMut(u64, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut held = bytes.chunks((BLOCK * size) as usize);
        for (word, bits) in (0u64..).zip(&self.bits) {
            for bit in (0..64).filter(|bit| bits >> bit & 1 == 1) {
                let start = (word * 64 + bit) * BLOCK;
                let count = BLOCK.min(self.elements - start);
                if let Some(block) = held.next() {
                    write(start * size, &block[..(count * size) as usize])?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn held_elements_are_written_to_their_places() {
        let read = [0u64, 63, 64, 5000, 4096, 9999, 10_000];
        let blocks = HeldBlocks::new(10_001, read.into_iter());
        assert_eq!(blocks.len(), 5 * 64);
        let mut bytes = vec![0u8; 2 * blocks.len() as usize];
        for element in read {
            let at = 2 * blocks.position(element);
            bytes[at..at + 2].copy_from_slice(&(element as u16).to_le_bytes());
        }
        let mut tensor = vec![0u8; 2 * 10_001];
        let Ok(()) = blocks.write(&bytes, 2, |offset, part| {
            tensor[offset as usize..][..part.len()].copy_from_slice(part);
            Ok::<(), std::convert::Infallible>(())
        });
        for (element, found) in (0u64..).zip(tensor.chunks_exact(2)) {
            let expected = if read.contains(&element) { element } else { 0 };
            assert_eq!(found, (expected as u16).to_le_bytes(), "{element}");
        }
    }
}
