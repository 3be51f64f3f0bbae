#include "report/page_text.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "base/bytes.h"
#include "base/html_text.h"
#include "base/utf8.h"
#include "report/fragment.h"

namespace shardine::page_text_test {
namespace {

using nlohmann::json;

TEST_CASE("PageName shows any bytes as readable text", "[report][hostile]") {
  CHECK(PageName("n01440764/a b.JPEG") == "n01440764/a b.JPEG");
  CHECK(PageName("caf\xC3\xA9") == "caf\xC3\xA9");
  CHECK(PageName("a\nb\tc\\") == "a\\x0Ab\\x09c\\x5C");
  CHECK(PageName("\xFF") == "\\xFF");
  // The override of the reading direction, U+202E.
  CHECK(PageName("gpj.\u202Eexe") == "gpj.\\xE2\\x80\\xAEexe");
}

TEST_CASE("PageName cuts long names between characters", "[report][hostile]") {
  CHECK(PageName(std::string(200, 'a')) == std::string(200, 'a'));
  CHECK(PageName(std::string(64 << 10, 'a')) ==
        std::string(200, 'a') + "\u2026");
  std::string letters;
  for (int i = 0; i < 300; ++i) letters += "\u20AC";
  const std::string cut = PageName(letters);
  CHECK(IsUtf8(cut));
  CHECK(cut.size() == 198 + 3);
  CHECK(PageName(std::string(300, '\x01')).size() == 200 + 3);
  CHECK(PageName("abcdef", 3) == "abc\u2026");
}

TEST_CASE("HtmlText leaves no character that HTML reads", "[report][hostile]") {
  CHECK(HtmlText("<script>alert('x' & \"y\")</script>") ==
        "&lt;script&gt;alert(&#39;x&#39; &amp; &quot;y&quot;)&lt;/script&gt;");
}

TEST_CASE("JsonInPage cannot end its script element and reads back",
          "[report][hostile]") {
  const json value = {{"</script><!--", "<b>\"\\"}, {"n", 3}};
  const std::string text = JsonInPage(value);
  CHECK(text.find('<') == std::string::npos);
  CHECK(json::parse(text) == value);
}

TEST_CASE("Base64 is that of RFC 4648", "[report]") {
  const auto encoded = [](std::string_view text) {
    return Base64(AsBytes(text));
  };
  CHECK(encoded("").empty());
  CHECK(encoded("f") == "Zg==");
  CHECK(encoded("fo") == "Zm8=");
  CHECK(encoded("foo") == "Zm9v");
  CHECK(encoded("foobar") == "Zm9vYmFy");
  CHECK(encoded("\xFB\xFF\xBF") == "+/+/");
}

TEST_CASE("Fragment escapes texts and looks into no value for blanks",
          "[report][hostile]") {
  const std::string row = Fragment("identity-row")
                              .Text("name", "{{value}}")
                              .Text("value", "<i>{{name}}</i>")
                              .Fill();
  CHECK(row ==
        "<tr><th scope=\"row\">{{value}}</th>"
        "<td><bdi>&lt;i&gt;{{name}}&lt;/i&gt;</bdi></td></tr>\n");
}

}  // namespace
}  // namespace shardine::page_text_test
