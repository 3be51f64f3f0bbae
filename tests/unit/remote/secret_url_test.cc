#include "remote/secret_url.h"

#include <catch2/catch.hpp>
#include <string>

namespace shardine::secret_url_test {
namespace {

Status Judged(const std::string& text, PlainHttp plain = PlainHttp::kNever) {
  return ParseSecretUrl(text, "AWS_X", plain).status();
}

// D2 of the field reports.
TEST_CASE("A secret goes by https, to this machine or to documented addresses",
          "[secret_url]") {
  for (const char* text :
       {"https://sts.example", "https://h:8443/x", "http://127.0.0.1:9/x",
        "http://localhost", "http://[::1]:80", "http://169.254.169.254",
        "http://[fd00:ec2::254]", "http://169.254.170.2/x",
        "http://169.254.170.23", "http://[fd00:ec2::23]/x"}) {
    CHECK(Judged(text).ToString() == "OK");
  }
  for (const char* text :
       {"http://sts.example", "http://10.0.0.1", "http://169.254.169.253",
        "http://127.example", "http://127.0.0.1.example", "http://8.8.8.8",
        "http://[fd00:ec2::25]", "ftp://127.0.0.1", "127.0.0.1", ""}) {
    CHECK(Judged(text).code() == Code::kInvalidArgument);
    CHECK(Judged(text).message().starts_with("AWS_X"));
  }
  CHECK(Judged("http://sts.example", PlainHttp::kAllowed).ok());
  CHECK(Judged("http://sts.example", PlainHttp::kByOption)
            .message()
            .find("http-credentials") != std::string::npos);
  const auto url = ParseSecretUrl("https://H:443//", "X", PlainHttp::kNever);
  CHECK(url->text() == "https://h/");
  CHECK(BaseOf(*url) == "https://h");
}

// D3 of the field reports.
TEST_CASE("A refused address is said without its password", "[secret_url]") {
  for (const char* text :
       {"http://user:hidden@sts.example/x?token=hidden",
        "https://user:hidden@127.0.0.1", "http://127.0.0.1/x?token=hidden"}) {
    const Status status = Judged(text);
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(status.ToString().find("hidden") == std::string::npos);
  }
}

}  // namespace
}  // namespace shardine::secret_url_test
