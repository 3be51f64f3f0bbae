#include "shardine/remote_options.h"

#include <catch2/catch.hpp>
#include <string>

namespace shardine::remote_options_test {
namespace {

RemoteOptions Of(const std::string& profile) { return {.profile = profile}; }

std::string ProfileOf(const std::string& path) {
  return RemoteOptionsOf(path).profile;
}

TEST_CASE("the longest prefix of whole names counts", "[remote]") {
  REQUIRE(SetRemoteOptions("", Of("all")).ok());
  REQUIRE(SetRemoteOptions("s3://", Of("scheme")).ok());
  REQUIRE(SetRemoteOptions("s3://b", Of("bucket")).ok());
  REQUIRE(SetRemoteOptions("s3://b/a//", Of("folder")).ok());
  REQUIRE(SetRemoteOptions("s3://b/a!", Of("sibling")).ok());
  CHECK(ProfileOf("https://host/x") == "all");
  CHECK(ProfileOf("s3://other") == "scheme");
  CHECK(ProfileOf("s3://bb") == "scheme");
  CHECK(ProfileOf("s3://b") == "bucket");
  CHECK(ProfileOf("s3://b/") == "bucket");
  CHECK(ProfileOf("s3://b/ab") == "bucket");
  CHECK(ProfileOf("s3://b/a") == "folder");
  CHECK(ProfileOf("s3://b/a/x") == "folder");
  CHECK(ProfileOf("s3://b/a!/x") == "sibling");
  for (const char* prefix : {"", "s3://", "s3://b/", "s3://b/a", "s3://b/a!"}) {
    REQUIRE(SetRemoteOptions(prefix, {}).ok());
  }
  CHECK(RemoteOptionsOf("s3://b/a/x") == RemoteOptions());
}

TEST_CASE("options that are added replace no others", "[remote]") {
  REQUIRE(AddRemoteOptions("s3://b", Of("first")).ok());
  CHECK(AddRemoteOptions("s3://b/", Of("first")).ok());
  CHECK(AddRemoteOptions("s3://b/", Of("second")).code() ==
        Code::kAlreadyExists);
  CHECK(AddRemoteOptions("s3://b", {}).code() == Code::kAlreadyExists);
  CHECK(ProfileOf("s3://b") == "first");
  CHECK(AddRemoteOptions("s3://b/a", Of("second")).ok());
  CHECK(ProfileOf("s3://b/a") == "second");
  CHECK(AddRemoteOptions("b", Of("x")).code() == Code::kInvalidArgument);
  REQUIRE(SetRemoteOptions("s3://b", {}).ok());
  REQUIRE(SetRemoteOptions("s3://b/a", {}).ok());
  CHECK(AddRemoteOptions("s3://b", {}).ok());
  CHECK(RemoteOptionsOf("s3://b") == RemoteOptions());
}

TEST_CASE("what is refused sets nothing", "[remote]") {
  for (const char* prefix : {"b", "/b", "file:///b", "S3://b", "s3:"}) {
    INFO(prefix);
    CHECK(SetRemoteOptions(prefix, Of("x")).code() == Code::kInvalidArgument);
    CHECK(RemoteOptionsOf(prefix) == RemoteOptions());
  }
  CHECK(!SetRemoteOptions("gs://b", Of("x")).ok());
  const Status nobody_pays = SetRemoteOptions(
      "s3://b", {.no_sign_request = true, .requester_pays = true});
  CHECK(nobody_pays.code() == Code::kInvalidArgument);
  CHECK(nobody_pays.message().find("requester pays") != std::string::npos);
  CHECK(!SetRemoteOptions("s3://b", {.endpoint_url = "b"}).ok());
  CHECK(!SetRemoteOptions("s3://b", {.region = "A"}).ok());
  CHECK(RemoteOptionsOf("s3://b") == RemoteOptions());
}

}  // namespace
}  // namespace shardine::remote_options_test
