//! Frames: what the two processes of a device say to each other, through pipes.
//!
//! A frame is the length of a JSON text and that of what follows it, each as a little-endian u32, then the text, then
//! as many bytes: a code object, or nothing. Inputs never go through the pipe: the child makes them of the problem's
//! text and the seed.

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

/// Bytes of a text at most, and of what follows it.
const MAX_TEXT: u32 = 64 << 20;
const MAX_ATTACHED: u32 = 1 << 30;

/// Which device is to be used, and how.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HipOptions {
    /// The device's number.
    pub ordinal: u32,
    /// The library; none to look for one.
    pub library: Option<PathBuf>,
    /// Whether to wait for a device that another process uses.
    pub wait: bool,
    /// What the caches hold when a launch is timed.
    pub mode: Mode,
}

/// What the parent wants.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum ChildRequest {
    /// First and last: say which devices the library has.
    Probe {
        /// The library; none to look for one.
        library: Option<PathBuf>,
    },
    /// Or first: load the library, and say what the device is.
    Open(HipOptions),
    /// Then: lock the device for as long as the child lives, and make it ready.
    Lock {
        /// Where locks are. A child in a sandbox does not see what tells it.
        folder: PathBuf,
    },
    /// Then, and after the last kernel of another: make the inputs.
    Problem {
        /// Canonical text.
        problem: String,
        /// Seed of the inputs.
        seed: u64,
    },
    /// Then, any number of times. The code object follows.
    Evaluate(Box<CompiledKernel>),
}

/// What the child answers. Between a request and its answer it says what it is about to do.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum ChildReply {
    /// To [`Request::Probe`].
    Devices(Vec<HipDeviceFacts>),
    /// To [`Request::Open`].
    Opened(Box<HipDeviceFacts>),
    /// To [`Request::Lock`].
    Locked,
    /// To any of them: there is no device, or it cannot be had, for this reason.
    Refused(String),
    /// To [`Request::Problem`].
    Ready,
    /// To [`Request::Evaluate`].
    Outcome(Box<BenchOutcome>),
    /// To the latter two: the device cannot be used any more, for no fault of a kernel's.
    Failed(DeviceError),
    /// What begins now is over in so much time, or hangs.
    Step(ChildPhase),
}

/// What a child does, which decides for how long it may do it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum ChildPhase {
    /// It waits for the child before it to be gone.
    Wait,
    /// It works on the host or copies, which is not limited by the kernel.
    Host,
    /// The kernel runs, and it has so much time.
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

/// Reads a frame; none where the other side is gone.
pub(super) fn read<M: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<(M, Vec<u8>)>> {
    let mut lengths = [0; 8];
    match from.read_exact(&mut lengths) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let [text, attached] =
        [0, 4].map(|at| u32::from_le_bytes(std::array::from_fn(|n| lengths[at + n])));
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
        // Of a frame that breaks off nothing is read.
        assert!(read::<ChildReply>(&mut &pipe[..9]).is_err());
    }

    #[test]
    fn what_is_no_frame_is_refused() {
        for bytes in [
            &b"HIP initialised\n"[..],
            &[255; 64],
            &[2, 0, 0, 0, 0, 0, 0, 0, b'{', b'}'],
        ] {
            assert!(read::<ChildReply>(&mut { bytes }).is_err());
        }
    }
}
