//! The child protocol: the frames that a device's two processes exchange through pipes.
//!
//! A frame begins with the length of a JSON text and that of the attachment, each a little-endian
//! u32. The text follows, and then the attachment: a code object, or nothing. Inputs never go
//! through the pipe: the child makes them from the problem's text and the seed.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::time::Duration;

use codegen::CompiledKernel;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::device_facts::HipDeviceFacts;
use crate::bench::BenchOutcome;
use crate::device::DeviceError;
use crate::timing::Mode;

/// The maximum sizes of a text and of an attachment in bytes.
const MAX_TEXT: u32 = 64 << 20;
const MAX_ATTACHED: u32 = 1 << 30;

/// The device to use, and the conditions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HipOptions {
    /// The device's number.
    pub ordinal: u32,
    /// The library; `None` searches for one.
    pub library: Option<PathBuf>,
    /// True to wait for a device that another process uses.
    pub wait: bool,
    /// The contents of the caches when a launch is timed.
    pub mode: Mode,
}

/// A request of the parent.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum ChildRequest {
    /// Lists the library's devices. It is the first and last request.
    Probe {
        /// The library; `None` searches for one.
        library: Option<PathBuf>,
    },
    /// Loads the library and returns the device's facts. It is the first request otherwise.
    Open(HipOptions),
    /// Locks the device for the child's lifetime and prepares it. It is the second request.
    Lock {
        /// The folder of the locks. A child in a sandbox does not see the variables that name it.
        folder: PathBuf,
    },
    /// Makes the inputs. It follows the lock or the last kernel of another problem.
    Problem {
        /// The problem's canonical text.
        problem: String,
        /// The seed of the inputs.
        seed: u64,
    },
    /// Evaluates a kernel, any number of times after a problem. The code object is attached.
    Evaluate(Box<CompiledKernel>),
}

/// A reply of the child. Before the reply to a request, the child announces its phases.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum ChildReply {
    /// The reply to [`ChildRequest::Probe`].
    Devices(Vec<HipDeviceFacts>),
    /// The reply to [`ChildRequest::Open`].
    Opened(Box<HipDeviceFacts>),
    /// The reply to [`ChildRequest::Lock`].
    Locked,
    /// The refusal of any of these requests: the device is missing or unavailable, for this
    /// reason.
    Refused(String),
    /// The reply to [`ChildRequest::Problem`].
    Ready,
    /// The reply to [`ChildRequest::Evaluate`].
    Outcome(Box<BenchOutcome>),
    /// The failure of the latter two requests: the device is unusable, for no fault of a kernel.
    Failed(DeviceError),
    /// The announcement of a phase, which ends within its limit unless the child hangs.
    Step(ChildPhase),
}

/// A phase of the child's work, which determines its time limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum ChildPhase {
    /// The child waits for the previous child to leave the device.
    Wait,
    /// The child works on the host or copies, with a limit that does not depend on the kernel.
    Host,
    /// The kernel runs, with this limit.
    Kernel(Duration),
}

/// Writes a frame.
pub(super) fn write(
    to: &mut impl Write,
    message: &impl Serialize,
    attached: &[u8],
) -> io::Result<()> {
    let text = serde_json::to_vec(message)?;
    let length = |bytes: &[u8], most: u32| {
        let length = u32::try_from(bytes.len())
            .ok()
            .filter(|length| *length <= most);
        length.ok_or_else(|| too_long(bytes.len() as u64))
    };
    let mut frame = Vec::with_capacity(8 + text.len() + attached.len());
    frame.extend(length(&text, MAX_TEXT)?.to_le_bytes());
    frame.extend(length(attached, MAX_ATTACHED)?.to_le_bytes());
    frame.extend(&text);
    frame.extend(attached);
    to.write_all(&frame)?;
    to.flush()
}

/// Reads a frame. Returns `None` if the other side is gone.
pub(super) fn read<M: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<(M, Vec<u8>)>> {
    let mut lengths = [0; 8];
    match from.read_exact(&mut lengths) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let [text, attached] =
        [0, 4].map(|at| u32::from_le_bytes(std::array::from_fn(|n| lengths[at + n])));
    // The limits come before the allocation: a broken child must not exhaust the parent's memory.
    for (length, most) in [(text, MAX_TEXT), (attached, MAX_ATTACHED)] {
        if length > most {
            return Err(too_long(length.into()));
        }
    }
    let mut take = |length: u32| {
        let mut bytes = vec![0; length as usize];
        from.read_exact(&mut bytes).map(|()| bytes)
    };
    let (text, attached) = (take(text)?, take(attached)?);
    Ok(Some((serde_json::from_slice(&text)?, attached)))
}

fn too_long(bytes: u64) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("a frame of {bytes} bytes"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timing::Measurement;

    #[test]
    fn frames_come_as_they_went() {
        let mut pipe = Vec::new();
        let message = ChildReply::Step(ChildPhase::Kernel(Duration::from_micros(2_500_001)));
        write(&mut pipe, &message, &[1, 2, 3]).unwrap();
        write(&mut pipe, &ChildReply::Ready, &[]).unwrap();
        let mut from = &pipe[..];
        let (read_back, attached): (ChildReply, _) = read(&mut from).unwrap().unwrap();
        assert_eq!(format!("{read_back:?}"), format!("{message:?}"));
        assert_eq!(attached, [1, 2, 3]);
        assert!(matches!(
            read(&mut from).unwrap(),
            Some((ChildReply::Ready, _))
        ));
        let right = BenchOutcome::Right(Measurement::exact(Mode::Cold, 1.0 / 3.0), 0.1 + 0.2);
        let mut pipe = Vec::new();
        write(
            &mut pipe,
            &ChildReply::Outcome(Box::new(right.clone())),
            &[],
        )
        .unwrap();
        let Some((ChildReply::Outcome(came), _)) = read(&mut &pipe[..]).unwrap() else {
            panic!("no outcome");
        };
        assert_eq!(*came, right);
        assert!(read::<ChildReply>(&mut from).unwrap().is_none());
        // An incomplete frame is an error.
        assert!(read::<ChildReply>(&mut &pipe[..9]).is_err());
    }

    #[test]
    fn malformed_frames_are_refused() {
        for bytes in [
            &b"HIP initialised\n"[..],
            &[255; 64],
            &[2, 0, 0, 0, 0, 0, 0, 0, b'{', b'}'],
        ] {
            assert!(read::<ChildReply>(&mut { bytes }).is_err());
        }
    }
}
