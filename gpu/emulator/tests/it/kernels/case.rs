//! A launch of a kernel of `source/`, in the emulator and on the host.

use emulator::{CodeObject, EmulatedMemory, Execution, Finding, KernelLaunch, run};

use super::target::{Host, Target};
use super::values::Kind;

/// The instruction limit of a wave: the longest runs take some 500,000 at O0.
const INSTRUCTION_LIMIT: u64 = 5_000_000;
/// The content of an output before the launch.
const POISON: u8 = 0xa5;

/// A kernel with its launch.
#[derive(Clone, Copy)]
pub(crate) struct Case {
    pub(crate) kernel: &'static str,
    pub(crate) groups: [u32; 3],
    pub(crate) size: [u32; 3],
    /// Bytes of dynamic LDS.
    pub(crate) lds: u32,
    pub(crate) arguments: &'static [Argument],
}

/// An argument of a kernel. The test compares every buffer afterwards.
#[derive(Clone, Copy)]
pub(crate) enum Argument {
    /// Poisoned bytes for each workgroup.
    Out(u32),
    /// Poisoned bytes, independent of the number of workgroups.
    Fixed(u32),
    /// Zeros.
    Zero(u32),
    /// Values for each workgroup.
    In(Kind, u32),
    /// Values, independent of the number of workgroups.
    All(Kind, u32),
    U8(u8),
    U32(u32),
    U64(u64),
    F32(f32),
    F64(f64),
    /// A structure by value.
    Bytes(&'static [u8]),
}

impl Argument {
    /// Returns true for a buffer, and its bytes.
    fn bytes(self, groups: usize, seed: u64) -> (bool, Vec<u8>) {
        match self {
            Argument::Out(size) => (true, vec![POISON; groups * size as usize]),
            Argument::Fixed(size) => (true, vec![POISON; size as usize]),
            Argument::Zero(size) => (true, vec![0; size as usize]),
            Argument::In(kind, count) => (true, kind.values(groups * count as usize, seed)),
            Argument::All(kind, count) => (true, kind.values(count as usize, seed)),
            Argument::U8(value) => (false, vec![value]),
            Argument::U32(value) => (false, value.to_le_bytes().into()),
            Argument::U64(value) => (false, value.to_le_bytes().into()),
            Argument::F32(value) => (false, value.to_le_bytes().into()),
            Argument::F64(value) => (false, value.to_le_bytes().into()),
            Argument::Bytes(bytes) => (false, bytes.into()),
        }
    }
}

impl Case {
    /// Returns the bytes of each argument, and true for a buffer.
    fn arguments(&self) -> Vec<(bool, Vec<u8>)> {
        let groups = self.groups.iter().product::<u32>() as usize;
        let name = self.kernel.bytes();
        let seed = name.fold(0u64, |seed, letter| {
            (seed << 5 ^ seed >> 50) ^ u64::from(letter)
        });
        let arguments = self.arguments.iter().enumerate();
        arguments
            .map(|(index, argument)| argument.bytes(groups, (seed << 8) + index as u64))
            .collect()
    }

    /// Returns the launch in the format of `source/host_main.h`.
    fn request(&self, target: Target) -> Vec<u8> {
        let arguments = self.arguments();
        let mut words: Vec<u64> = vec![self.kernel.len() as u64];
        words.extend(
            self.groups
                .iter()
                .chain(&self.size)
                .map(|&one| u64::from(one)),
        );
        words.extend([target.wave.into(), target.number(), arguments.len() as u64]);
        let mut request: Vec<u8> = words.into_iter().flat_map(u64::to_le_bytes).collect();
        put(&mut request, self.kernel.as_bytes());
        for (is_buffer, bytes) in arguments {
            request.extend(u64::from(is_buffer).to_le_bytes());
            request.extend((bytes.len() as u64).to_le_bytes());
            put(&mut request, &bytes);
        }
        request
    }
}

/// Appends bytes, padded to whole words.
fn put(request: &mut Vec<u8>, bytes: &[u8]) {
    request.extend_from_slice(bytes);
    request.resize(request.len().next_multiple_of(8), 0);
}

/// A case in the emulator's memory, ready for launch.
pub(crate) struct Ready<'a> {
    code: &'a CodeObject,
    pub(crate) memory: EmulatedMemory,
    buffers: Vec<emulator::Address>,
    case: Case,
    kernarg: Vec<u8>,
    /// The threads, as in [`KernelLaunch`].
    pub(crate) threads: u32,
}

