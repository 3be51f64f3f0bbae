# cmake -DPROGRAM=shardine -DOUT=DIR -P man_pages.cmake: its man pages and
# completions, in folders as below share/.
execute_process(COMMAND ${PROGRAM} help man OUTPUT_VARIABLE page
  COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE_RECURSE ${OUT})
file(WRITE ${OUT}/man/man1/shardine.1 "${page}")
# shardine(1) names all others.
string(REGEX MATCHALL "shardine[\\]-[^(]+[(]1[)]" names "${page}")
if(names STREQUAL "")
  message(FATAL_ERROR "shardine(1) names no other page")
endif()
foreach(name IN LISTS names)
  string(REGEX REPLACE "[\\]|[(]1[)]" "" name ${name})
  string(REGEX REPLACE "^shardine-" "" verb ${name})
  string(REGEX REPLACE "^plan-" "plan;" verb ${verb})
  execute_process(COMMAND ${PROGRAM} help man ${verb}
    OUTPUT_FILE ${OUT}/page COMMAND_ERROR_IS_FATAL ANY)
  file(RENAME ${OUT}/page ${OUT}/man/man1/${name}.1)
endforeach()
foreach(pair bash:bash-completion/completions/shardine
    fish:fish/vendor_completions.d/shardine.fish)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 shell)
  list(GET pair 1 file)
  cmake_path(GET file PARENT_PATH folder)
  file(MAKE_DIRECTORY ${OUT}/${folder})
  execute_process(COMMAND ${PROGRAM} completion ${shell}
    OUTPUT_FILE ${OUT}/${file} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
