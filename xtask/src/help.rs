//! The text of `cargo xtask help`.

/// The output of `cargo xtask` without arguments.
pub(crate) const TEXT: &str = "\
cargo xtask TASK

  demo [--budget N]  tune a real argmax for an MI300X that is not there, look the answer up, and let
                     iree-compile take it (N trials of the first tuning, 128 if not given)
  test [--all] [--again]
                     formatting, clippy, rustdoc, and the tests of the packages that this branch changes and of
                     those that depend on them, without the slowest ones, a minute or two; all of CI's part if
                     nothing is changed or with --all. A test that has
                     passed for the same executable and files is not repeated, except with --again. At the end:
                     processor seconds by test executable, and the slowest tests
  test --full [--shard K/N]
                     adds the long tests, hours of them. Run it again to go on where it stood.
                     --shard runs every N-th test, from the K-th on
  check              formatting, clippy and rustdoc only, warnings are errors
  doctor             which tools were found, which version, what each is for
  setup [--install]  find the tools and install what is missing (demo and test do this first). Before packages of the
                     distribution it asks, or installs them without a question with --install or where CI is set; it
                     starts no service of theirs
  bench [FILTER]     the benchmarks, or those whose name contains FILTER
  book [--open]      the book of docs/, in `book` in the target directory, with checked links; installs mdBook there.
                     --open shows it in a browser
  share              manual pages and completions for bash, zsh and fish, in `share` in the target directory
  release [--check]  what users install, in `dist` in the target directory: a tarball, a Debian package and a wheel, with
                     checksums and licences. The program runs where glibc is 2.28 or newer; its bytes are the same
                     wherever it is built. --check installs each in a Debian without Rust, and uses it
  screenshots        take the pictures of the dashboard in docs/screenshots anew; web/tests/screens.js lists them
  table              write docs/iree-table.md anew: what IREE does unasked, and what tuning makes of it; an hour, and it goes
                     on where it stood
  models             write docs/models-table.md anew: the time of each module of testing/modules with and without kernels;
                     half an hour
  train              train the time model of searches anew, on modelled trials of 130 problems; a quarter of an hour
  mutants [WORD] [--list]
                     plant each mistake of xtask/mutants (whose name has WORD), one at a time, and say which test
                     notices it; --list only names them. It builds a git worktree in the target directory, and
                     goes on where it stood
  deny               licences, sources and duplicates of the dependencies, by cargo-deny, if it is installed
  sqlx [--check]     refresh .sqlx, which the queries of `store` are checked against, after a change of
                     a query or a migration; --check only says whether it is current
  runner [--passed FOLDER] FILE PROGRAM…
                     start one test and append its times to FILE; `test` makes nextest call it
  help               this text

Exit codes: 0 done; 1 a step failed, or doctor misses something; 2 the task could not be tried.

Examples:
  cargo xtask demo
  cargo xtask test --all
  cargo xtask test --full --shard 3/8
  UPDATE_EXPECT=1 cargo nextest run -p codegen   bless the golden files of one crate
  WAVETUNE_LIBLLVM=/opt/llvm/lib/libLLVM.so cargo xtask doctor
";
