//! Packs: the kernels of a batch, built by a machine without a device for one with a device.
//!
//! A pack is text from an untrusted source. The local builder checks its launch parameters, and a
//! verdict checks its code.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use codegen::CompiledKernel;
use configgen::Target;
use serde::{Deserialize, Serialize};

use crate::agent::{build, choices};
use crate::build::{BuildError, Builder};
use crate::message::Batch;
use crate::transport::BatchKernels;

/// The kernels of a batch, in the order of its choices.
#[derive(Debug, Clone, PartialEq)]
pub struct Pack {
    compile_ms: f64,
    kernels: Vec<CompiledKernel>,
}

/// The text form. A code object that several kernels share occurs once.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PackDocument {
    compile_ms: f64,
    /// The code objects in base64.
    code_objects: Vec<String>,
    kernels: Vec<PackKernel>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PackKernel {
    /// The number of its code object.
    code_object: usize,
    launch: CompiledKernel,
}

/// The error for a text that is no pack.
#[derive(Debug, thiserror::Error)]
#[error("not the kernels of a batch: {0}")]
pub struct PackError(String);

impl Pack {
    /// The maximum size of a pack's text in bytes, so that it fits into a queue together with its
    /// batch. The kernels of a batch take some ten thousand.
    pub const BYTES: usize = 512 << 10;

    /// Builds the kernels of a batch.
    ///
    /// # Errors
    ///
    /// The first build error. The agent with the device then builds the batch itself and reports
    /// the reason.
    pub fn build(
        builder: &dyn Builder,
        target: &Target,
        batch: &Batch,
    ) -> Result<Pack, BuildError> {
        let built = build(builder, target, batch);
        Ok(Pack {
            compile_ms: built.compile_ms,
            kernels: built.kernels.into_iter().collect::<Result<_, _>>()?,
        })
    }

    /// Serialises the pack as text.
    pub fn to_text(&self) -> String {
        let mut objects: Vec<&Arc<[u8]>> = Vec::new();
        let mut kernels = Vec::with_capacity(self.kernels.len());
        for kernel in &self.kernels {
            let known = objects
                .iter()
                .position(|known| **known == kernel.code_object);
            kernels.push(PackKernel {
                code_object: known.unwrap_or(objects.len()),
                launch: kernel.clone(),
            });
            if known.is_none() {
                objects.push(&kernel.code_object);
            }
        }
        let written = PackDocument {
            compile_ms: self.compile_ms,
            code_objects: objects
                .iter()
                .map(|object| STANDARD.encode(object))
                .collect(),
            kernels,
        };
        serde_json::to_string(&written).expect("its keys are text")
    }

    /// Parses a pack.
    ///
    /// # Errors
    ///
    /// [`PackError`].
    pub fn read(text: &str) -> Result<Pack, PackError> {
        // The size is checked before parsing: the text is untrusted, and parsing takes memory.
        if text.len() > Pack::BYTES {
            return Err(PackError(format!(
                "{} bytes of {}",
                text.len(),
                Pack::BYTES
            )));
        }
        let written: PackDocument =
            serde_json::from_str(text).map_err(|error| PackError(error.to_string()))?;
        let decoded = |object: &String| STANDARD.decode(object).map(Arc::from);
        let objects: Result<Vec<Arc<[u8]>>, _> = written.code_objects.iter().map(decoded).collect();
        let objects = objects.map_err(|error| PackError(error.to_string()))?;
        let kernel = |one: PackKernel| {
            let object = objects.get(one.code_object);
            let object =
                object.ok_or_else(|| PackError(format!("no object {}", one.code_object)))?;
            Ok(CompiledKernel {
                code_object: Arc::clone(object),
                ..one.launch
            })
        };
        // The text is untrusted, and the time is stored with the trials.
        if !(written.compile_ms.is_finite() && written.compile_ms >= 0.0) {
            return Err(PackError(format!("{} ms", written.compile_ms)));
        }
        Ok(Pack {
            compile_ms: written.compile_ms,
            kernels: written
                .kernels
                .into_iter()
                .map(kernel)
                .collect::<Result<_, _>>()?,
        })
    }

    /// Returns the kernels, if their number and launches match this batch for this builder. Only
    /// a build could prove more.
    pub fn into_kernels(
        self,
        builder: &dyn Builder,
        target: &Target,
        batch: &Batch,
    ) -> Option<BatchKernels> {
        let choices = choices(batch);
        let problem = &batch.job.problem;
        let mut all = self.kernels.iter().zip(&choices);
        let is_it = self.kernels.len() == choices.len()
            && all.all(|(kernel, choice)| builder.is_launch_of(problem, target, choice, kernel));
        is_it.then(|| BatchKernels {
            kernels: self.kernels.into_iter().map(Ok).collect(),
            compile_ms: self.compile_ms,
            elsewhere: true,
        })
    }
}
