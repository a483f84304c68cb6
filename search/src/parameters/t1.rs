//! T1 files: spaces of parameters as JSON, in the format of the autotuning community.
//!
//! Values are a text such as `"[1, 2, 4]"` or `"list(range(8))"`, or a JSON list. A condition is an
//! expression. Other fields of the format concern kernels and are ignored.

use std::collections::HashSet;

use serde::Deserialize;

use super::MAX_VALUES;
use super::expression::{Expression, ExpressionError, parse_list};
use super::value::{Parameter, ParameterValue};

/// The maximum number of parameters; a configuration is a line of output.
const MAX_PARAMETERS: usize = 256;

/// Parameters with conditions.
#[derive(Debug, Clone)]
pub struct ParameterSpace {
    pub(super) parameters: Vec<Parameter>,
    pub(super) conditions: Vec<Expression>,
}

/// A fault of a T1 file.
#[derive(Debug, thiserror::Error)]
pub enum T1Error {
    /// The text is no JSON, or has another form.
    #[error("not a T1 file: {0}")]
    Json(#[from] serde_json::Error),
    /// A fault of a parameter.
    #[error("parameter {name:?}: {message}")]
    Parameter {
        /// The parameter's name.
        name: String,
        /// The fault.
        message: String,
    },
    /// A fault of the text of a list or of a condition.
    #[error("{place}, {error}")]
    Text {
        /// The parameter or the number of the condition, from 1.
        place: String,
        /// The fault, with its position.
        error: ExpressionError,
    },
    /// The file has no parameter, or too many.
    #[error("the file has {0} parameters; a space has 1 to {MAX_PARAMETERS}")]
    ParameterCount(usize),
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct T1File {
    configuration_space: ConfigurationSpace,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ConfigurationSpace {
    tuning_parameters: Vec<TuningParameter>,
    #[serde(default)]
    conditions: Vec<T1Condition>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct TuningParameter {
    name: String,
    values: ValueList,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum ValueList {
    Text(String),
    List(Vec<ParameterValue>),
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct T1Condition {
    expression: String,
}

impl ParameterSpace {
    /// Parses a T1 file.
    ///
    /// # Errors
    ///
    /// The first fault, with its place.
    pub fn parse_t1(text: &str) -> Result<ParameterSpace, T1Error> {
        let file: T1File = serde_json::from_str(text)?;
        let ConfigurationSpace {
            tuning_parameters,
            conditions,
        } = file.configuration_space;
        let count = tuning_parameters.len();
        if count == 0 || count > MAX_PARAMETERS {
            return Err(T1Error::ParameterCount(count));
        }
        // Two fields of one name would make a line of JSON ambiguous.
        let mut names = HashSet::new();
        let mut parameters = Vec::with_capacity(count);
        for TuningParameter { name, values } in tuning_parameters {
            let values = match values {
                ValueList::List(values) => values,
                ValueList::Text(text) => parse_list(&text).map_err(|error| T1Error::Text {
                    place: format!("values of {name:?}"),
                    error,
                })?,
            };
            let message = match names.insert(name.clone()) {
                true => fault(&values),
                false => Some("another parameter has this name".to_owned()),
            };
            match message {
                Some(message) => return Err(T1Error::Parameter { name, message }),
                None => parameters.push(Parameter { name, values }),
            }
        }
        let parse = |(number, condition): (usize, &T1Condition)| {
            let parsed = Expression::parse(&condition.expression, &parameters);
            parsed.map_err(|error| T1Error::Text {
                place: format!("condition {}", number + 1),
                error,
            })
        };
        let conditions = conditions.iter().enumerate().map(parse);
        let conditions = conditions.collect::<Result<_, _>>()?;
        Ok(ParameterSpace {
            parameters,
            conditions,
        })
    }

    /// Returns the parameters in the order of the file.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Returns the conditions in the order of the file.
    pub fn conditions(&self) -> &[Expression] {
        &self.conditions
    }
}

/// Returns the fault of a parameter's values, if there is one.
fn fault(values: &[ParameterValue]) -> Option<String> {
    // The parser derives a parameter's kind from its first value, so all must agree.
    let is_text = |value: &ParameterValue| matches!(value, ParameterValue::Text(_));
    if values.is_empty() || values.len() > MAX_VALUES {
        return Some(format!(
            "{} values; 1 to {MAX_VALUES} are possible",
            values.len()
        ));
    }
    if values
        .iter()
        .any(|value| is_text(value) != is_text(&values[0]))
    {
        return Some("the values are numbers and texts; all must be of one kind".to_owned());
    }
    // The texts of equal values are equal: reals print as many digits as identify them.
    let mut seen = HashSet::new();
    let repeated = values
        .iter()
        .find(|value| !seen.insert(format!("{value:?}")))?;
    Some(format!("the value {repeated:?} stands twice"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(parameters: &str, conditions: &str, expected: &str) {
        let text = format!(
            r#"{{"ConfigurationSpace": {{"TuningParameters": [{parameters}], "Conditions": [{conditions}]}}}}"#
        );
        match ParameterSpace::parse_t1(&text) {
            Ok(space) => panic!("{space:?}"),
            Err(error) => assert_eq!(error.to_string(), expected),
        }
    }

    #[test]
    fn faults_have_their_place() {
        let one = r#"{"Name": "tile", "Type": "int", "Values": "[1, 2]"}"#;
        check("", "", "the file has 0 parameters; a space has 1 to 256");
        check(
            one,
            r#"{"Expression": "tile > 0"}, {"Expression": "2 % (tlie) == 0"}"#,
            "condition 2, character 6: unknown parameter \"tlie\"; did you mean \"tile\"?\n  2 % (tlie) == 0\n       ^",
        );
        check(
            &format!("{one}, {one}"),
            "",
            "parameter \"tile\": another parameter has this name",
        );
        let of = |values: &str| format!(r#"{{"Name": "a", "Values": {values}}}"#);
        check(
            &of(r#""[1, 2""#),
            "",
            "values of \"a\", character 6: \",\" or \"]\" must follow\n  [1, 2\n       ^",
        );
        check(
            &of("[]"),
            "",
            "parameter \"a\": 0 values; 1 to 65536 are possible",
        );
        check(
            &of(r#""[1, 'x']""#),
            "",
            "parameter \"a\": the values are numbers and texts; all must be of one kind",
        );
        check(
            &of("[4, 4]"),
            "",
            "parameter \"a\": the value Integer(4) stands twice",
        );
    }

    #[test]
    fn lists_are_texts_or_json() {
        let text = r#"{"ConfigurationSpace": {"TuningParameters": [
            {"Name": "a", "Values": "[1, -2, 2**3, 0.5, True]"},
            {"Name": "b", "Values": ["x", "y"]}]}}"#;
        let space = ParameterSpace::parse_t1(text).unwrap();
        let json = |number: usize| serde_json::to_string(&space.parameters()[number].values);
        assert_eq!(json(0).unwrap(), "[1,-2,8,0.5,true]");
        assert_eq!(json(1).unwrap(), r#"["x","y"]"#);
    }
}
