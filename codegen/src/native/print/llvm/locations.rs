//! A module with debug locations: each instruction says which statement it is of, as a line of a file that is not there.

use crate::native::ir::marks::split;

/// The numbers of the metadata of a module of one kernel go on from here; those of its lines, from `LINES` on.
const FIRST: u32 = 2;
const LINES: u32 = 10;

/// The module of a kernel whose lines are marked, with a location in place of each mark.
pub(in crate::native) fn located(marked: &str) -> String {
    let (mut text, mut last) = (String::new(), 0);
    for line in marked.lines() {
        let (line, statements) = split(line);
        let line = match line.strip_prefix("define ") {
            Some(_) => line.replace(" {", &format!(" !dbg !{} {{", FIRST + 2)),
            None => line.replace(
                "!llvm.module.flags = !{!1}",
                &format!("!llvm.module.flags = !{{!1, !{}}}", FIRST + 5),
            ),
        };
        text += &line;
        if let Some(&number) = statements.first() {
            text += &format!(", !dbg !{}", LINES + number);
            last = last.max(number);
        }
        text.push('\n');
    }
    let [unit, file, program, kind, none, version] = std::array::from_fn(|n| FIRST + n as u32);
    text += &format!(
        "!llvm.dbg.cu = !{{!{unit}}}\n\
         !{unit} = distinct !DICompileUnit(language: DW_LANG_C, file: !{file}, emissionKind: LineTablesOnly)\n\
         !{file} = !DIFile(filename: \"operations\", directory: \"\")\n\
         !{program} = distinct !DISubprogram(name: \"kernel\", file: !{file}, line: 1, type: !{kind}, unit: !{unit}, \
         spFlags: DISPFlagDefinition)\n\
         !{kind} = !DISubroutineType(types: !{none})\n\
         !{none} = !{{}}\n\
         !{version} = !{{i32 2, !\"Debug Info Version\", i32 3}}\n"
    );
    for line in 1..=last {
        text += &format!(
            "!{} = !DILocation(line: {line}, scope: !{program})\n",
            LINES + line
        );
    }
    text
}
