# cpack -G DEB: the programs, and the files that C++ programs are built with.
# dpkg-shlibdeps finds the programs' needs in them; users of the static library
# need the packages that own the library files found here.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The authors of shardine <shardine@invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_COMPONENTS_ALL programs development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)

set(CPACK_DEBIAN_PROGRAMS_PACKAGE_NAME shardine)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SHLIBDEPS ON)
# Loaded when an address is read.
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_RECOMMENDS "libcurl4, ca-certificates")
set(CPACK_COMPONENT_PROGRAMS_DESCRIPTION
  "The programs shardine, im2rec and folder2lmdb.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libshardine-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
  "The static library, its headers, and what CMake and pkg-config find it by.")

install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/shardine
  RENAME copyright COMPONENT programs)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/libshardine-dev
  RENAME copyright COMPONENT development)

shardine_linked_packages(owners ${PKG_CONFIG_EXECUTABLE})
# A system of another kind builds as before; it makes no packages.
if(owners)
  list(JOIN owners ", " owners)
  # The library starts a program of the other package, of the same build.
  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "shardine (= ${PROJECT_VERSION}), ${owners}")
  include(CPack)
endif()