impl<'a> Ready<'a> {
    /// Prepares a case.
    ///
    /// # Errors
    /// Returns an error if the kernel is missing or takes other arguments.
    pub(crate) fn new(code: &'a CodeObject, case: &Case) -> Result<Ready<'a>, String> {
        let kernel = code.kernel(case.kernel).ok_or("no such kernel")?;
        let (mut memory, mut buffers) = (EmulatedMemory::new(), Vec::new());
        let mut kernarg = vec![0; kernel.kernarg_bytes as usize];
        let arguments = case.arguments();
        for ((is_buffer, bytes), argument) in arguments.into_iter().zip(&kernel.arguments) {
            let bytes = if is_buffer {
                let size = bytes.len() as u64;
                let address = memory.allocate(size).map_err(|error| error.to_string())?;
                memory.bytes_mut(address).copy_from_slice(&bytes);
                buffers.push(address);
                address.get().to_le_bytes().into()
            } else {
                bytes
            };
            if argument.size as usize != bytes.len() {
                return Err(format!(
                    "argument at {}: {} bytes",
                    argument.offset, argument.size
                ));
            }
            kernarg[argument.offset as usize..][..bytes.len()].copy_from_slice(&bytes);
        }
        Ok(Ready {
            code,
            memory,
            buffers,
            case: *case,
            kernarg,
            threads: 0,
        })
    }

    /// Marks the outputs as never written.
    pub(crate) fn undefine_outputs(&mut self) {
        let is_buffer = |argument: &&Argument| argument.bytes(0, 0).0;
        let arguments = self.case.arguments.iter().filter(is_buffer);
        for (argument, &address) in arguments.zip(&self.buffers) {
            if matches!(argument, Argument::Out(_) | Argument::Fixed(_)) {
                let length = self.memory.bytes(address).len() as u64;
                self.memory.mark_undefined(address, 0..length);
            }
        }
    }

    /// Returns the content of the buffers.
    pub(crate) fn buffers(&self) -> impl Iterator<Item = &[u8]> {
        self.buffers
            .iter()
            .map(|&address| self.memory.bytes(address))
    }

    /// Runs the case.
    ///
    /// # Errors
    /// Returns the emulator's fault.
    pub(crate) fn run(&mut self) -> Result<Execution, String> {
        let launch = launch(self.code, &self.case, &self.kernarg, self.threads)?;
        run(self.code, &mut self.memory, &launch).map_err(|fault| fault.to_string())
    }

    /// Runs the case with the checker; returns its findings.
    ///
    /// # Errors
    /// Returns the emulator's fault.
    #[allow(dead_code, reason = "the benchmark's")]
    pub(crate) fn check(&mut self) -> Result<Vec<Finding>, String> {
        let launch = launch(self.code, &self.case, &self.kernarg, self.threads)?;
        let checked = emulator::check(self.code, &mut self.memory, &launch);
        checked.result.map_err(|fault| fault.to_string())?;
        Ok(checked.findings)
    }
}

fn launch<'a>(
    code: &'a CodeObject,
    case: &Case,
    kernarg: &'a [u8],
    threads: u32,
) -> Result<KernelLaunch<'a>, String> {
    Ok(KernelLaunch {
        kernel: code.kernel(case.kernel).ok_or("no such kernel")?,
        workgroups: case.groups,
        workgroup_size: case.size,
        dynamic_lds_bytes: case.lds,
        kernarg,
        workgroup_subset: None,
        threads,
        instruction_limit: INSTRUCTION_LIMIT,
        resident_workgroups: 0,
    })
}

/// Compares a case in the emulator with the host's result.
fn compare(code: &CodeObject, case: &Case, mut expected: &[u8]) -> Result<(), String> {
    let mut ready = Ready::new(code, case)?;
    ready.run()?;
    for (number, &address) in ready.buffers.iter().enumerate() {
        let got = ready.memory.bytes(address);
        let (wanted, rest) = expected.split_at(got.len());
        expected = &rest[got.len().next_multiple_of(8) - got.len()..];
        if let Some(place) = got
            .iter()
            .zip(wanted)
            .position(|(got, wanted)| got != wanted)
        {
            let word = |bytes: &[u8]| {
                let part = bytes[place / 8 * 8..].iter().take(8).rev();
                part.map(|byte| format!("{byte:02x}")).collect::<String>()
            };
            let bytes = got.iter().zip(wanted).filter(|(got, wanted)| got != wanted);
            return Err(format!(
                "buffer {number}, byte {place} of {}: the word is {}, on the host {}; {} bytes differ",
                got.len(),
                word(got),
                word(wanted),
                bytes.count(),
            ));
        }
    }
    Ok(())
}

/// Runs every case in the emulator and on the host.
///
/// # Errors
/// Returns the cases with different results, and the differences.
pub(crate) fn check(source: &str, cases: &[Case], target: Target) -> Result<(), String> {
    let code = target.compile(source)?;
    let requests: Vec<u8> = cases.iter().flat_map(|case| case.request(target)).collect();
    let answers = Host::compile(source)?.run(&requests)?;
    let mut rest = &answers[..];
    let mut wrong = Vec::new();
    for case in cases {
        let buffers = case
            .arguments()
            .into_iter()
            .filter(|(is_buffer, _)| *is_buffer);
        let length: usize = buffers
            .map(|(_, bytes)| bytes.len().next_multiple_of(8))
            .sum();
        let (expected, others) = rest
            .split_at_checked(length)
            .ok_or("the host's answers end early")?;
        rest = others;
        if target.is_miscompiled(case.kernel) {
            continue;
        }
        if let Err(reason) = compare(&code, case, expected) {
            wrong.push(format!("{}: {reason}", case.kernel));
        }
    }
    match wrong.len() {
        0 => Ok(()),
        count => Err(format!("{count} of {}:\n{}", cases.len(), wrong.join("\n"))),
    }
}
