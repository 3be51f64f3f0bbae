#include "report/fragment.h"

#include <utility>

#include "base/check.h"
#include "base/html_text.h"
#include "report/page_files.h"

namespace shardine {
namespace {

constexpr std::string_view kMark = "<!--[";

std::string_view FindFragment(std::string_view name) {
  const std::string mark = std::string(kMark) + std::string(name) + "]-->\n";
  std::string_view page = PageHtml();
  const std::size_t at = page.find(mark);
  SHARDINE_CHECK(at != page.npos);
  page.remove_prefix(at + mark.size());
  return page.substr(0, page.find(kMark));
}

}  // namespace

Fragment::Fragment(std::string_view name) : text_(FindFragment(name)) {}

Fragment& Fragment::Text(const std::string& name, std::string_view text) {
  return Html(name, HtmlText(text));
}

Fragment& Fragment::Html(const std::string& name, std::string html) {
  values_[name] = std::move(html);
  return *this;
}

std::string Fragment::Fill() const {
  std::string filled;
  std::string_view rest = text_;
  while (true) {
    const std::size_t begin = rest.find("{{");
    filled += rest.substr(0, begin);
    if (begin == rest.npos) return filled;
    rest.remove_prefix(begin + 2);
    const std::size_t end = rest.find("}}");
    SHARDINE_CHECK(end != rest.npos);
    const auto value = values_.find(rest.substr(0, end));
    SHARDINE_CHECK(value != values_.end());
    filled += value->second;
    rest.remove_prefix(end + 2);
  }
}

}  // namespace shardine
