# Third-party libraries. tools/install_deps.sh installs them. What the static
# library links must be found again by its users: shardineConfig.cmake.in and
# shardine.pc.in name the same.
#
# Global: a project above us links what our static library needs.
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(JPEG REQUIRED)
find_package(PNG REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
pkg_check_modules(HWY REQUIRED libhwy)  # its headers only
pkg_check_modules(CURL REQUIRED libcurl)  # its headers only
pkg_check_modules(CRYPTO REQUIRED libcrypto)  # its headers only
pkg_check_modules(EXPAT REQUIRED IMPORTED_TARGET GLOBAL expat)
include(expat)
pkg_check_modules(ISAL REQUIRED IMPORTED_TARGET GLOBAL libisal)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET GLOBAL libxxhash)
pkg_check_modules(LMDB REQUIRED IMPORTED_TARGET GLOBAL lmdb)
pkg_check_modules(HDF5 REQUIRED IMPORTED_TARGET GLOBAL hdf5-serial)
include(hdf5)
pkg_check_modules(PROTOBUF REQUIRED IMPORTED_TARGET GLOBAL protobuf-lite)
pkg_check_modules(SIMDJSON REQUIRED IMPORTED_TARGET GLOBAL simdjson)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET GLOBAL libzstd)

if(PROJECT_IS_TOP_LEVEL AND SHARDINE_TOOLS)
  find_package(Boost 1.74 REQUIRED COMPONENTS program_options)
endif()
