// XML of a service, as a listing, as uploads, as an upload's id and as an
// error: it names nothing outside the request.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "remote/s3_answer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace shardine;
  const std::string_view xml(reinterpret_cast<const char*>(data), size);
  const std::string prefix = "p/";
  if (const auto listing = ParseS3Listing(xml, prefix); listing.ok()) {
    for (const S3Object& object : listing->objects) {
      SHARDINE_CHECK(object.key.starts_with(prefix));
    }
    for (const std::string& each : listing->prefixes) {
      SHARDINE_CHECK(each.starts_with(prefix));
    }
  }
  if (const auto uploads = ParseS3Uploads(xml, "p/key"); uploads.ok()) {
    for (const S3Upload& upload : *uploads) {
      SHARDINE_CHECK(upload.key == "p/key");
    }
  }
  if (const auto id = ParseS3UploadId(xml); id.ok()) {
    SHARDINE_CHECK(!id->empty());
  }
  static_cast<void>(ParseS3Error(xml));
  return 0;
}
