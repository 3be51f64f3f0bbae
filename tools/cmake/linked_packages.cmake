# shardine_linked_packages(NAMES): the Debian packages of what our programs link;
# none on other systems. Those of static libraries are among them.
find_program(DPKG_QUERY dpkg-query)
function(shardine_linked_packages NAMES)
  set(linked ${ZLIB_LIBRARIES} ${JPEG_LIBRARIES} ${PNG_LIBRARIES} ${ARGN})
  foreach(module IN ITEMS EXPAT HDF5 ISAL LMDB PROTOBUF SIMDJSON XXHASH ZSTD)
    list(APPEND linked ${${module}_LINK_LIBRARIES})
  endforeach()
  list(FILTER linked INCLUDE REGEX "^/")
  list(REMOVE_DUPLICATES linked)
  set(owners)
  if(DPKG_QUERY)
    # Fails where one of them is of no package: built by hand, say.
    execute_process(COMMAND ${DPKG_QUERY} --search ${linked}
      OUTPUT_VARIABLE found RESULT_VARIABLE failed ERROR_QUIET)
    if(NOT failed)
      string(REGEX MATCHALL "[^\n]+" owners "${found}")
      list(TRANSFORM owners REPLACE ":.*" "")
      list(REMOVE_DUPLICATES owners)
      list(SORT owners)
    endif()
  endif()
  set(${NAMES} ${owners} PARENT_SCOPE)
endfunction()
