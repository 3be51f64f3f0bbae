#include "remote/url.h"

#include <catch2/catch.hpp>
#include <string>

namespace shardine::url_test {
namespace {

std::string Parsed(const std::string& text) {
  const Result<Url> url = ParseUrl(text);
  return url.ok() ? url->text() : "refused";
}

TEST_CASE("An address is sent as it was given", "[remote]") {
  for (const std::string text :
       {"http://h/", "https://h:8443/a/b.tar", "http://[::1]:80/x",
        "http://h/a%20b", "http://h/a-b._~!$&'()*+,;=:@c", "http://h/dir/"}) {
    CHECK(Parsed(text) == text);
  }
}

TEST_CASE("Scheme and host of an address are compared in lower case",
          "[remote]") {
  CHECK(Parsed("HTTPS://Host.Example:1/Path") == "https://host.example:1/Path");
  CHECK(Parsed("http://h") == "http://h/");
}

TEST_CASE("What may not stand in an address is escaped", "[remote]") {
  CHECK(Parsed("http://h/a b") == "http://h/a%20b");
  CHECK(Parsed("http://h/\xC3\xA4\"<>\n") == "http://h/%C3%A4%22%3C%3E%0A");
  CHECK(Parsed("http://h/100%") == "http://h/100%25");
  CHECK(Parsed("http://h/a%2") == "http://h/a%252");
  CHECK(Parsed("http://h/a%zz") == "http://h/a%25zz");
  CHECK(Parsed("http://h/[x]") == "http://h/%5Bx%5D");
}

TEST_CASE("Dots of an address are resolved as text and stay below the host",
          "[remote]") {
  CHECK(Parsed("http://h/a/../b") == "http://h/b");
  CHECK(Parsed("http://h/a/b/../../c/./d") == "http://h/c/d");
  CHECK(Parsed("http://h/a//b") == "http://h/a/b");
  CHECK(Parsed("http://h/a/..") == "http://h/");
  CHECK(Parsed("http://h/a/b/.") == "http://h/a/b/");
  CHECK(Parsed("http://h/...") == "http://h/...");
  for (const std::string text : {"http://h/..", "http://h/a/../../b",
                                 "http://h/%2e%2E/b", "http://h/a/.%2e/../b"}) {
    INFO(text);
    CHECK(Parsed(text) == "refused");
  }
}

TEST_CASE("An address with secrets or options is refused without them",
          "[remote]") {
  for (const std::string text :
       {"https://user:secret@h/x", "https://h/x?key=secret",
        "https://user:se/cret@h/x", "https://h/x#secret"}) {
    const Status refused = ParseUrl(text).status();
    INFO(refused.ToString());
    CHECK(refused.code() == Code::kInvalidArgument);
    CHECK(refused.ToString().find("cret") == std::string::npos);
    CHECK(refused.where().path == "https://h/x");
  }
}

TEST_CASE("An address without a host is refused", "[remote]") {
  for (const std::string text :
       {"http://", "http:///x", "http://:80/x", "http://a b/x",
        "http://h\r\nX: y/", "no address", "http://h:/x", "http://h:80a/x",
        "http://[::1/x", "http://a]b/x"}) {
    INFO(text);
    CHECK(Parsed(text) == "refused");
  }
}

}  // namespace
}  // namespace shardine::url_test
