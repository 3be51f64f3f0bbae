# One place for any top-level project: builds of one kind are then compiled by
# the same commands, and share the compiler's cache.
set(SHARDINE_INCLUDE_ROOTS ${CMAKE_BINARY_DIR}/shardine-include-roots)

# shardine_folder(NAME [ALONE] [DEPS folder...] [LIBS target...])
#
# All .cc files of the current source folder as one object library. Its headers
# are visible as "NAME/header.h" only to folders that name it in DEPS (or reach
# it through them): each folder gets an include root of its own that holds one
# link. LIBS are third-party libraries that stay inside the folder. ALONE: each
# source is compiled by itself.
function(shardine_folder NAME)
  cmake_parse_arguments(ARG "ALONE" "" "DEPS;LIBS" ${ARGN})
  set(target shardine_${NAME})
  set(root ${SHARDINE_INCLUDE_ROOTS}/${NAME})
  file(MAKE_DIRECTORY ${root})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${root}/${NAME} SYMBOLIC)

  file(GLOB sources CONFIGURE_DEPENDS *.cc)
  if(NOT sources)  # a folder of headers
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE
      ${root} ${PROJECT_SOURCE_DIR}/lib/include)
    foreach(dep IN LISTS ARG_DEPS)
      target_link_libraries(${target} INTERFACE shardine_${dep})
    endforeach()
    return()
  endif()
  add_library(${target} OBJECT ${sources})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  # Threads may outlive main(), as Python's daemons do, so that nothing they read
  # is destroyed at exit.
  target_compile_options(${target} PRIVATE
    $<$<CXX_COMPILER_ID:Clang>:-Wexit-time-destructors>)
  if(NOT ARG_ALONE)
    compile_together(${target})
  endif()
  target_include_directories(${target} PUBLIC
    ${root} ${PROJECT_SOURCE_DIR}/lib/include)
  foreach(dep IN LISTS ARG_DEPS)
    target_link_libraries(${target} PUBLIC shardine_${dep})
  endforeach()
  target_link_libraries(${target} PRIVATE
    shardine_settings ${ARG_LIBS} Threads::Threads)
  set_property(GLOBAL APPEND PROPERTY SHARDINE_FOLDERS ${NAME})
  set_property(GLOBAL APPEND PROPERTY SHARDINE_LIBS ${ARG_LIBS})
endfunction()
