//! The launches of each program, with their buffers.

use emulator::EmulatedMemory;
use testing::Failed;

use super::Point;

/// The launches of a run.
pub(super) struct Plan {
    pub(super) launches: Vec<Launch>,
    /// The bytes of each copy from the host in the measured time.
    pub(super) copies: Vec<u64>,
    pub(super) lds_bytes: u32,
}

/// A launch, with the number of times that it represents.
pub(super) struct Launch {
    pub(super) kernarg: Vec<u8>,
    pub(super) times: f64,
}

/// The arguments of a kernel, in its layout.
#[derive(Default, Clone)]
struct Arguments(Vec<u8>);

impl Arguments {
    fn buffer(mut self, memory: &mut EmulatedMemory, bytes: u64) -> Result<Arguments, Failed> {
        self.0.extend(memory.allocate(bytes)?.get().to_le_bytes());
        Ok(self)
    }

    fn word(mut self, value: u32) -> Arguments {
        self.0.extend(value.to_le_bytes());
        self
    }

    fn times(self, times: f64) -> Launch {
        Launch {
            kernarg: self.0,
            times,
        }
    }
}

/// Returns the launches of a point, with buffers of zeros.
pub(super) fn plan(point: &Point, memory: &mut EmulatedMemory) -> Result<Plan, Failed> {
    let [columns, rows, _] = point.grid;
    let threads = u64::from(columns) * u64::from(rows) * u64::from(point.block[0] * point.block[1]);
    let single = |arguments: Arguments| vec![arguments.times(1.0)];
    let none = Arguments::default();
    let mut copies = Vec::new();
    let mut lds_bytes = 0;
    let launches = match point.program {
        "vectoradd" => {
            let two = none
                .buffer(memory, threads * 4)?
                .buffer(memory, threads * 4)?;
            single(two.buffer(memory, threads * 4)?.word(threads as u32))
        }
        "relu" => {
            let two = none
                .buffer(memory, threads * 4)?
                .buffer(memory, threads * 4)?;
            single(two.word(threads as u32))
        }
        "matrixtranspose" => {
            lds_bytes = 16 * 1024;
            let bytes = threads * 16 * 4;
            let two = none.buffer(memory, bytes)?.buffer(memory, bytes)?;
            single(two.word(columns * 16).word(columns))
        }
        "matrixmultiplication" => {
            let bytes = threads * 16 * 4;
            let two = none.buffer(memory, bytes)?.buffer(memory, bytes)?;
            single(two.buffer(memory, bytes)?.word(columns * 8))
        }
        "stencil2d" => {
            let pitch = columns * 64 + 2;
            let bytes = u64::from(pitch) * u64::from(rows * 16 + 2) * 4;
            let two = none.buffer(memory, bytes)?.buffer(memory, bytes)?;
            let point = |value: f32| value.to_bits();
            let words = two.word(pitch).word(point(0.25));
            single(words.word(point(0.15)).word(point(0.05)))
        }
        "floydwarshall" => {
            copies = vec![threads * 4; 2];
            let two = none
                .buffer(memory, threads * 4)?
                .buffer(memory, threads * 4)?;
            let width = columns * 8;
            // Each launch reads another row and another column.
            let at = |pass| two.clone().word(width).word(pass);
            let times = f64::from(point.launches) / 2.0;
            vec![at(width / 3).times(times), at(width - 1).times(times)]
        }
        "fastwalshtransform" => {
            copies = vec![threads * 8];
            let one = none.buffer(memory, threads * 8)?;
            let steps = 0..point.launches;
            steps
                .map(|power| one.clone().word(1 << power).times(1.0))
                .collect()
        }
        "bitonicsort" => {
            copies = vec![threads * 8];
            let one = none.buffer(memory, threads * 8)?;
            let stages = threads.ilog2() + 1;
            // Stage s compares at the distances 2^s to 1, so a distance has several launches.
            let distances = 0..stages;
            let launch = |distance: u32| {
                let words = one.clone().word(stages - 1).word(stages - 1 - distance);
                words.word(1).times(f64::from(stages - distance))
            };
            distances.map(launch).collect()
        }
        "fft" => single(none.buffer(memory, threads * 8 * 8)?),
        other => return Err(format!("no program {other}").into()),
    };
    Ok(Plan {
        launches,
        copies,
        lds_bytes,
    })
}
