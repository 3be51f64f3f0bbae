// Fragment: a piece of page.html with its blanks filled in. All English of a
// report stands in that file, and the sentences of a card on programs.
#ifndef SHARDINE_REPORT_FRAGMENT_H_
#define SHARDINE_REPORT_FRAGMENT_H_

#include <map>
#include <string>
#include <string_view>

namespace shardine {

// page.html has a fragment after each line <!--[NAME]-->, and blanks {{name}}.
// Thread-compatible.
class Fragment {
 public:
  // REQUIRES: page.html has the fragment.
  explicit Fragment(std::string_view name);

  // Fills a blank with a text, which is escaped.
  Fragment& Text(const std::string& name, std::string_view text);
  // Fills a blank with the HTML of another fragment.
  Fragment& Html(const std::string& name, std::string html);

  // Blanks inside a value stay as they are. REQUIRES: each blank was filled.
  std::string Fill() const;

 private:
  std::string_view text_;
  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace shardine

#endif  // SHARDINE_REPORT_FRAGMENT_H_
