#include "remote/s3_address.h"

#include <catch2/catch.hpp>
#include <string>

namespace shardine::s3_address_test {
namespace {

std::string KeyOf(const std::string& path) {
  const auto address = ParseS3Address(path);
  REQUIRE(address.ok());
  return address->key;
}

std::string UrlOf(const S3Endpoint& endpoint, const S3Address& address) {
  const auto url = S3UrlOf(endpoint, "eu-west-1", address);
  REQUIRE(url.ok());
  return url->text();
}

TEST_CASE("A key is what stands behind its bucket", "[remote]") {
  CHECK(ParseS3Address("s3://bucket")->bucket == "bucket");
  CHECK(KeyOf("s3://bucket") == "");
  CHECK(KeyOf("s3://bucket/") == "");
  CHECK(KeyOf("s3://bucket/a b/%41?x#y") == "a b/%41?x#y");
  CHECK(KeyOf("s3://bucket/a/") == "a/");
  CHECK(KeyOf("s3://bucket/a//b") == "a//b");
  CHECK(KeyOf("s3://bucket/a/./b") == "a/b");
  CHECK(KeyOf("s3://bucket/a/../b") == "b");
  CHECK(KeyOf("s3://bucket/a/b/..") == "a/");
  CHECK(KeyOf("s3://bucket/a/..") == "");
}

TEST_CASE("What has no bucket, or leads out of it, is refused by name",
          "[remote]") {
  for (const char* path :
       {"s3://", "s3:///key", "s3://b/x", "s3://a b/x", "s3://..",
        "s3://bucket/..", "s3://bucket/a/../../x"}) {
    INFO(path);
    const auto address = ParseS3Address(path);
    REQUIRE_FALSE(address.ok());
    CHECK(address.status().code() == Code::kInvalidArgument);
    CHECK(address.status().where().path == path);
  }
  // The secret of a key may hold a slash.
  for (const char* path : {"s3://user:pw@host/x", "s3://key:se/cret@host/x"}) {
    CHECK(ParseS3Address(path).status().where().path == "s3://host/x");
  }
}

TEST_CASE("A bucket is in the host's name where a host can have it",
          "[remote]") {
  const S3Endpoint amazon;
  CHECK(UrlOf(amazon, {"photos", "a b/ä.jpg"}) ==
        "https://photos.s3.eu-west-1.amazonaws.com/a%20b/%C3%A4.jpg");
  CHECK(UrlOf(amazon, {"my.photos", "k"}) ==
        "https://s3.eu-west-1.amazonaws.com/my.photos/k");
  const S3Endpoint own{.url = "http://HOST:80/s3/", .bucket_in_host = false};
  CHECK(UrlOf(own, {"photos", "k"}) == "http://host/s3/photos/k");
  CHECK(UrlOf(own, {"photos", ""}) == "http://host/s3/photos");
  CHECK(UrlOf({.url = "https://host:8333", .bucket_in_host = true},
              {"photos", "k"}) == "https://photos.host:8333/k");
  CHECK_FALSE(
      S3UrlOf({.url = "no address"}, "eu-west-1", {"photos", "k"}).ok());
}

}  // namespace
}  // namespace shardine::s3_address_test
