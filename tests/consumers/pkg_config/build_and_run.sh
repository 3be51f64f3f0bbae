#!/bin/sh
# build_and_run.sh PKGCONFIG_DIR COMPILER DIR: builds ../consumer.cc in DIR as
# a hand-written Makefile would, with pkg-config alone, and runs it.
set -eu

# The output of pkg-config is quoted for a shell, as a recipe's is.
asked() {
  PKG_CONFIG_PATH=$pkgconfig pkg-config "$@" shardine
}

source=$(dirname "$0")/../consumer.cc
pkgconfig=$1
compiler=$2
folder=$3
mkdir -p "$folder"
eval "set -- $(asked --static --cflags --libs)"
"$compiler" -std=c++20 "$source" "$@" -o "$folder/consumer"
eval "SHARDINE_LIBEXEC_DIR=$(asked --variable=libexecdir)"
export SHARDINE_LIBEXEC_DIR
"$folder/consumer" "$folder/data"
