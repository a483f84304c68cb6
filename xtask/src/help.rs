//! The text of `cargo xtask help`.

/// The output of `cargo xtask` without arguments.
pub(crate) const TEXT: &str = "\
cargo xtask TASK

Checks:
  test [--all] [--again]
                     run formatting, clippy, rustdoc, and the tests of the packages that this branch changes and
                     of their dependents. Without a change or with --all: all of CI's part. A test that passed
                     for the same executable and files is not repeated, except with --again. Prints processor
                     seconds by test executable, and the slowest tests
  test --full [--shard K/N]
                     run the long tests too, which take hours; resumes after an interruption. --shard runs every
                     N-th test, starting at the K-th
  check              run formatting, clippy and rustdoc only; warnings are errors
  deny               check licences, sources and duplicates of the dependencies, if cargo-deny is installed
  sqlx [--check]     renew .sqlx, the record against which the queries of `store` are checked; needed after a
                     change of a query or a migration. --check compares only
  mutants [WORD] [--list]
                     plant each mistake of xtask/mutants with WORD in its name, one at a time, and print the
                     test that notices it. --list prints the names only. Builds a git worktree in the target
                     directory; resumes after an interruption
  bench [FILTER]     run the benchmarks, or those with FILTER in their name

Tools:
  doctor             list the tools with their versions and purposes, and the missing ones
  setup [--install]  find the tools and install missing ones (demo and test do this first). Asks before it
                     installs packages of the distribution, except with --install or where CI is set; starts
                     none of their services

Products:
  demo [--budget N]  tune an argmax for an emulated MI300X with N trials (default: 128), look the answer up, and
                     compile it with iree-compile
  book [--open]      build the book of docs/ in `book` in the target directory, and check its links; installs
                     mdBook there. --open shows it in a browser
  share              write manual pages and completions for bash, zsh and fish to `share` in the target directory
  release [--check]  build the packages for users in `dist` in the target directory: a tarball, a Debian package
                     and a wheel, with checksums and licences. They need glibc 2.28 or newer, and the build is
                     reproducible. --check installs each in a Debian without Rust, and runs it

Renewed files:
  screenshots        take the screenshots of the dashboard in docs/screenshots; web/tests/screens.js lists them
  table              write docs/iree-table.md: IREE's own choices compared with tuned ones. Takes an hour;
                     resumes after an interruption
  models             write docs/models-table.md: the time of each module of testing/modules with and without
                     kernels. Takes half an hour
  train              train the time model of searches on modelled trials of 130 problems. Takes a quarter of an
                     hour

  runner [--passed FOLDER] FILE PROGRAM…
                     run one test and append its times to FILE; nextest calls this task
  help               print this text

Exit codes: 0 success; 1 a step failed, or doctor found a tool missing; 2 the task could not start.

Examples:
  cargo xtask demo
  cargo xtask test --all
  cargo xtask test --full --shard 3/8
  UPDATE_EXPECT=1 cargo nextest run -p codegen   write the golden files of one crate
  WAVETUNE_LIBLLVM=/opt/llvm/lib/libLLVM.so cargo xtask doctor
";
