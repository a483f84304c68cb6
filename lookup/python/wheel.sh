#!/bin/sh
# Makes the wheel, with the program wavetune and the library of tables in it; needs hatchling:
#
#     cargo build --release -p wavetune -p lookup-c
#     sh lookup/python/wheel.sh target/release/wavetune target/release/libwavetune_lookup.so . dist
#
# LICENCES is a folder: the wheel has its LICENSE and THIRD-PARTY.txt, those that are there.
# WAVETUNE_PLATFORM names the platform; if it is unset, the wheel is for systems like this one.
set -eu
if [ $# -ne 4 ]; then
    echo "usage: wheel.sh PROGRAM LIBRARY LICENCES DIST" >&2
    exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$4"
dist=$(cd "$4" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/licences" "$work/wavetune"
install -m 755 "$1" "$work/bin/wavetune"
install -m 644 "$here"/wavetune/*.py "$here/wavetune/py.typed" "$work/wavetune"
install -m 755 "$2" "$work/wavetune"
for file in LICENSE THIRD-PARTY.txt; do
    [ ! -f "$3/$file" ] || install -m 644 "$3/$file" "$work/licences"
done
install -m 644 "$here/pyproject.toml" "$here/hatch_build.py" "$work"
WAVETUNE_VERSION=$(sed -n '/^version = /{s/.*"\(.*\)".*/\1/p;q}' "$here/../../Cargo.toml")
WAVETUNE_PLATFORM=${WAVETUNE_PLATFORM:-linux_$(uname -m)}
export WAVETUNE_VERSION WAVETUNE_PLATFORM
cd "$work"
hatchling build --target wheel --directory "$dist"
