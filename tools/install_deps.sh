#!/bin/bash
# install_deps.sh [--build-only | --check | --interop | --remote | --engines |
# --browser | --package | --bench]: installs our dependencies from Debian 12, by apt, as root
# or through sudo; does nothing if all are there. --build-only: the dependencies of
# the library and the tools. The others add those of a stage of tools/check.sh,
# --bench the build tools of the loaders beside ours, --browser the browser of
# tools/nightly.sh; without an option, the dependencies of all stages. This is the only list of Debian packages.
set -euo pipefail

build=(
  ca-certificates cmake g++ git ninja-build pkg-config
  libboost-program-options-dev libcsv-dev libcurl4-openssl-dev libexpat1-dev
  libgif-dev libhdf5-dev libhwy-dev
  libisal-dev libjpeg62-turbo-dev liblmdb-dev libpng-dev libprotobuf-dev libre2-dev
  libsimdjson-dev libssl-dev libstb-dev libtiff-dev libutf8proc-dev libwebp-dev
  libxxhash-dev libyaml-dev libzstd-dev nlohmann-json3-dev
  protobuf-compiler zlib1g-dev
)
check=(
  catch2 ccache clang-14 clang-format-14 clang-tidy-14 faketime fish iproute2
  libclang-rt-14-dev locales parallel python3 python3-dev python3-venv strace zsh
)
interop=(python3-torch)
browser=(chromium fonts-dejavu-core)
remote=(nginx-light openssl)
engines=(munge openmpi-bin slurm-client slurmctld slurmd)
bench=(libopencv-dev libturbojpeg0-dev openjdk-17-jre-headless)
package=(binutils ccache debootstrap dpkg-dev file nasm python3-dev python3-venv)

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
  --check) install_missing "${build[@]}" "${check[@]}" ;;
  --interop | --remote | --browser | --engines | --bench)
    declare -n more=${1#--}
    install_missing "${build[@]}" "${check[@]}" "${more[@]}"
    ;;
  '')
    install_missing "${build[@]}" "${check[@]}" "${interop[@]}" "${remote[@]}" \
      "${engines[@]}" "${package[@]}"
    ;;
  *)
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}/usage: /;p;q}' "$0" >&2
    exit 2
    ;;
esac
case ${1:-} in
  --build-only | --package) ;;
  *) add_turkish ;;
esac
