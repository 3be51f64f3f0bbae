#!/bin/sh
# venv.sh NAME: prints the Python of a virtual environment that holds exactly
# requirements-NAME.txt, making it first if it is not there. Kept outside the
# tree, under a name that changes with the requirements; safe to call several
# times at once. Fails, never skips: a missing reference proves nothing. With
# "# system-site-packages" in its requirements it sees Debian's packages, too;
# with "# no-deps" it gets the listed packages without their dependencies.
set -eu

name=$1
requirements=$(dirname "$0")/requirements-$name.txt
cache=${SHARDINE_CACHE:-$HOME/.cache/shardine}/venvs
venv=$cache/$name-$(sha256sum <"$requirements" | cut -c1-16)
mkdir -p "$cache"

sees=
! grep -q '^# system-site-packages' "$requirements" ||
  sees=--system-site-packages
alone=
! grep -q '^# no-deps' "$requirements" || alone=--no-deps

# Debian's python3 first: another one on the path may be too new for the
# pinned wheels.
new_venv() {
  rm -rf "$venv"
  /usr/bin/python3 -m venv $sees "$venv" && return
  rm -rf "$venv"
  python3 -m venv $sees "$venv"
}

# Sources are built by themselves: Debian's pip would call setup.py without its
# requirements. Wheels are unpacked beside the environment: TMPDIR may be in
# memory.
fill_venv() {
  new_venv &&
    TMPDIR=$venv PIP_USE_PEP517=1 "$venv/bin/pip" install --quiet --disable-pip-version-check \
      $alone --requirement "$requirements" &&
    touch "$venv/complete"
}

exec 9>"$venv.lock"
flock 9
if [ ! -e "$venv/complete" ] && ! fill_venv >&2; then
  echo "venv.sh: cannot make $venv: is the package index reachable?" >&2
  exit 1
fi
echo "$venv/bin/python"
