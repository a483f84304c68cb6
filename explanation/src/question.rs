//! What is asked, and what can be said without a tool.

use answers::explanations::{ConfigurationRefusal, Explanation};
use codegen::native::lane_map;
use configgen::{
    Configuration, Generator, Layout, Pipeline, Problem, Rejection, Target, TranslationInfo, check,
};

use crate::layout::layout;

/// What is to be explained.
#[derive(Debug, Clone)]
pub struct Question {
    /// What is computed.
    pub problem: Problem,
    /// What the kernel is built for.
    pub target: &'static Target,
    /// Who makes it.
    pub generator: Generator,
    /// The configuration; the untuned one where there is none.
    pub configuration: Option<Configuration>,
}

impl Question {
    /// The configuration that is meant: there is none where the generator does not take the problem, or where what it does
    /// by itself is no configuration.
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
                    "what {} does by itself is no configuration: {own}",
                    self.generator
                ),
            }),
        }
    }

    /// The same, if it is legal.
    pub(crate) fn legal(&self) -> Result<Configuration, ExplanationRefusal> {
        let configuration = self.configuration()?;
        check(&self.problem, self.target, self.generator, &configuration)?;
        Ok(configuration)
    }
}

/// Why there is no such kernel.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ExplanationRefusal {
    /// The rule that is broken, if it is a rule.
    pub rule: Option<&'static str>,
    /// Why, with the numbers.
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

/// Explains a configuration.
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

/// A configuration's canonical text.
fn text(configuration: &Configuration) -> String {
    serde_json::to_string(configuration).expect("its keys are text")
}

/// The name of a configuration, as databases have it.
fn hash(configuration: &Configuration) -> String {
    blake3::hash(text(configuration).as_bytes())
        .to_hex()
        .to_string()
}

/// The command that prints the assembly of a kernel. Neither text has a quote.
fn command(problem: &Problem, target: &Target, configuration: &Configuration) -> String {
    let configuration = text(configuration);
    format!(
        "wavetune explain '{problem}' --target {target} --configuration '{configuration}' --stage isa"
    )
}
