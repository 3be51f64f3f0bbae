# compile_commands.json in the root has the command of each source, for editors and
# clang-tidy. A build that compiles several sources at once has no such commands: the
# preset `commands` is then configured beside it, where Clang is installed.
option(SHARDINE_COMMANDS "Write compile_commands.json into the root" OFF)
find_program(SHARDINE_CLANG clang++-14)
if(SHARDINE_COMMANDS AND DEFINED CMAKE_UNITY_BUILD)
  file(RELATIVE_PATH commands ${PROJECT_SOURCE_DIR}
    ${PROJECT_BINARY_DIR}/compile_commands.json)
  file(CREATE_LINK ${commands} ${PROJECT_SOURCE_DIR}/compile_commands.json SYMBOLIC)
elseif(SHARDINE_COMMANDS AND SHARDINE_CLANG)
  # The sources include generated files.
  foreach(step "--preset;commands;-DSHARDINE_PYTHON=${SHARDINE_PYTHON}"
      "--build;--preset;commands")
    execute_process(COMMAND ${CMAKE_COMMAND} ${step}
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_QUIET
      COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
endif()
