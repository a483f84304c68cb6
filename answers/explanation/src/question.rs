//! The question about a configuration, and the explanation that needs no compiler.

use answers::explanations::{ConfigurationRefusal, Explanation};
use codegen::native::lane_map;
use configgen::{
    Configuration, Generator, Layout, Pipeline, Problem, Rejection, Target, TranslationInfo, check,
};

use crate::layout::layout;

/// The input of an explanation.
#[derive(Debug, Clone)]
pub struct Question {
    /// The problem that the kernel computes.
    pub problem: Problem,
    /// The target that the kernel is built for.
    pub target: &'static Target,
    /// The generator that makes the kernel.
    pub generator: Generator,
    /// The configuration. `None` selects the generator's default.
    pub configuration: Option<Configuration>,
}

impl Question {
    /// Returns the given configuration or the generator's default.
    ///
    /// # Errors
    ///
    /// The generator does not support the problem, or its default is not a `VectorDistribute`
    /// configuration.
    fn configuration(&self) -> Result<Configuration, ExplanationRefusal> {
        if let Some(configuration) = &self.configuration {
            return Ok(configuration.clone());
        }
        match self
            .generator
            .default_configuration(&self.problem, self.target)?
        {
            Pipeline::VectorDistribute(configuration) => Ok(configuration),
            Pipeline::TileAndFuse(own) => Err(ExplanationRefusal {
                rule: None,
                message: format!(
                    "the default of {} is not a configuration: {own}",
                    self.generator
                ),
            }),
        }
    }

    /// Returns the configuration if it is legal.
    pub(crate) fn legal(&self) -> Result<Configuration, ExplanationRefusal> {
        let configuration = self.configuration()?;
        check(&self.problem, self.target, self.generator, &configuration)?;
        Ok(configuration)
    }
}

/// The reason why no such kernel exists.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ExplanationRefusal {
    /// The broken rule, if the refusal comes from a rule.
    pub rule: Option<&'static str>,
    /// The reason, with the numbers.
    pub message: String,
}

impl From<Rejection> for ExplanationRefusal {
    fn from(rejection: Rejection) -> ExplanationRefusal {
        ExplanationRefusal {
            rule: Some(rejection.rule),
            message: rejection.message,
        }
    }
}

/// Explains a configuration, legal or not. An illegal one has a refusal and no layout.
pub fn explain(question: &Question) -> Explanation {
    let (problem, target, generator) = (&question.problem, question.target, question.generator);
    let configuration = question.configuration().ok();
    let (legal, refused) = match question.legal() {
        Ok(legal) => (Some(legal), None),
        Err(refused) => (None, Some(refused)),
    };
    let legal = legal.as_ref();
    let nest = legal.and_then(|legal| Layout::new(problem, generator, legal).ok());
    let native = legal.filter(|_| generator == Generator::NATIVE);
    // Lane maps and commands exist for native kernels alone: the native generator decides both.
    let map = native.and_then(|legal| lane_map(problem, target, legal).ok());
    Explanation {
        problem: problem.clone(),
        target,
        generator,
        refusal: refused
            .map(|ExplanationRefusal { rule, message }| ConfigurationRefusal { rule, message }),
        configuration_hash: configuration.as_ref().map(hash),
        attributes: configuration.as_ref().map(|it| it.lowering.to_string()),
        translation_info: configuration
            .as_ref()
            .map(|it| TranslationInfo::from(it).to_string()),
        nested_layout: nest.map(|nest| nest.to_string()),
        command: native.map(|legal| command(problem, target, legal)),
        layout: map.as_ref().map(layout),
        configuration,
    }
}

/// Returns a configuration's canonical text.
fn text(configuration: &Configuration) -> String {
    serde_json::to_string(configuration).expect("its keys are text")
}

/// Returns the hash by which databases name a configuration.
fn hash(configuration: &Configuration) -> String {
    blake3::hash(text(configuration).as_bytes())
        .to_hex()
        .to_string()
}

/// Returns the command that prints the assembly of a kernel.
fn command(problem: &Problem, target: &Target, configuration: &Configuration) -> String {
    // Single quotes suffice: neither text contains a quote.
    let configuration = text(configuration);
    format!(
        "wavetune explain '{problem}' --target {target} --configuration '{configuration}' --stage isa"
    )
}
