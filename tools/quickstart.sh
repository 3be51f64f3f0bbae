#!/bin/bash
# quickstart.sh [TREE [OUT]]: from a fresh clone on Debian 12 to verified shards.
# TREE: a folder of class folders; without it, a few photos of our own. OUT: the folder
# for all that is written; without it TREE-shardine, beside TREE. Installs the
# packages of the build, builds the program, packs TREE with sizes for training at short sides of
# 160 and 320 pixels, verifies every byte, converts the shards to WebDataset, proves
# that nothing was lost, and streams an epoch of each size. Called again, it goes on.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
most_tar_bytes=10000000000  # a copy of more is not made
least_images=1000           # the rates of fewer say nothing

fail() {
  printf 'quickstart.sh: %s\n' "$@" >&2
  exit 2
}

case ${1:-} in
  -h | --help)
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"
    exit
    ;;
  -*) fail "no option $1; see quickstart.sh --help" ;;
esac
[ $# -le 2 ] || fail "more than two operands; see quickstart.sh --help"
[ -d "${1:-$root}" ] || fail "no folder $1"
tree=$(realpath "${1:-$root/testdata/photos}")
if [ $# -eq 0 ]; then
  out=${TMPDIR:-/tmp}/photos-shardine
else
  out=$(realpath -m "${2:-$tree-shardine}")
fi
case $out/ in "$tree"/*) fail "$out lies in $tree: its shards would be taken for images" ;; esac

system=$(. /etc/os-release 2>/dev/null && echo "${ID:-} ${VERSION_ID:-}") || true
[ "$system" = 'debian 12' ] ||
  fail "this system is \"${system:-unknown}\", and the build is known on Debian 12 alone" \
    'a wheel of tools/package.sh, made there, needs no compiler here:' \
    '  pip install shardine-….whl && shardine pack TREE OUT'

# For people: 12.3 GB.
size() { numfmt --to=si --suffix=B --format=%.1f "$1"; }

echo "counting the files of $tree ..."
read -r images bytes < <(
  find -L "$tree" -type f -printf '%s\n' | awk '{n++; b += $1} END {print n + 0, b + 0}')
[ "$images" -gt 0 ] || fail "$tree has no file"
# Shards, about 0.4 of them for both sizes, and the copy as WebDataset.
if [ "$bytes" -le "$most_tar_bytes" ]; then
  needed=$((bytes * 12 / 5))
else
  needed=$((bytes * 7 / 5))
fi
mkdir -p "$out" || fail "$out cannot be made: name another OUT"
free=$(df --output=avail -B1 "$out" | tail -1)
cat <<END
$images files, $(size "$bytes"): about $(size "$needed") are written to $out ($(size "$free") are free)
the build takes about 8 minutes of two cores, and 200 MB in $root/build/release
END
[ "$free" -gt "$needed" ] || fail "$out has too little room: name another OUT"

cd "$root"
mkdir -p build/release
log=build/release/quickstart.log
echo "installing what the build needs; log: $root/$log"
tools/install_deps.sh --build-only >"$log" 2>&1 || {
  tail -n 20 "$log" >&2
  fail "packages could not be installed"
}
cmake --preset release >>"$log" 2>&1 || {
  tail -n 20 "$log" >&2
  fail "cmake failed"
}
cmake --build --preset release --target shardine_cli shardine_hdf5_scan

step() {
  echo "== shardine $*"
  build/release/bin/shardine "$@"
}
# 3: done, but some images were bad, and lie in a folder of their own.
step pack "$tree" "$out/shards" --variants original,sz/160,sz/320 --on-bad quarantine ||
  [ $? -eq 3 ]
step verify "$out/shards" --level full
if [ "$bytes" -le "$most_tar_bytes" ]; then
  step convert "$out/shards" "$out/tars" --format webdataset
  step diff "$out/shards" "$out/tars"
else
  echo "no copy as WebDataset is made of more than $(size "$most_tar_bytes")"
fi
step info "$out/shards"
step info "$out/shards/sz/160"
for variant in :224 /sz/320:224 /sz/160:128; do
  dataset=$out/shards${variant%:*}
  if [ "$images" -ge "$least_images" ]; then
    step bench "$dataset" --crop "${variant#*:}" --seconds 0
  else
    step bench "$dataset" --crop "${variant#*:}" --seconds 0 >/dev/null
  fi
done
[ "$images" -ge "$least_images" ] ||
  echo "an epoch of each size was streamed; the rates of $images files would say nothing"
cat <<END
Your shards are in $out/shards, sizes in sz/160 and sz/320 below it
the program is $root/build/release/bin/shardine
to remove all: rm -r '$out' '$root/build/release'
END
