#!/bin/bash
# quickstart.sh [TREE]: from a fresh clone on Debian 12 to verified shards.
# Installs what the build needs, builds, packs TREE (an ImageFolder: one folder
# per class; without it a few photos of our own) into a fresh folder under
# build/quickstart, with its images at short sides of 160 and 320 pixels beside
# it, verifies every byte of all three, converts it to WebDataset, and streams an
# epoch of each as training batches.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
tree=$(realpath "${1:-$root/testdata/photos}")
[ -d "$tree" ] || { echo "quickstart.sh: no folder $tree" >&2; exit 2; }

cd "$root"
tools/install_deps.sh --build-only
cmake --preset release
cmake --build --preset release
shardine=build/release/bin/shardine

mkdir -p build/quickstart
folder=$(mktemp -d build/quickstart/XXXXXX)
out=$folder/shards

variants=original,sz/160,sz/320
options=(--variants "$variants" --on-bad quarantine)
echo "== shardine pack $tree $out ${options[*]}"
# 3: done, but some images were bad, and lie in a folder of their own.
"$shardine" pack "$tree" "$out" "${options[@]}" || [ $? -eq 3 ]
echo "== shardine verify $out --level full"
"$shardine" verify "$out" --level full
echo "== shardine convert $out $folder/tars --format webdataset"
"$shardine" convert "$out" "$folder/tars" --format webdataset
echo "== shardine diff $out $folder/tars"
"$shardine" diff "$out" "$folder/tars"
echo "== shardine info $out"
"$shardine" info "$out"
echo "== shardine info $out/sz/160"
"$shardine" info "$out/sz/160"

# stream DATASET SIDE: an epoch of records, and one of random crops.
stream() {
  echo "== shardine bench $1 --crop $2 --seconds 0"
  "$shardine" bench "$1" --crop "$2" --seconds 0
}
stream "$out" 224
stream "$out/sz/320" 224
stream "$out/sz/160" 128
echo "Your shards are in $root/$out, sizes in sz/160 and sz/320 below it"
