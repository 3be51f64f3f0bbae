// The files page.html, page.css and page.js of this folder, which the build
// puts into the library (embed_page.cmake).
#ifndef SHARDINE_REPORT_PAGE_FILES_H_
#define SHARDINE_REPORT_PAGE_FILES_H_

#include <string_view>

namespace shardine {

std::string_view PageHtml();
std::string_view PageCss();
std::string_view PageJs();

}  // namespace shardine

#endif  // SHARDINE_REPORT_PAGE_FILES_H_
