#include "remote/aws_profile.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <string>

#include "support/temp_directory.h"

namespace shardine::aws_profile_test {
namespace {

TEST_CASE("Files of Amazon's tools are read as these read them", "[remote]") {
  const AwsSections sections = ParseAwsFile(
      "# a comment\n"
      "key = before any section\n"
      "[default]\r\n"
      "aws_access_key_id=A=B\r\n"
      "  \n"
      "; another\n"
      "[ profile   work ]\n"
      "region = eu-west-1 \n"
      "s3 =\n"
      "    endpoint_url = http://localhost:1\n"
      "\taddressing_style=path\n"
      "after = x\n"
      "    no_one_s = y\n"
      "a line without a value\n"
      "last = 1");
  REQUIRE(sections.size() == 2);
  CHECK(sections.at("default") == AwsSettings{{"aws_access_key_id", "A=B"}});
  CHECK(sections.at("profile work") ==
        AwsSettings{{"region", "eu-west-1"},
                    {"s3", ""},
                    {"s3.endpoint_url", "http://localhost:1"},
                    {"s3.addressing_style", "path"},
                    {"after", "x"},
                    {"last", "1"}});
}

// Parsers review 9: lines that botocore reads by Python's RawConfigParser.
TEST_CASE("Settings have any case, any indentation, and = or :", "[remote]") {
  const AwsSections sections = ParseAwsFile(
      "[default]\n"
      "  AWS_Access_Key_Id : A=B\n"
      "  aws_secret_access_key=C:D\n"
      "  [profile 'my work']\n"
      "region:eu-west-1\n"
      "S3 :\n"
      "  Endpoint_url = http://localhost:1\n");
  CHECK(sections.at("default") ==
        AwsSettings{{"aws_access_key_id", "A=B"},
                    {"aws_secret_access_key", "C:D"}});
  CHECK(sections.at("profile my work") ==
        AwsSettings{{"region", "eu-west-1"},
                    {"s3", ""},
                    {"s3.Endpoint_url", "http://localhost:1"}});
}

TEST_CASE("A file is read whole, or refused", "[remote]") {
  const TempDirectory folder;
  const std::string path = folder / "profile";
  for (const std::size_t size : {0, 1, 4095, 4096, 4097, 1 << 20}) {
    const std::string text(size, 'x');
    std::ofstream(path, std::ios::trunc) << text;
    const auto read = ReadSecretFile(path);
    REQUIRE(read.ok());
    CHECK(std::string_view(*read) == text);
  }
  std::ofstream(path, std::ios::app) << 'x';
  CHECK(ReadSecretFile(path).status().code() == Code::kUnsupported);
  unlink(path.c_str());
  CHECK(ReadSecretFile(path).status().code() == Code::kNotFound);
  CHECK_FALSE(ReadSecretFile(folder.path()).ok());
}

TEST_CASE("What is no such file has no sections", "[remote]") {
  for (const char* text : {"", "\n\n", "[", "[]", "=", "[x]\n=\n  =\n"}) {
    INFO(text);
    for (const auto& [name, settings] : ParseAwsFile(text)) {
      CHECK(settings.size() <= 1);
    }
  }
}

}  // namespace
}  // namespace shardine::aws_profile_test
