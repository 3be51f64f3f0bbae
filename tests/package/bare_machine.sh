#!/bin/bash
# bare_machine.sh wheel|deb|container|unpacked DIST: on a Debian 12 that has
# python3-venv and nothing more, made by debootstrap and thrown away, installs the
# files of tools/package.sh in DIST and uses them: as nobody, whose home cannot be
# written to, and without a network. Run as root. Apt alone reaches its archive,
# for the dependencies of the Debian packages. No engine of containers runs
# here: `container` takes the steps of tools/Dockerfile on the machine by
# chroot, and runs its entry point as its user. `unpacked` uses the programs of a
# wheel on a Debian 11, whose glibc is 2.31.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
kind=$1
dist=$(realpath "$2")
cache=${SHARDINE_CACHE:-$HOME/.cache/shardine}
case $kind in
  unpacked) suite=bullseye ;;
  *) suite=bookworm ;;
esac
fresh=$cache/debian-$suite-bare.tar
[ "$(id -u)" -eq 0 ] || { echo "bare_machine.sh: run it as root" >&2; exit 1; }
machine=$(mktemp -d)
trap 'rm -rf --one-file-system "$machine"' EXIT

# The system is fetched once; every test unpacks its own.
if [ ! -e "$fresh" ]; then
  mkdir -p "$cache"
  debootstrap --variant=minbase --include=python3-venv "$suite" "$machine" \
    >"$cache/debootstrap.log"
  rm -f "$machine"/var/cache/apt/archives/*.deb
  tar -C "$machine" --one-file-system -cf "$fresh.part" .
  mv "$fresh.part" "$fresh"
else
  tar -C "$machine" -xf "$fresh"
fi

# Runs a command on the machine; processes that it leaves behind end with it.
on_machine() {
  unshare --mount --pid --fork --kill-child --mount-proc="$machine/proc" "$@"
}

# The folder is its root: mktemp made it for us alone.
chmod 755 "$machine"
mkdir "$machine/srv/given"
cp -r "$here/../../testdata/photos" "$here/../consumers" "$here"/use_*.sh \
  "$here/epoch.py" "$machine/srv/given"

fetch_numpy() {
  python3 -m pip download --quiet --disable-pip-version-check --no-deps \
    --dest "$machine/srv/given" --only-binary :all: --python-version 3.11 \
    --platform "manylinux2014_$(uname -m)" "$(grep '^numpy' "$here/requirements.txt")"
}

case $kind in
  wheel)
    cp "$dist"/*-cp311-*.whl "$machine/srv/given"
    fetch_numpy
    ;;
  unpacked)
    python3 -m zipfile -e "$dist"/*-cp311-*.whl "$machine/srv/given/wheel"
    chmod -R a+x "$machine"/srv/given/wheel/shardine/{bin,libexec}
    ;;
  deb)
    cp "$dist"/*.deb "$machine/srv/given"
    cp /etc/resolv.conf "$machine/etc"
    on_machine chroot "$machine" sh -eu -c "
      apt-get update -q
      cd /srv/given
      export DEBIAN_FRONTEND=noninteractive
      installed() { dpkg-query -W -f '\${Package}\\n' | sort; }
      installed >/srv/before
      apt-get install -qy --no-install-recommends ./shardine_*.deb
      installed | comm -13 /srv/before - >/srv/brought
      apt-get install -qy --no-install-recommends ./libshardine-dev_*.deb cmake g++ make
      " >"$machine/srv/apt.txt" 2>&1 || { cat "$machine/srv/apt.txt"; exit 1; }
    ;;
  container)
    fetch_numpy
    cp /etc/resolv.conf "$machine/etc"
    on_machine python3 -B "$here/container_steps.py" "$here/../../tools/Dockerfile" \
      "$(dirname "$dist")" "$machine" "$machine/srv/run" >"$machine/srv/steps.txt" 2>&1 ||
      { cat "$machine/srv/steps.txt"; exit 1; }
    # The volume has its owner's photos, and gets the container's output.
    cp -r "$here/../../testdata/photos" "$machine/data/photos"
    chown -R 1000:1000 "$machine/data"
    use() {
      on_machine --net "$machine/srv/run" "$@"
    }
    use pack photos out --variants original,sz/160
    use verify out --level deep --against photos
    use convert out tars --format webdataset
    use diff out tars
    exit
    ;;
  *)
    echo "usage: bare_machine.sh wheel|deb|container|unpacked DIST" >&2
    exit 2
    ;;
esac
chmod -R a+rX "$machine/srv"
install -d -o nobody -g nogroup "$machine/srv/work"
install -d -m 555 "$machine/home/reader"
on_machine --net chroot --userspec=nobody:nogroup "$machine" env -i \
  HOME=/home/reader PATH=/usr/bin:/bin LANG=C.UTF-8 \
  bash -euo pipefail "/srv/given/use_$kind.sh"
