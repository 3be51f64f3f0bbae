#include "remote/s3_answer.h"

#include <charconv>
#include <optional>
#include <utility>

#include "base/status_macros.h"
#include "remote/percent_code.h"
#include "remote/service_time.h"
#include "remote/xml_answer.h"

namespace shardine {
namespace {

// As forms are encoded: keys hold bytes that XML cannot.
std::optional<std::string> DecodeUrl(const std::string& text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i] == '+' ? ' ' : text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = HexValue(text[i + 1]), low = HexValue(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return decoded;
}

// Whether `path` is ROOT/a/b, of whatever root.
template <typename... Names>
bool IsBelowRoot(const XmlPath& path, const Names&... names) {
  const std::string_view wanted[] = {names...};
  if (path.size() != sizeof...(names) + 1) return false;
  for (std::size_t i = 0; i < sizeof...(names); ++i) {
    if (path[i + 1] != wanted[i]) return false;
  }
  return true;
}

struct ListingText {
  struct Object {
    std::string key, size, modified;
  };
  std::vector<Object> objects;
  std::vector<std::string> prefixes;
  Object object;
  std::string next, truncated, encoding, root;

  void Take(const XmlPath& path, const std::string& text) {
    if (path.size() == 1) root = path[0];
    if (IsBelowRoot(path, "Contents", "Key")) object.key = text;
    if (IsBelowRoot(path, "Contents", "Size")) object.size = text;
    if (IsBelowRoot(path, "Contents", "LastModified")) object.modified = text;
    if (IsBelowRoot(path, "Contents")) {
      objects.push_back(std::exchange(object, {}));
    }
    if (IsBelowRoot(path, "CommonPrefixes", "Prefix")) prefixes.push_back(text);
    if (IsBelowRoot(path, "NextContinuationToken")) next = text;
    if (IsBelowRoot(path, "IsTruncated")) truncated = text;
    if (IsBelowRoot(path, "EncodingType")) encoding = text;
  }
};

}  // namespace

Result<S3Listing> ParseS3Listing(std::string_view xml,
                                 const std::string& prefix) {
  ListingText text;
  SHARDINE_RETURN_IF_ERROR(
      ReadXmlAnswer(xml, [&](const XmlPath& path, const std::string& inside) {
        text.Take(path, inside);
      }));
  const Status wrong(Code::kRemote, "an answer that is not the listing of it");
  if (text.root != "ListBucketResult") return wrong;
  const auto name = [&](const std::string& of) -> std::optional<std::string> {
    auto decoded = text.encoding == "url" ? DecodeUrl(of) : of;
    const bool is_inside = decoded && decoded->starts_with(prefix);
    return is_inside ? decoded : std::nullopt;
  };
  S3Listing listing;
  for (const auto& [key, size, modified] : text.objects) {
    S3Object object;
    const auto decoded = name(key);
    const auto time = ParseServiceTime(modified);
    const auto [end, error] =
        std::from_chars(size.data(), size.data() + size.size(), object.size);
    if (!decoded || !time || error != std::errc() ||
        end != size.data() + size.size()) {
      return wrong;
    }
    object.key = *decoded;
    object.modified = *time;
    listing.objects.push_back(std::move(object));
  }
  for (const std::string& each : text.prefixes) {
    const auto decoded = name(each);
    if (!decoded) return wrong;
    listing.prefixes.push_back(*decoded);
  }
  if (text.truncated == "true") {
    if (text.next.empty()) return wrong;
    listing.next = text.next;
  }
  return listing;
}

Result<std::string> ParseS3UploadId(std::string_view xml) {
  std::string id;
  SHARDINE_RETURN_IF_ERROR(
      ReadXmlAnswer(xml, [&](const XmlPath& path, const std::string& text) {
        if (IsBelowRoot(path, "UploadId")) id = text;
      }));
  if (!id.empty()) return id;
  return Status(Code::kRemote, "an answer that gives an upload no id");
}

Result<std::vector<S3Upload>> ParseS3Uploads(std::string_view xml,
                                             const std::string& key) {
  std::vector<S3Upload> uploads;
  S3Upload upload;
  std::string root, encoding;
  SHARDINE_RETURN_IF_ERROR(
      ReadXmlAnswer(xml, [&](const XmlPath& path, const std::string& text) {
        if (path.size() == 1) root = path[0];
        if (IsBelowRoot(path, "EncodingType")) encoding = text;
        if (IsBelowRoot(path, "Upload", "Key")) upload.key = text;
        if (IsBelowRoot(path, "Upload", "UploadId")) upload.id = text;
        if (IsBelowRoot(path, "Upload", "Initiated")) {
          upload.initiated = ParseServiceTime(text);
        }
        if (IsBelowRoot(path, "Upload")) {
          uploads.push_back(std::exchange(upload, {}));
        }
      }));
  if (root != "ListMultipartUploadsResult") {
    return Status(Code::kRemote, "an answer that is no list of uploads");
  }
  std::erase_if(uploads, [&](const S3Upload& each) {
    const auto decoded = encoding == "url" ? DecodeUrl(each.key) : each.key;
    return decoded != key || each.id.empty();
  });
  return uploads;
}

S3Error ParseS3Error(std::string_view body) {
  S3Error error;
  const Status read =
      ReadXmlAnswer(body, [&](const XmlPath& path, const std::string& text) {
        // Amazon's root is <Error>; other services put it below the root.
        if (path.size() < 2 || path[path.size() - 2] != "Error") return;
        if (path.back() == "Code") error.code = text;
        if (path.back() == "Message") error.message = text;
        if (path.back() == "Region") error.region = text;
        if (path.back() == "RequestId") error.request_id = text;
      });
  return read.ok() ? error : S3Error{};
}

}  // namespace shardine
