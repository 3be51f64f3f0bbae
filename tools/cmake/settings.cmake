# The settings with which every target is compiled.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# The cache belongs to the project on top.
if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

option(SHARDINE_WERROR "Treat warnings as errors" OFF)
set(SHARDINE_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize= takes them")

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

# compile_together(TARGET): compiles several sources of TARGET as one, since their
# headers take longer than they do; -DCMAKE_UNITY_BUILD=OFF compiles each alone.
set(CMAKE_UNITY_BUILD_BATCH_SIZE 24)
function(compile_together TARGET)
  if(NOT DEFINED CMAKE_UNITY_BUILD)
    set_target_properties(${TARGET} PROPERTIES UNITY_BUILD ON)
  endif()
endfunction()

# Warnings and sanitizers for our own targets only, never for consumers.
add_library(shardine_settings INTERFACE)
target_compile_options(shardine_settings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor
  -Woverloaded-virtual $<$<BOOL:${SHARDINE_WERROR}>:-Werror>
  # GCC 12 sees overlaps in string concatenations where there are none.
  # Private names of a source stay private beside others, too.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-subobject-linkage>
  # A local name may equal a constant's in another source of the folder, which
  # GCC does not mind.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-shadow>)
if(SHARDINE_SANITIZE)
  target_compile_options(shardine_settings INTERFACE
    -fsanitize=${SHARDINE_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  target_link_options(shardine_settings INTERFACE
    -fsanitize=${SHARDINE_SANITIZE})
  # One runtime for programs and for the module that Python loads, as GCC has it
  # from the start: processes that Python starts inherit its runtime.
  if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    execute_process(
      COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libclang_rt.asan-x86_64.so
      OUTPUT_VARIABLE SHARDINE_ASAN_RUNTIME OUTPUT_STRIP_TRAILING_WHITESPACE
      COMMAND_ERROR_IS_FATAL ANY)
    cmake_path(GET SHARDINE_ASAN_RUNTIME PARENT_PATH runtime_folder)
    target_link_options(shardine_settings INTERFACE
      -shared-libasan LINKER:-rpath,${runtime_folder})
  endif()
endif()
