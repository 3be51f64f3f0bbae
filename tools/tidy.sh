#!/bin/bash
# tidy.sh [--all | COMMIT]: clang-tidy over the sources that changed since COMMIT
# (default: the last but one), committed or not; for a header, the source of its
# name. Takes Clang's command of each source, which the preset `commands` has.
set -euo pipefail

cd "$(dirname "$0")/.."
commands=compile_commands.json
cmake --preset commands >/dev/null
cmake --build --preset commands >/dev/null

changed() {
  if ! git rev-parse -q --verify "$1^{commit}" >/dev/null; then
    echo "tidy.sh: NOTHING CHECKED: there is no commit $1 to compare with" >&2
    return
  fi
  git diff --name-only "$1" -- lib formats tools | sed 's/\.h$/.cc/' | sort -u
}

case ${1:-HEAD~1} in
  --all) candidates=$(git ls-files 'lib/*.cc' 'formats/*.cc' 'tools/*.cc') ;;
  *) candidates=$(changed "${1:-HEAD~1}") ;;
esac
sources=()
for source in $candidates; do
  [ -f "$source" ] && grep -qF "/$source\"" "$commands" && sources+=("$source")
done
echo "clang-tidy: ${#sources[@]} sources"
[ ${#sources[@]} -eq 0 ] ||
  printf '%s\n' "${sources[@]}" |
  xargs -P "$(nproc)" -n 1 clang-tidy-14 -p build/commands --quiet \
    2> >(grep -vE '^[0-9]+ warnings? generated|^Suppressed|^Use -header' >&2)
