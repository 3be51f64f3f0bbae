#!/bin/bash
# prefix.sh TARGET PREFIX: puts the libraries that a wheel links into PREFIX, as
# static archives for TARGET, x86_64 or aarch64, and makes PREFIX/bin/cc and c++:
# compilers for that processor and glibc 2.28, which manylinux_2_28 has.
#
# Libraries of C are Debian's archives, which refer to nothing newer. Those of C++
# are compiled from Debian's sources: the compiler's library of C++ is libc++. The
# compiler is the Clang of PyPI's ziglang. Does nothing if PREFIX is complete.
# Needs nasm and dpkg-dev, of Debian.
set -euo pipefail

target=$1
prefix=$2
here=$(cd "$(dirname "$0")" && pwd)
glibc=2.28
zig=0.17.1
case $target in
  x86_64) debian=amd64 ;;
  aarch64) debian=arm64 ;;
  *)
    echo "usage: prefix.sh x86_64|aarch64 PREFIX" >&2
    exit 2
    ;;
esac
# All that a wheel links, and the headers of libraries that it loads.
archives=(libaec-dev libboost1.74-dev libcsv-dev libcurl4-openssl-dev libhdf5-dev
  libhwy-dev libjpeg62-turbo-dev liblmdb-dev libpng-dev libre2-dev libssl-dev
  libutf8proc-dev libstb-dev libyaml-dev libzstd-dev nlohmann-json3-dev zlib1g-dev)
sources=(boost1.74 curl expat giflib libisal libwebp protobuf re2 simdjson tiff xxhash)
# Functions of libcrypto that are called.
crypto='EVP_sha256; EVP_sha1; EVP_Digest*; HMAC; EVP_MD_CTX_*; OpenSSL_version'

sum=$(cat "$here"/* | sha256sum | cut -c1-16)
[ "$(cat "$prefix/complete" 2>/dev/null)" != "$sum" ] || exit 0
rm -rf "$prefix"
mkdir -p "$prefix"/{bin,deb,src,lists/partial}
cd "$prefix"

# apt with lists of its own, from the system's server: the system's lists know one
# processor, and no sources.
server=$(apt-get indextargets --format '$(SITE)' 'Codename: bookworm' | head -1)
printf '%s\n' 'Types: deb deb-src' "URIs: $server" \
  'Suites: bookworm' 'Components: main' \
  'Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg' >debian.sources
apt=(apt-get -q -o APT::Architecture="$debian" -o APT::Architectures="$debian"
  -o Dir::Etc::SourceList="$prefix/debian.sources" -o Dir::Etc::SourceParts=-
  -o Dir::State::Lists="$prefix/lists" -o APT::Sandbox::User=root)
"${apt[@]}" update
(cd deb && "${apt[@]}" download "${archives[@]}")
(cd src && "${apt[@]}" source "${sources[@]}")  # with Debian's mends
for package in deb/*.deb; do dpkg -x "$package" .; done
for copyright in src/*/debian/copyright; do
  name=${copyright#src/}
  install -D "$copyright" "usr/share/doc/${name%%-*}/copyright"
done
rm -rf usr/share/doc/boost1.74  # the same as its headers'
# Links to shared libraries that are not there.
find usr/lib -name '*.so' -delete
rm -rf lists deb

# make_tool NAME WORDS: a program of the compiler, whose libraries it makes once.
make_tool() {
  printf '%s\n' '#!/bin/sh' "# ziglang $zig, glibc $glibc" \
    "export ZIG_GLOBAL_CACHE_DIR=$prefix/cache ZIG_LOCAL_CACHE_DIR=$prefix/cache" \
    "exec $prefix/zig/bin/python -m ziglang $2 \"\$@\"" >"bin/$1"
  chmod +x "bin/$1"
}
python3 -m venv zig
zig/bin/pip install --quiet --disable-pip-version-check "ziglang==$zig"
make_tool cc "cc -target $target-linux-gnu.$glibc"
make_tool c++ "c++ -target $target-linux-gnu.$glibc"
make_tool ar ar
make_tool ranlib ranlib

make -C src/libisal-*/ -f Makefile.unx -j"$(nproc)" host_cpu="$target" \
  CC="$prefix/bin/cc -fPIC" AR="$prefix/bin/ar" have_threads=n lib >isal.txt 2>&1 ||
  { tail -40 isal.txt; exit 1; }
# Tables of Unicode that re2's build makes: data alone, without a name of a library.
(mkdir re2 && cd re2 && "$prefix/bin/ar" x ../usr/lib/*/libre2.a perl_groups.o \
  unicode_casefold.o unicode_groups.o)
cmake -S "$here" -B build -G Ninja -D CMAKE_BUILD_TYPE=Release \
  -D CMAKE_TOOLCHAIN_FILE="$here/toolchain.cmake" -D SHARDINE_PREFIX="$prefix" \
  -D CMAKE_INSTALL_PREFIX="$prefix/usr" >libraries.txt 2>&1 &&
  cmake --build build --target install >>libraries.txt 2>&1 ||
  { tail -40 libraries.txt; exit 1; }
# libcurl with http and https alone, and OpenSSL, in a library that is loaded when the
# first address is read. It has no certificates: we look for the system's.
cmake -S src/curl-*/ -B curl -G Ninja -D CMAKE_BUILD_TYPE=Release \
  -D CMAKE_TOOLCHAIN_FILE="$here/toolchain.cmake" -D SHARDINE_PREFIX="$prefix" \
  -D BUILD_SHARED_LIBS=OFF -D CURL_HIDDEN_SYMBOLS=OFF -D BUILD_CURL_EXE=OFF \
  -D BUILD_TESTING=OFF \
  -D CMAKE_POSITION_INDEPENDENT_CODE=ON -D HTTP_ONLY=ON -D CURL_DISABLE_LDAP=ON \
  -D CURL_USE_OPENSSL=ON -D CURL_USE_LIBSSH2=OFF -D CURL_USE_LIBPSL=OFF \
  -D USE_LIBIDN2=OFF -D CURL_ZLIB=OFF -D CURL_ZSTD=OFF -D CURL_BROTLI=OFF \
  -D USE_NGHTTP2=OFF -D ENABLE_MANUAL=OFF -D CURL_CA_BUNDLE=none -D CURL_CA_PATH=none \
  >curl.txt 2>&1 && cmake --build curl >>curl.txt 2>&1 || { tail -40 curl.txt; exit 1; }
echo "{ global: curl_*; $crypto; local: *; };" >tls.map
bin/cc -shared -o libshardine-tls.so -Wl,--version-script=tls.map -Wl,--whole-archive \
  curl/lib/libcurl.a -Wl,--no-whole-archive usr/lib/"$target"-linux-gnu/libssl.a \
  usr/lib/"$target"-linux-gnu/libcrypto.a -lpthread -ldl -s
rm -rf build curl re2 src
echo "$sum" >complete
