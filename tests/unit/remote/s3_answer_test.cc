#include "remote/s3_answer.h"

#include <catch2/catch.hpp>
#include <string>

namespace shardine::s3_answer_test {
namespace {

std::string Listing(const std::string& inside) {
  return "<?xml version=\"1.0\"?><ListBucketResult "
         "xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">" +
         inside + "</ListBucketResult>";
}

std::string Contents(const std::string& key, const std::string& size) {
  return "<Contents><Key>" + key + "</Key><Size>" + size +
         "</Size><LastModified>2026-11-23T17:13:02.123Z</LastModified>"
         "</Contents>";
}

TEST_CASE("A page of a listing says what there is and where it goes on",
          "[remote]") {
  const auto page = ParseS3Listing(
      Listing("<IsTruncated>true</IsTruncated>"
              "<NextContinuationToken>a+b</NextContinuationToken>"
              "<EncodingType>url</EncodingType>" +
              Contents("p/a%20b%2B+%C3%A4", "12") +
              "<CommonPrefixes><Prefix>p/x%2F</Prefix></CommonPrefixes>"),
      "p/");
  REQUIRE(page.ok());
  REQUIRE(page->objects.size() == 1);
  CHECK(page->objects[0].key == "p/a b+ \xC3\xA4");
  CHECK(page->objects[0].size == 12);
  CHECK(page->objects[0].modified == 1795453982);
  CHECK(page->prefixes == std::vector<std::string>{"p/x/"});
  CHECK(page->next == "a+b");
  // Without that word keys are as they stand.
  const auto plain = ParseS3Listing(Listing(Contents("a%20&amp;+", "0")), "");
  REQUIRE(plain.ok());
  CHECK(plain->objects[0].key == "a%20&+");
  CHECK(plain->next.empty());
}

TEST_CASE("A listing that cannot be true is none", "[remote]") {
  const std::string entities =
      "<!DOCTYPE x [<!ENTITY a \"b\">]><ListBucketResult/>";
  std::string deep;
  for (int i = 0; i < 20; ++i) deep += "<a>";
  for (int i = 0; i < 20; ++i) deep += "</a>";
  for (const std::string& xml :
       {std::string(), std::string("<ListBucketResult>"),
        std::string("<Other></Other>"), entities, deep,
        Listing(Contents("elsewhere", "1")), Listing(Contents("p/a", "-1")),
        Listing(Contents("p/a", "")), Listing(Contents("p/a", "1x")),
        Listing(Contents("p/a", "99999999999999999999999")),
        Listing("<Contents><Size>1</Size></Contents>"),
        Listing("<EncodingType>url</EncodingType>" + Contents("p/%4", "1")),
        Listing("<EncodingType>url</EncodingType>" + Contents("p/%zz", "1")),
        Listing("<CommonPrefixes><Prefix>q/</Prefix></CommonPrefixes>"),
        Listing("<IsTruncated>true</IsTruncated>")}) {
    INFO(xml);
    const auto page = ParseS3Listing(xml, "p/");
    REQUIRE_FALSE(page.ok());
    CHECK(page.status().code() == Code::kRemote);
  }
}

TEST_CASE("A size does not stand for the next object's", "[remote]") {
  CHECK_FALSE(
      ParseS3Listing(
          Listing(Contents("a", "1") + "<Contents><Key>b</Key></Contents>"), "")
          .ok());
}

TEST_CASE("An upload has the id that the service gave it", "[remote]") {
  const auto id = ParseS3UploadId(
      "<InitiateMultipartUploadResult><Bucket>b</Bucket><Key>k</Key>"
      "<UploadId>a/b+c</UploadId></InitiateMultipartUploadResult>");
  REQUIRE(id.ok());
  CHECK(*id == "a/b+c");
  for (const std::string xml : {"", "<R></R>", "<R><UploadId></UploadId></R>",
                                "<R><x><UploadId>deeper</UploadId></x></R>"}) {
    INFO(xml);
    CHECK(ParseS3UploadId(xml).status().code() == Code::kRemote);
  }
}

TEST_CASE("Of uploads those of one key are given", "[remote]") {
  const std::string inside =
      "<Upload><Key>p/a%20b</Key><UploadId>1</UploadId></Upload>"
      "<Upload><Key>p/a%20bc</Key><UploadId>2</UploadId></Upload>"
      "<Upload><Key>p/a%20b</Key></Upload>"
      "<Upload><UploadId>3</UploadId></Upload>";
  const auto text = [&](const std::string& words) {
    return "<ListMultipartUploadsResult>" + words + inside +
           "</ListMultipartUploadsResult>";
  };
  const auto coded =
      ParseS3Uploads(text("<EncodingType>url</EncodingType>"), "p/a b");
  REQUIRE(coded.ok());
  REQUIRE(coded->size() == 1);
  CHECK(coded->front().id == "1");
  const auto plain = ParseS3Uploads(text(""), "p/a b");
  REQUIRE(plain.ok());
  CHECK(plain->empty());
  CHECK(ParseS3Uploads("<Other/>", "p").status().code() == Code::kRemote);
}

TEST_CASE("An error says its code, whatever service it is of", "[remote]") {
  const S3Error error = ParseS3Error(
      "<Error><Code>PermanentRedirect</Code><Message>m</Message>"
      "<Region>eu-central-1</Region><RequestId>r</RequestId></Error>");
  CHECK(error.code == "PermanentRedirect");
  CHECK(error.message == "m");
  CHECK(error.region == "eu-central-1");
  CHECK(error.request_id == "r");
  CHECK(ParseS3Error("<html>").code.empty());
  CHECK(ParseS3Error("<E><Code>NotOfAnError</Code></E>").code.empty());
}

}  // namespace
}  // namespace shardine::s3_answer_test
