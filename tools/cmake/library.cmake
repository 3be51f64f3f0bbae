# One static library out of all folders.
get_property(folders GLOBAL PROPERTY SHARDINE_FOLDERS)
get_property(libs GLOBAL PROPERTY SHARDINE_LIBS)
list(REMOVE_DUPLICATES libs)
# Headers only: nothing that users would have to link, or even have.
list(REMOVE_ITEM libs nlohmann_json::nlohmann_json)
# Ours in this build, the user's where it is installed.
list(TRANSFORM libs REPLACE "^shardine_own_hdf5$"
  "$<BUILD_INTERFACE:shardine_own_hdf5>;$<INSTALL_INTERFACE:PkgConfig::HDF5>")
list(TRANSFORM libs REPLACE "^shardine_own_expat$"
  "$<BUILD_INTERFACE:shardine_own_expat>;$<INSTALL_INTERFACE:PkgConfig::EXPAT>")

add_library(shardine STATIC)
add_library(shardine::shardine ALIAS shardine)
foreach(folder IN LISTS folders)
  target_sources(shardine PRIVATE $<TARGET_OBJECTS:shardine_${folder}>)
endforeach()
set_target_properties(shardine PROPERTIES LINKER_LANGUAGE CXX)
target_compile_features(shardine PUBLIC cxx_std_20)
target_include_directories(shardine PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/lib/include>
  $<INSTALL_INTERFACE:include>)
target_link_libraries(shardine PRIVATE
  $<BUILD_INTERFACE:shardine_settings> ${libs} Threads::Threads)
