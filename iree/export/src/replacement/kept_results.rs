//! Kept results: results of producers that a replacement also replaces.
//!
//! The spec finds the producers from the matched operation on, by the numbers of operands. The
//! kernel's function stands behind the first of them.

use std::fmt::{self, Display, Formatter};

use configgen::linalg::{OperationForm, ProducerResult};

/// The lines of a replacement that also replaces results of producers. `%given` are the problem's
/// inputs and `%all` the results. `%first` is the first producer with one.
pub(super) struct KeptResults<'a>(pub(super) &'a OperationForm);

impl Display for KeptResults<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let outputs = self.0.outputs().iter();
        let kept: Vec<_> = outputs.filter_map(|it| it.producer.as_ref()).collect();
        if kept.is_empty() {
            return Ok(());
        }
        let operation = "(!transform.any_op) -> !transform.any_op";
        for (number, ProducerResult { operands, .. }) in kept.iter().enumerate() {
            let mut before = "%operation".to_owned();
            for (step, operand) in operands.iter().enumerate() {
                let name = match (step + 1 == operands.len(), number) {
                    (true, 0) => "%first".to_owned(),
                    (true, _) => format!("%producer{number}"),
                    _ => format!("%before{number}_{step}"),
                };
                writeln!(
                    f,
                    "    {name} = transform.get_producer_of_operand {before}[{operand}] : {operation}"
                )?;
                before = name;
            }
            writeln!(
                f,
                "    %kept{number} = transform.get_result {before}[{}] : (!transform.any_op) -> !transform.any_value",
                kept[number].number
            )?;
        }
        let values = |name: &str, count: usize| {
            let all: Vec<String> = (0..count).map(|it| format!("%{name}{it}")).collect();
            all.join(", ")
        };
        let (bound, given) = (self.0.arguments().len(), self.0.parameters().len());
        let kinds = vec!["!transform.any_value"; bound].join(", ");
        writeln!(
            f,
            "    {} = transform.split_handle %operands : (!transform.any_value) -> ({kinds})
    %given = transform.merge_handles {} : !transform.any_value
    %all = transform.merge_handles %results, {} : !transform.any_value",
            values("bound", bound),
            values("bound", given),
            values("kept", kept.len())
        )
    }
}
