#!/bin/sh
# Makes the wheel, with the program wavetune and the library of tables in it; needs maturin:
#
#     cargo build --release -p lookup-c
#     sh lookup/python/wheel.sh target/release DIST --release
#
# What follows the folder of the wheel is maturin's.
set -eu
if [ $# -lt 2 ]; then
    echo "usage: wheel.sh FOLDER_OF_THE_LIBRARY DIST [MATURIN'S OPTIONS]" >&2
    exit 2
fi
library=$1/libwavetune_lookup.so
mkdir -p "$2"
dist=$(cd "$2" && pwd)
shift 2
here=$(cd "$(dirname "$0")" && pwd)
trap 'rm -f "$here/wavetune/libwavetune_lookup.so"' EXIT
install -m 755 "$library" "$here/wavetune"
cd "$here"
maturin build --locked --out "$dist" "$@"
