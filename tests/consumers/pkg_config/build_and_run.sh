#!/bin/sh
# build_and_run.sh PKGCONFIG_DIR COMPILER DIR: builds ../consumer.cc in DIR as
# a hand-written Makefile would, with pkg-config alone, and runs it.
set -eu

source=$(dirname "$0")/../consumer.cc
mkdir -p "$3"
flags=$(PKG_CONFIG_PATH=$1 pkg-config --static --cflags --libs shardine)
# shellcheck disable=SC2086 # flags are words
"$2" -std=c++20 "$source" $flags -o "$3/consumer"
SHARDINE_LIBEXEC_DIR=$(PKG_CONFIG_PATH=$1 pkg-config --variable=libexecdir shardine) \
  "$3/consumer" "$3/data"
