//! Memory under random calls: reads return what was written, and refused calls change nothing.
//!
//! Each buffer has a twin on the host with the same operations. Calls go to several streams, with
//! the null stream between them, and host functions make them wait now and then.

use std::collections::BTreeMap;

use testing::hip::{Hip, Pointer};

const SEEDS: u64 = 100;
const STEPS: u64 = 150;
const INVALID_VALUE: i32 = 1;

/// A deterministic source of random numbers (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % limit
    }
}

/// The state of a run.
struct Run<'a> {
    hip: &'a Hip,
    random: Random,
    /// The twins, by the addresses of the buffers.
    twins: BTreeMap<u64, Vec<u8>>,
    streams: Vec<Pointer>,
}

extern "C" fn dawdle(_: Pointer) {
    std::thread::sleep(std::time::Duration::from_micros(200));
}

impl Run<'_> {
    fn stream(&mut self) -> Pointer {
        let number = self.random.below(self.streams.len() as u64) as usize;
        self.streams[number]
    }

    /// Returns a buffer, a place in it and a number of bytes, and true if they are in bounds. One
    /// in eight exceeds the buffer's end.
    fn part(&mut self) -> Option<(u64, usize, usize, bool)> {
        let number = self.random.below(self.twins.len().max(1) as u64) as usize;
        let (start, twin) = self.twins.iter().nth(number)?;
        let (start, size) = (*start, twin.len() as u64);
        let offset = self.random.below(size);
        let beyond = self.random.below(8) == 0;
        let bytes = match beyond {
            true => size - offset + 1 + self.random.below(9),
            false => self.random.below(size - offset + 1),
        };
        Some((start, offset as usize, bytes as usize, !beyond))
    }

    fn allocate(&mut self) {
        let bytes = 1 + self.random.below(5000) as usize;
        let mut pointer: Pointer = std::ptr::null_mut();
        // hipHostMalloc's third argument is 0.
        let result = match self.random.below(3) {
            0 if bytes.is_multiple_of(2) => {
                self.hip.three("hipExtHostAlloc", &mut pointer, bytes, 0u32)
            }
            0 => self.hip.three("hipHostMalloc", &mut pointer, bytes, 0u32),
            _ => self.hip.two("hipMalloc", &mut pointer, bytes),
        };
        assert_eq!(result, 0);
        self.twins.insert(pointer as u64, vec![0; bytes]);
    }

    fn free(&mut self) {
        let Some((start, offset, ..)) = self.part() else {
            return;
        };
        let result = self.hip.one("hipFree", start + offset as u64);
        if offset > 0 {
            assert_eq!(result, INVALID_VALUE);
            return;
        }
        assert_eq!(result, 0);
        self.twins.remove(&start);
        assert_eq!(self.hip.one("hipFree", start), INVALID_VALUE);
    }

    fn fill(&mut self) {
        let (Some((start, offset, bytes, fits)), stream) = (self.part(), self.stream()) else {
            return;
        };
        let value = self.random.below(256) as u8;
        let result = self.hip.four(
            "hipMemsetAsync",
            start + offset as u64,
            i32::from(value),
            bytes,
            stream,
        );
        assert_eq!(result, if fits { 0 } else { INVALID_VALUE });
        if fits {
            self.twins.get_mut(&start).unwrap()[offset..offset + bytes].fill(value);
        }
    }

    fn write(&mut self) {
        let (Some((start, offset, bytes, fits)), stream) = (self.part(), self.stream()) else {
            return;
        };
        let mut source: Vec<u8> = (0..bytes).map(|_| self.random.below(256) as u8).collect();
        let to = start + offset as u64;
        let result = self.hip.copy_in(to, source.as_ptr() as u64, bytes, stream);
        assert_eq!(result, if fits { 0 } else { INVALID_VALUE });
        if fits {
            self.twins.get_mut(&start).unwrap()[offset..offset + bytes].copy_from_slice(&source);
        }
        // The source is the program's again.
        source.fill(0xee);
    }

    fn within(&mut self) {
        let (Some(to), Some(from)) = (self.part(), self.part()) else {
            return;
        };
        let stream = self.stream();
        let bytes = from.2;
        let fits = from.3 && to.1 + bytes <= self.twins[&to.0].len();
        let (to_at, from_at) = (to.0 + to.1 as u64, from.0 + from.1 as u64);
        let result = self.hip.copy_in(to_at, from_at, bytes, stream);
        assert_eq!(result, if fits || bytes == 0 { 0 } else { INVALID_VALUE });
        if fits {
            let taken = self.twins[&from.0][from.1..from.1 + bytes].to_vec();
            self.twins.get_mut(&to.0).unwrap()[to.1..to.1 + bytes].copy_from_slice(&taken);
        }
    }

    fn read(&mut self) {
        let (Some((start, offset, bytes, fits)), stream) = (self.part(), self.stream()) else {
            return;
        };
        let mut found = vec![0xddu8; bytes];
        let from = start + offset as u64;
        let result = self
            .hip
            .copy_in(found.as_mut_ptr() as u64, from, bytes, stream);
        assert_eq!(result, if fits { 0 } else { INVALID_VALUE });
        if fits {
            assert_eq!(self.hip.one("hipStreamSynchronize", stream), 0);
            assert_eq!(found, self.twins[&start][offset..offset + bytes]);
        } else {
            assert!(found.iter().all(|byte| *byte == 0xdd));
        }
    }

    fn step(&mut self) {
        // Streams that block do not wait for each other, but for the null stream.
        let nothing = (self.hip).four("hipMemsetAsync", 0u64, 0i32, 0usize, 0u64);
        assert_eq!(nothing, 0);
        match self.random.below(16) {
            0 | 1 => self.allocate(),
            2 => self.free(),
            3..6 => self.fill(),
            6..9 => self.write(),
            9..12 => self.within(),
            12..15 => self.read(),
            _ => {
                let stream = self.stream();
                let call = dawdle as extern "C" fn(Pointer);
                let null: Pointer = std::ptr::null_mut();
                assert_eq!(self.hip.three("hipLaunchHostFunc", stream, call, null), 0);
            }
        }
    }
}

#[test]
fn reads_return_written_values() {
    let hip = Hip::load();
    for seed in 0..SEEDS {
        let mut streams = vec![std::ptr::null_mut()];
        streams.extend([0; 2].map(|_| hip.created("hipStreamCreate")));
        let mut run = Run {
            hip: &hip,
            random: Random(seed),
            twins: BTreeMap::new(),
            streams,
        };
        for _ in 0..STEPS {
            run.step();
        }
        for start in run.twins.keys() {
            assert_eq!(hip.one("hipFree", *start), 0);
        }
        for stream in &run.streams[1..] {
            assert_eq!(hip.one("hipStreamDestroy", *stream), 0);
        }
    }
}
