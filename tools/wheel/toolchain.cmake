# Compiles for the machines of a wheel by the compilers and with the libraries that
# prefix.sh put into SHARDINE_PREFIX, the folder of this processor's name.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SHARDINE_PREFIX)
get_filename_component(target ${SHARDINE_PREFIX} NAME)
cmake_host_system_information(RESULT host QUERY OS_PLATFORM)
if(NOT host STREQUAL target)
  set(CMAKE_SYSTEM_NAME Linux)
  set(CMAKE_SYSTEM_PROCESSOR ${target})
  set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${target}-static)
endif()
set(CMAKE_C_COMPILER ${SHARDINE_PREFIX}/bin/cc)
set(CMAKE_CXX_COMPILER ${SHARDINE_PREFIX}/bin/c++)
set(CMAKE_AR ${SHARDINE_PREFIX}/bin/ar)
set(CMAKE_RANLIB ${SHARDINE_PREFIX}/bin/ranlib)
set(CMAKE_LIBRARY_ARCHITECTURE ${target}-linux-gnu)

set(Boost_NO_BOOST_CMAKE ON)
set(Boost_USE_STATIC_LIBS ON)

# Nothing of the system but programs is found.
set(CMAKE_FIND_ROOT_PATH ${SHARDINE_PREFIX})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${SHARDINE_PREFIX})
set(ENV{PKG_CONFIG_LIBDIR}
  ${SHARDINE_PREFIX}/usr/lib/${target}-linux-gnu/pkgconfig:${SHARDINE_PREFIX}/usr/share/pkgconfig)
set(ENV{PKG_CONFIG_ALLOW_SYSTEM_CFLAGS} 1)

# Debian's headers of one processor, which its own compiler finds by itself. No file
# says where it was built.
set(include ${SHARDINE_PREFIX}/usr/include)
foreach(language IN ITEMS C CXX)
  set(CMAKE_${language}_FLAGS_INIT "-isystem ${include}/${target}-linux-gnu \
-ffile-prefix-map=${SHARDINE_PREFIX}/=")
endforeach()

# One library is linked by its bare name.
foreach(kind IN ITEMS EXE MODULE SHARED)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT
    "-L${SHARDINE_PREFIX}/usr/lib/${target}-linux-gnu")
endforeach()
