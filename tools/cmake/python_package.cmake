# The compiled half of a wheel: cmake --install --component python, of a build by
# scikit-build-core or of any other that has the extension module. A whole
# installation leaves it out.
add_custom_target(python_package)
add_dependencies(python_package _core shardine_hdf5_scan shardine_cli im2rec
  folder2lmdb man_pages)

install(TARGETS _core DESTINATION shardine COMPONENT python EXCLUDE_FROM_ALL)
install(TARGETS shardine_cli im2rec folder2lmdb DESTINATION shardine/bin
  COMPONENT python EXCLUDE_FROM_ALL)
install(TARGETS shardine_hdf5_scan DESTINATION shardine/libexec/shardine
  COMPONENT python EXCLUDE_FROM_ALL)

# A wheel's data goes where Python's own programs and pages are.
if(SKBUILD)
  set(data ${SKBUILD_DATA_DIR}/share)
else()
  set(data share)
endif()
install(DIRECTORY ${pages}/ DESTINATION ${data}
  COMPONENT python EXCLUDE_FROM_ALL)

# Other authors' parts of a wheel come with their licences.
# A release's wheel brings a library for addresses, which its programs load.
if(SHARDINE_PREFIX)
  set(place libexec/shardine)
  install(FILES ${SHARDINE_PREFIX}/libshardine-tls.so DESTINATION shardine/${place}
    COMPONENT python EXCLUDE_FROM_ALL)
  set_target_properties(_core PROPERTIES INSTALL_RPATH $ORIGIN/${place})
  set_target_properties(shardine_cli im2rec folder2lmdb PROPERTIES
    INSTALL_RPATH $ORIGIN/../${place})
  file(GLOB licenses ${SHARDINE_PREFIX}/usr/share/doc/*/copyright)
  foreach(license IN LISTS licenses)
    get_filename_component(owner ${license} DIRECTORY)
    get_filename_component(owner ${owner} NAME)
    install(FILES ${license} DESTINATION shardine/licenses RENAME ${owner}.txt
      COMPONENT python EXCLUDE_FROM_ALL)
  endforeach()
  return()
endif()
get_target_property(boost Boost::program_options LOCATION)
find_path(highway hwy/highway.h HINTS ${HWY_INCLUDE_DIRS})
find_path(json nlohmann/json.hpp)
shardine_linked_packages(owners ${SHARDINE_LIBaec_A} ${boost}
  ${highway}/hwy/highway.h ${json}/nlohmann/json.hpp ${STB_INCLUDE_DIRS}/stb_image.h)
foreach(owner IN LISTS owners)
  install(FILES /usr/share/doc/${owner}/copyright DESTINATION shardine/licenses
    RENAME ${owner}.txt COMPONENT python EXCLUDE_FROM_ALL)
endforeach()
