#!/bin/bash
# install_deps.sh [--build-only | --bench | --package]: installs what Debian 12
# has of our needs, by apt, as root or through sudo; does nothing if all is there.
# --build-only: what the library and the tools need, without the tests. --bench:
# also what the loaders beside ours are built with. --package: what
# tools/package.sh needs. This is the only list of Debian packages.
set -euo pipefail

build=(
  ca-certificates cmake g++ git ninja-build pkg-config
  libboost-program-options-dev libcurl4-openssl-dev libexpat1-dev libhdf5-dev libhwy-dev
  libisal-dev libjpeg62-turbo-dev liblmdb-dev libpng-dev libprotobuf-dev libsimdjson-dev
  libssl-dev libxxhash-dev libzstd-dev nlohmann-json3-dev protobuf-compiler zlib1g-dev
)
tests=(
  catch2 ccache clang-14 clang-format-14 clang-tidy-14 faketime iproute2
  libclang-rt-14-dev
  locales munge nginx-light openmpi-bin openssl parallel python3 python3-dev
  python3-torch python3-venv slurm-client slurmctld slurmd strace
)
bench=(libopencv-dev libturbojpeg0-dev openjdk-17-jre-headless)
package=(binutils ccache debootstrap dpkg-dev file python3-dev python3-venv)

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  else
    sudo "$@"
  fi
}

is_installed() {
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

install_missing() {
  local package missing=()
  for package in "$@"; do
    is_installed "$package" || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  as_root apt-get update -q
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -qy --no-install-recommends "${missing[@]}"
}

# A locale whose letters upper- and lower-case in their own way: output must
# not depend on it.
add_turkish() {
  locale -a | grep -qix 'tr_TR\.utf-\?8' ||
    as_root localedef -i tr_TR -f UTF-8 tr_TR.UTF-8
}

case ${1:-} in
  --build-only) install_missing "${build[@]}" ;;
  --package) install_missing "${build[@]}" "${package[@]}" ;;
  '' | --bench)
    install_missing "${build[@]}" "${tests[@]}" ${1:+"${bench[@]}"}
    add_turkish
    ;;
  *)
    echo "usage: install_deps.sh [--build-only | --bench | --package]" >&2
    exit 2
    ;;
esac
