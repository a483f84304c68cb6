# Uses an installed wavetune in a system without Rust: it tunes, looks up and exports.
#
#     sh use.sh PROGRAM VERSION
set -eu
program=$1
version=$2
if command -v cargo rustc cc; then
    echo "this system can build wavetune" >&2
    exit 1
fi
cd "$(mktemp -d)"
export HOME=$PWD WAVETUNE_DB=$PWD/tuned.db
case $("$program" --version) in
    "wavetune $version" | "wavetune $version ("*")") "$program" --version ;;
    *) "$program" --version >&2; exit 1 ;;
esac
"$program" tune 'argmax:4x[512]xf32' --device emulated:mi300x --budget 4
"$program" lookup 'argmax:4x[512]xf32' --target gfx942
"$program" export table --target gfx942 --output tuned.wtab
"$program" export kernels 'argmax:4x[512]xf32' --target gfx942 --out kernels
ls -l tuned.wtab kernels
if [ -n "${PYTHON:-}" ]; then
    "$PYTHON" -c '
import wavetune
with wavetune.Table("tuned.wtab") as table:
    found = table.lookup("argmax:4x[512]xf32")
known = wavetune.lookup("argmax:4x[512]xf32", database="tuned.db", target="gfx942")
assert found.rung == known.rung == "exact", (found, known)
assert found.configuration == known.configuration and found.time_us == known.time_us, (found, known)
print("the Python module reads the table and the database")
'
fi
