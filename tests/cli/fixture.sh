# Starting points of the cases of the command line suite.
CLI_TESTS=$(dirname "${BASH_SOURCE[0]}")

# photos DIR: two classes of three photos each.
photos() {
  mkdir -p "$1/hounds" "$1/terriers"
  cp "$PHOTOS"/hounds/{Irish_wolfhound.JPEG,Norwegian_elkhound.JPEG,made_gray.jpg} \
    "$1/hounds"
  cp "$PHOTOS"/terriers/{Norwich_terrier.JPEG,Sealyham_terrier.JPEG,cairn.JPEG} \
    "$1/terriers"
}

# quiet COMMAND...: only its exit code counts.
quiet() { "$@" >quiet.out 2>&1 || { cat quiet.out; return 1; }; }

# packed OUT [OPTION...]: the photos as a dataset, without a word.
packed() {
  local out=$1
  shift
  [ -d photos ] || photos photos
  quiet shardine pack photos "$out" "$@"
}

# code COMMAND...: its exit code as a line of stdout.
code() {
  local code=0
  "$@" || code=$?
  echo "exit $code"
}

# flip FILE OFFSET: inverts the lowest bit of that byte.
flip() {
  python3 - "$1" "$2" <<'PYTHON'
import sys
with open(sys.argv[1], "r+b") as file:
    file.seek(int(sys.argv[2]))
    byte = file.read(1)[0]
    file.seek(int(sys.argv[2]))
    file.write(bytes([byte ^ 1]))
PYTHON
}

# seal MANIFEST OLD NEW [OLD NEW]...: other words in it, with the right digest.
seal() { python3 "$CLI_TESTS/seal_manifest.py" "$@"; }
