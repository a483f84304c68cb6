//! The page of the configuration: environment variables, options of the service and of the agent.

use std::collections::BTreeMap;

use clap::{Arg, Command};

use super::{cell, escaped, shown, typed};

const HEAD: &str = "\
# Configuration

`wavetune reference` writes this page from the program's own options. The program reads no configuration file. An option
takes precedence over its variable.

## Variables of the environment

| variable | option | meaning |
|---|---|---|
";

/// Variables without an option, each with its meaning.
const OTHERS: [(&str, &str); 15] = [
    (
        "WAVETUNE_LIBLLVM",
        "LLVM's library, which compiles native kernels, such as /opt/rocm/llvm/lib/libLLVM.so",
    ),
    ("WAVETUNE_LLD", "The linker of native kernels, ld.lld"),
    (
        "WAVETUNE_IREE_COMPILE",
        "The compiler of the generator iree; the native program of the wheel starts fastest",
    ),
    (
        "WAVETUNE_LOG",
        "The log on standard error: error, warn, info, debug, trace, or levels of crates such as tuner=debug",
    ),
    (
        "WAVETUNE_OBJECTS",
        "The folder of compiled kernels, which the program may find empty at any time",
    ),
    (
        "WAVETUNE_HIP_DEVICE",
        "The emulated device of libwavetune_hip.so; mi300x if unset",
    ),
    (
        "WAVETUNE_HIP_CHECK",
        "1 lets the checker of libwavetune_hip.so look for bugs",
    ),
    (
        "WAVETUNE_HIP_TIMES",
        "The file to which libwavetune_hip.so appends the modelled time of each kernel, copy and fill",
    ),
    (
        "WAVETUNE_HIP_TIME_ONLY",
        "1 lets libwavetune_hip.so model the times of kernels without executing them",
    ),
    (
        "WAVETUNE_HIP_CACHES",
        "Contents of the caches for libwavetune_hip.so: as-run (default), cold or warm",
    ),
    (
        "WAVETUNE_HIP_KNOWN_TIMES",
        "A file of WAVETUNE_HIP_TIMES, whose kernels are not modelled again with WAVETUNE_HIP_TIME_ONLY=1",
    ),
    (
        "WAVETUNE_IREE_RUNTIME",
        "The folder of iree-benchmark-module, which runs whole models",
    ),
    (
        "WAVETUNE_EMULATED_HIP",
        "The file libwavetune_hip.so, the emulated device of whole models",
    ),
    (
        "XDG_DATA_HOME",
        "The folder above wavetune/wavetune.db; ~/.local/share if unset",
    ),
    (
        "XDG_CACHE_HOME",
        "The folder above wavetune/objects; ~/.cache if unset",
    ),
];

/// The commands that run until they are stopped.
const SERVICES: [&str; 2] = ["serve", "agent"];

/// Returns the page.
pub(super) fn page(command: &Command) -> String {
    let mut page = HEAD.to_owned();
    let mut found = BTreeMap::new();
    collect(command.get_name(), command, &mut found);
    let rows = found.into_iter().map(|(variable, usage)| {
        let row = usage.row(&variable);
        (variable, row)
    });
    let mut rows: BTreeMap<String, String> = rows.collect();
    for (variable, meaning) in OTHERS {
        let row = format!("| `{variable}` | | {} |\n", escaped(meaning));
        // An option's own row wins, because it has more facts than this list.
        rows.entry(variable.to_owned()).or_insert(row);
    }
    page.extend(rows.into_values());
    for name in SERVICES {
        if let Some(service) = command.find_subcommand(name) {
            let head = "| option | meaning |\n|---|---|";
            let title = [command.get_name(), name].join(" ");
            page.push_str(&format!("\n## {title}\n\n{head}\n"));
            let row = |it: &Arg| format!("| `{}` | {} |\n", typed(it), cell(it));
            page.extend(shown(service).map(row));
        }
    }
    page
}

/// Collects each variable that has an option, with its first command and the number of commands.
fn collect<'a>(name: &str, command: &'a Command, found: &mut BTreeMap<String, VariableUse<'a>>) {
    for argument in shown(command) {
        if let Some(variable) = argument.get_env() {
            let usage = found.entry(variable.display().to_string());
            let usage = usage.or_insert_with(|| VariableUse {
                command: name.to_owned(),
                argument,
                commands: 0,
            });
            // The meaning is the same everywhere: the commands share the option's definition.
            usage.commands += 1;
        }
    }
    for below in command.get_subcommands().filter(|it| !it.is_hide_set()) {
        collect(&format!("{name} {}", below.get_name()), below, found);
    }
}

/// The commands that have an option.
struct VariableUse<'a> {
    /// The first of them.
    command: String,
    argument: &'a Arg,
    commands: usize,
}

impl VariableUse<'_> {
    fn row(&self, variable: &str) -> String {
        let (option, meaning) = (typed(self.argument), cell(self.argument));
        let command = match self.commands {
            1 => format!(" of `{}`", self.command),
            count => format!(" of {count} commands"),
        };
        format!("| `{variable}` | `{option}`{command} | {meaning} |\n")
    }
}
