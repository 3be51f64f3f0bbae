# cmake --install: binaries, library, public headers, and the two ways to find
# them: find_package(shardine CONFIG) and pkg-config.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/shardine)
foreach(binary shardine_cli folder2lmdb im2rec)
  if(TARGET ${binary})
    install(TARGETS ${binary} COMPONENT programs)
  endif()
endforeach()
if(TARGET shardine_cli)
  # The program's own documentation: man pages and completions.
  set(pages ${PROJECT_BINARY_DIR}/share)
  add_custom_command(OUTPUT ${pages}/man/man1/shardine.1
    COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:shardine_cli> -DOUT=${pages}
      -P ${CMAKE_CURRENT_LIST_DIR}/man_pages.cmake
    DEPENDS shardine_cli ${CMAKE_CURRENT_LIST_DIR}/man_pages.cmake VERBATIM)
  add_custom_target(man_pages ALL DEPENDS ${pages}/man/man1/shardine.1)
  install(DIRECTORY ${pages}/ DESTINATION ${CMAKE_INSTALL_DATADIR}
    COMPONENT programs)
endif()
if(SHARDINE_PYTHON AND SHARDINE_TOOLS)
  include(python_package)
endif()
# The pages, at places from which their links lead to each other; and an example.
set(source ${PROJECT_SOURCE_DIR})
file(GLOB_RECURSE documents CONFIGURE_DEPENDS RELATIVE ${source} ${source}/lib/*.md
  ${source}/formats/*.md ${source}/tools/*.md ${source}/tests/*.md
  ${source}/python/*.md ${source}/python/examples/*.py
  ${source}/python/examples/*.svg)
foreach(document IN ITEMS README.md CHANGELOG.md LICENSE LISTS documents)
  cmake_path(GET document PARENT_PATH folder)
  install(FILES ${source}/${document} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder}
    COMPONENT programs)
endforeach()
install(DIRECTORY ${source}/tests/consumers/trainer
  DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libshardine-dev/examples
  COMPONENT development)
# Run by the library, never by hand. Exported: a program that is not installed
# beside it (SHARDINE_LIBEXEC_DIR) can ask where it is.
install(TARGETS shardine_hdf5_scan EXPORT shardineTargets
  DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/shardine COMPONENT programs)
install(TARGETS shardine EXPORT shardineTargets COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/lib/include/ TYPE INCLUDE
  COMPONENT development)
install(EXPORT shardineTargets NAMESPACE shardine:: DESTINATION ${package_dir}
  COMPONENT development)

configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/shardineConfig.cmake.in shardineConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(shardineConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/linked_libraries.cmake
  ${PROJECT_BINARY_DIR}/shardineConfig.cmake
  ${PROJECT_BINARY_DIR}/shardineConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT development)

# Relative to itself: the installed tree can be moved.
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX
  BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX}/${pkgconfig_dir}
  OUTPUT_VARIABLE pkgconfig_to_prefix)
list(JOIN SHARDINE_LINKED_MODULES " " pkgconfig_modules)
configure_file(${CMAKE_CURRENT_LIST_DIR}/shardine.pc.in shardine.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/shardine.pc DESTINATION ${pkgconfig_dir}
  COMPONENT development)
