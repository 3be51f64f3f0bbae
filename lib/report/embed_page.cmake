# Writes OUTPUT, a source that holds page.html, page.css and page.js of FOLDER:
# cmake -DFOLDER=DIR -DOUTPUT=FILE -P embed_page.cmake
set(source "#include \"report/page_files.h\"\n\nnamespace shardine {\n\n")
foreach(suffix IN ITEMS Html Css Js)
  string(TOLOWER ${suffix} extension)
  file(READ ${FOLDER}/page.${extension} text)
  string(APPEND source "std::string_view Page${suffix}() {\n  return R\"page(${text})page\";\n}\n\n")
endforeach()
string(APPEND source "}  // namespace shardine\n")
file(WRITE ${OUTPUT} "${source}")
