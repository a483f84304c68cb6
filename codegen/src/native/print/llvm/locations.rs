//! A module with debug locations: each instruction has its statement's number as the line of a
//! nonexistent file.

use crate::native::ir::marks::split;

/// The first metadata number after those of a module of one kernel. The numbers of lines start at
/// `LINES`.
const FIRST: u32 = 2;
const LINES: u32 = 10;

/// Returns the module of a kernel with marked lines, with a debug location in place of each mark.
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
        // A line of LLVM IR has one location, so the first mark decides.
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
