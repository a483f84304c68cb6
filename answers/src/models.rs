//! The service's answers about submitted models: their state, and the comparison with and without
//! tuned kernels.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use store::{ModelState, Unreadable};

use crate::foreign_schema;
use crate::iree_kernels::ModelJudgement;
use crate::profile::ModelProfile;

/// A model that a client submitted.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SubmittedModel {
    /// The ID: a hash of the module, the device, the counts, and the compiler with its options.
    pub id: String,
    /// The name that the client gave; `null` if it gave none.
    pub name: Option<String>,
    /// The instruction set.
    #[schemars(with = "foreign_schema::Target")]
    pub target: Cow<'static, str>,
    /// The device of all times.
    pub device: String,
    /// The range of dynamic sizes.
    pub counts: String,
    /// The client's options of iree-compile.
    pub options: Vec<String>,
    /// The version of iree-compile.
    pub compiler: String,
    /// The state.
    #[schemars(with = "foreign_schema::ModelState")]
    pub state: ModelState,
    /// The reason of the failure, such as the compiler's message; absent unless it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The number of modules that were compiled and profiled so far: the plain one, and one for
    /// each tried set of kernels.
    pub profiles: u32,
    /// The figures of the last comparison; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<ModelGain>")]
    pub gain: Option<Box<RawValue>>,
    /// The time of the last request: RFC 3339, UTC.
    pub asked: String,
    /// The time of the last change of state: RFC 3339, UTC.
    pub changed: String,
}

/// The figures of a comparison, over all calls.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ModelGain {
    /// The number of calls: each function, with each profiled size.
    pub calls: usize,
    /// The sum of the times as iree-compile compiles the module alone, in microseconds; `null` if
    /// it does not compile.
    pub before_us: Option<f64>,
    /// The number of commands that count with a lower bound in `before_us`. Unless it is 0, the
    /// time is longer.
    #[serde(default)]
    pub before_bounded: usize,
    /// The sum with the kernels that stay, in microseconds.
    pub after_us: f64,
    /// The number of commands that count with a lower bound in `after_us`.
    #[serde(default)]
    pub after_bounded: usize,
    /// The number of kernels that stay.
    pub kept: usize,
    /// The number of kernels that were judged and left alone.
    pub left_alone: usize,
    /// The number of commands without a time and without a lower bound of it, which count in
    /// neither sum.
    pub untimed: usize,
}

/// A page of models.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SubmittedModels {
    /// The models, the last submitted first.
    pub models: Vec<SubmittedModel>,
    /// The `cursor` of the next page; `null` on the last page.
    pub next: Option<String>,
    /// The rows that this build cannot read; absent if there are none.
    #[serde(skip_serializing_if = "Unreadable::is_none")]
    #[schemars(with = "foreign_schema::Unreadable")]
    pub unreadable: Unreadable,
}

/// A model with its last comparison.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct JudgedModel {
    /// The model.
    pub model: SubmittedModel,
    /// The last comparison. It stays while the model is compared again; `null` if there is none.
    #[schemars(with = "Option<ModelComparison>")]
    pub comparison: Option<Box<RawValue>>,
}

/// A model as iree-compile compiles it alone, and with the kernels that make it faster.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ModelComparison {
    /// The profile as iree-compile compiles the module alone; `null` if it does not compile.
    pub before: Option<ModelProfile>,
    /// The profile with the kernels that stay.
    pub after: ModelProfile,
    /// The verdict on each kernel.
    pub judgement: ModelJudgement,
}

/// A deleted model.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct DeletedModel {
    /// The ID of the model.
    pub id: String,
}

/// Returns a stored answer as a part of another.
///
/// # Errors
///
/// The reason, if the text is no JSON.
pub fn stored_json(text: String) -> Result<Box<RawValue>, String> {
    // The text is printed as it is: an earlier build may have written it, with other fields.
    RawValue::from_string(text).map_err(|error| error.to_string())
}

impl ModelComparison {
    /// Returns the figures for lists.
    pub fn gain(&self) -> ModelGain {
        let calls = &self.judgement.calls;
        let kernels = &self.judgement.kernels;
        let kept = kernels.iter().filter(|it| it.kept).count();
        ModelGain {
            calls: calls.len(),
            before_us: calls.iter().map(|it| it.plain_us).sum(),
            before_bounded: calls.iter().map(|it| it.plain_bounded).sum(),
            after_us: calls.iter().map(|it| it.time_us).sum(),
            after_bounded: calls.iter().map(|it| it.bounded).sum(),
            kept,
            left_alone: kernels.len() - kept,
            untimed: calls.iter().map(|it| it.untimed).sum(),
        }
    }

    /// Returns the number of commands in all calls, before and after.
    pub fn commands(&self) -> usize {
        let profiles = self.before.iter().chain([&self.after]);
        let calls = profiles.flat_map(|it| &it.functions);
        calls.map(|it| it.commands.len() + it.at_load.len()).sum()
    }
}
