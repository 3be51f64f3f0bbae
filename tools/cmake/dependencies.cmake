# Third-party libraries. tools/install_deps.sh installs them.
#
# Global: a project above us links the needs of our static library.
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
include(linked_libraries)
foreach(module IN LISTS SHARDINE_LINKED_MODULES)
  shardine_library_name(name ${module})
  if(module IN_LIST SHARDINE_FOUND_BY_CMAKE)
    find_package(${name} REQUIRED)
  else()
    pkg_check_modules(${name} REQUIRED IMPORTED_TARGET GLOBAL ${module})
  endif()
endforeach()
find_library(SHARDINE_LIBCSV csv REQUIRED)  # of neither pkg-config nor CMake
include(expat)
include(hdf5)
find_package(nlohmann_json 3.11 REQUIRED)  # its headers only
pkg_check_modules(STB REQUIRED stb)  # its headers only
pkg_check_modules(HWY REQUIRED libhwy)  # its headers only
pkg_check_modules(CURL REQUIRED libcurl)  # its headers only
pkg_check_modules(CRYPTO REQUIRED libcrypto)  # its headers only

if(PROJECT_IS_TOP_LEVEL AND SHARDINE_TOOLS)
  find_package(Boost 1.74 REQUIRED COMPONENTS program_options)
  # Classes of C++98 that libc++ no longer has by itself.
  target_compile_definitions(Boost::program_options INTERFACE
    $<$<CXX_COMPILER_ID:Clang>:_LIBCPP_ENABLE_CXX17_REMOVED_UNARY_BINARY_FUNCTION>)
endif()
