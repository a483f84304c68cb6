//! The mapping from assembly text to IR statements, by debug locations. The shown text is
//! compiled without them. A second text has them and the same instructions.

/// Returns the IR statements of each line of `shown`, by the locations of `located`. Stops at the
/// first line in which the texts differ.
pub(super) fn marks(shown: &str, located: &str) -> Vec<Vec<u32>> {
    let mut statement = 0;
    let mut known = located.lines().filter_map(|line| {
        if let Some(location) = line.trim_start().strip_prefix(".loc") {
            // The operands of `.loc` are the file, then the line.
            let line = location.split_whitespace().nth(1);
            statement = line.and_then(|line| line.parse().ok()).unwrap_or(0);
        }
        instruction(line).map(|instruction| (instruction, statement))
    });
    let mut is_same = true;
    let mark = |line: &str| {
        let Some(shown) = instruction(line).filter(|_| is_same) else {
            return vec![];
        };
        match known.next() {
            Some((found, statement)) if found == shown => {
                Some(statement).filter(|&it| it > 0).into_iter().collect()
            }
            _ => {
                is_same = false;
                vec![]
            }
        }
    };
    shown.lines().map(mark).collect()
}

/// Returns the instruction of a line, without a comment, if there is one.
pub(super) fn instruction(line: &str) -> Option<&str> {
    let text = line.split(';').next().unwrap_or_default();
    let is_indented = text.starts_with([' ', '\t']);
    let text = text.trim();
    let is_none = text.is_empty() || text.starts_with('.') || text.ends_with(':');
    (is_indented && !is_none).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_the_statements_of_their_locations() {
        let shown = "k:\n\ts_load x\n\tv_add y ; two\n.LBB0_1:\n\tv_sub z\n\ts_endpgm\n\t.end";
        let located = "k:\n.Lfunc:\n\t.loc\t1 7 0\n\ts_load x\n\tv_add y\n\t.loc 1 0 0 is_stmt 0\n.LBB0_1:\n\tv_sub z\n\
                       \t.loc 1 9 0\n\ts_endpgm\n";
        let none = Vec::new;
        assert_eq!(
            marks(shown, located),
            [none(), vec![7], vec![7], none(), none(), vec![9], none()]
        );
        // Lines behind the first difference have no mark.
        let other = located.replace("v_add y", "v_add w");
        assert_eq!(
            marks(shown, &other),
            [none(), vec![7], none(), none(), none(), none(), none()]
        );
    }
}
