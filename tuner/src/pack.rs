//! Packs: the kernels of a batch, built by one who has no device, for one who has.
//!
//! A pack is text that may come from anywhere. What it says of a launch is compared with what the builder here says; what its
//! code does is found out by a verdict.

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

/// As it is written: a code object that several kernels share is there once.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PackDocument {
    compile_ms: f64,
    /// In base64.
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

/// What was to be read is no pack.
#[derive(Debug, thiserror::Error)]
#[error("not the kernels of a batch: {0}")]
pub struct PackError(String);

impl Pack {
    /// Bytes of a written pack at most, so that it goes through a queue together with its batch. Kernels of a batch take some
    /// ten thousand.
    pub const BYTES: usize = 512 << 10;

    /// Builds the kernels of a batch.
    ///
    /// # Errors
    ///
    /// The first that could not be built: who has the device builds the batch then, and finds out why.
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

    /// As text.
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

    /// What was written.
    ///
    /// # Errors
    ///
    /// [`NoPack`].
    pub fn read(text: &str) -> Result<Pack, PackError> {
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

    /// The kernels, where they can be those of this batch by this builder, as far as can be told without building them.
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
