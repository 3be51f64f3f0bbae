# Sourced where the programs or the Python package were installed: uses them in
# the current folder, with the images in $photos.

# Bad images of the sample lie aside: exit 3.
pack() {
  shardine pack "$photos" "$@" --on-bad quarantine || [ $? -eq 3 ]
}

use_programs() {
  pack out --variants original,sz/160 --shards 2
  shardine verify out --level full
  local format
  for format in recordio tfrecord lmdb hdf5 webdataset; do
    shardine convert out "in-$format" --format "$format"
    shardine verify "in-$format" --level full
    shardine convert "in-$format" "back-$format" --format recordio
    shardine diff out "back-$format"
  done
  shardine bench in-hdf5 --crop 64 --seconds 0
  im2rec --help >im2rec.txt
  folder2lmdb --help >folder2lmdb.txt
  [ -s im2rec.txt ] && [ -s folder2lmdb.txt ]
}

# The wheel brings libcurl and TLS: only the server is missing.
read_addresses() {
  local address
  for address in http://127.0.0.1:1/out https://127.0.0.1:1/out; do
    if shardine info "$address" 2>refused.txt; then return 1; fi
    grep -q 'connect to 127.0.0.1 port 1' refused.txt
  done
}

# use_package EPOCH [--bare]: programs and loader of the Python package.
use_package() {
  [ "$(shardine --version)" = "$(python -m shardine --version)" ]
  use_programs
  python "$@" out in-recordio in-tfrecord in-lmdb in-hdf5 in-webdataset
}

# refuse COMMAND...: a tool that would make the machine less bare.
refuse() {
  local tool
  for tool in "$@"; do
    if command -v "$tool"; then
      echo "this machine has $tool" >&2
      exit 1
    fi
  done
}
