# libexpat as we link it: the static library in released packages, so that
# importing the package needs no other. Users of our static library link the
# libraries that expat names.
add_library(shardine_own_expat INTERFACE)
target_include_directories(shardine_own_expat SYSTEM INTERFACE
  ${EXPAT_INCLUDE_DIRS})
if(PROJECT_IS_TOP_LEVEL)
  find_library(SHARDINE_LIBEXPAT_A libexpat.a
    HINTS ${EXPAT_LIBRARY_DIRS} REQUIRED)
  target_link_libraries(shardine_own_expat INTERFACE ${SHARDINE_LIBEXPAT_A})
else()
  target_link_libraries(shardine_own_expat INTERFACE PkgConfig::EXPAT)
endif()
