# libhdf5 as we link it. The shared library can read from object stores, for which
# it needs curl and OpenSSL, and these need LDAP, Kerberos and forty more. Before
# 1.12 nothing in the rest of it refers to those drivers: a linker that takes
# only referenced objects from the static library leaves them out, and the
# remaining ones need zlib and szip alone. Later versions are linked as shared
# libraries. Users of our static library link the libraries that hdf5-serial
# names: theirs may be a shared library, which code compiled for programs cannot
# be part of.
add_library(shardine_own_hdf5 INTERFACE)
target_include_directories(shardine_own_hdf5 SYSTEM INTERFACE
  ${HDF5_INCLUDE_DIRS})
# The names of HDF5 1.8, which Debian 12's headers mean: 1.12 and later have
# other structures for the same names.
target_compile_definitions(shardine_own_hdf5 INTERFACE H5_USE_18_API)
if(PROJECT_IS_TOP_LEVEL AND HDF5_VERSION VERSION_LESS 1.12)
  # As targets, so that each comes before its needs.
  set(needs_hdf5 shardine_static_sz ZLIB::ZLIB m ${CMAKE_DL_LIBS})
  set(needs_sz shardine_static_aec)
  set(needs_aec "")
  foreach(name IN ITEMS hdf5 sz aec)
    find_library(SHARDINE_LIB${name}_A lib${name}.a
      HINTS ${HDF5_LIBRARY_DIRS} REQUIRED)
    add_library(shardine_static_${name} STATIC IMPORTED GLOBAL)
    set_target_properties(shardine_static_${name} PROPERTIES
      IMPORTED_LOCATION ${SHARDINE_LIB${name}_A}
      INTERFACE_LINK_LIBRARIES "${needs_${name}}")
  endforeach()
  target_link_libraries(shardine_own_hdf5 INTERFACE shardine_static_hdf5)
else()
  target_link_libraries(shardine_own_hdf5 INTERFACE PkgConfig::HDF5)
endif()
