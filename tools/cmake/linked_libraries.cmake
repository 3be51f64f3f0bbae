# The libraries that the static library links, by the names of pkg-config; CMake
# itself finds some of them. The only list: dependencies.cmake looks for these
# libraries here, shardineConfig.cmake and shardine.pc on a user's machine, and
# the Debian packages that have them are those of libshardine-dev and of
# tools/install_deps.sh.
set(SHARDINE_LINKED_MODULES expat hdf5-serial libgif libisal libjpeg libpng
  libtiff-4 libutf8proc libwebp libwebpdemux libxxhash libzstd lmdb protobuf-lite
  re2 simdjson yaml-0.1 zlib)
set(SHARDINE_FOUND_BY_CMAKE libgif libjpeg libpng zlib)

# shardine_library_name(NAME MODULE): HDF5 of hdf5-serial. Targets of CMake's and of
# pkg-config's libraries have it: JPEG::JPEG, PkgConfig::HDF5.
function(shardine_library_name NAME MODULE)
  string(REGEX REPLACE "^lib|-.*" "" name ${MODULE})
  string(TOUPPER ${name} name)
  set(${NAME} ${name} PARENT_SCOPE)
endfunction()
