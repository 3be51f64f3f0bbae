#include <algorithm>
#include <string_view>

#include "cache/cache_folder.h"
#include "remote/crypto_library.h"

namespace shardine {
namespace {

constexpr std::string_view kCompanionEnd = ".side";
constexpr std::string_view kPayloadEnd = ".data";
constexpr std::string_view kProvedEnd = ".whole";
constexpr std::string_view kScanEnd = ".scan";
constexpr std::string_view kPartEnd = ".part";
constexpr std::size_t kDigits = 32;
constexpr std::size_t kLongestName = 200;

bool IsPlain(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z') || c == '-' || c == '_' || c == '.';
}

// "s3://bucket" of "s3://bucket/set/x.rec"; with the service's address before
// it, where that stands there.
std::string_view OriginOf(std::string_view path) {
  std::size_t scheme = path.find("://");
  const std::size_t blank = path.find(" s3://");
  const std::size_t other = path.find(" gs://");
  if (blank != path.npos || other != path.npos) {
    scheme = std::min(blank, other) + 3;
  }
  if (scheme == path.npos) return {};
  return path.substr(0, path.find('/', scheme + 3));
}

// As no two texts have alike, of bytes that may be in the name of a file.
std::string Coded(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string coded;
  for (const char c : text) {
    if (IsPlain(c)) {
      coded += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      coded += '%';
      coded += kHex[byte >> 4];
      coded += kHex[byte & 15];
    }
  }
  return coded;
}

const std::string& AddressOf(const KnownFile& file) {
  return file.address.empty() ? file.path : file.address;
}

// The name of a proved file: one for each server, or bucket of a service.
std::string SharedName(const KnownFile& file, std::string_view end) {
  std::string name =
      file.digest.ToHex() + '-' + Coded(OriginOf(AddressOf(file)));
  name += end;
  return name.size() <= kLongestName ? name : std::string();
}

bool IsHex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

}  // namespace

std::string CacheName(CachedKind kind, const KnownFile& file) {
  if (kind == CachedKind::kCompanion) return SharedName(file, kCompanionEnd);
  // No attacker can find two addresses of one SHA-256.
  const auto crypto = CryptoLibrary::Load();
  if (!crypto.ok()) return {};
  return file.digest.ToHex() + '-' + ToHex((*crypto)->Digest(AddressOf(file))) +
         std::string(kPayloadEnd);
}

std::string ProvedCacheName(const KnownFile& file) {
  return SharedName(file, kProvedEnd);
}

std::string ScanCacheName(Digest128 shard) {
  return shard.ToHex() + "-local" + std::string(kScanEnd);
}

bool IsScanCacheName(const std::string& name) {
  return name.ends_with(kScanEnd);
}

bool IsProvedCacheName(const std::string& name) {
  return name.ends_with(kProvedEnd);
}

Digest128 DigestOfCacheName(const std::string& name) {
  return Digest128::FromHex(name.substr(0, kDigits)).value_or(Digest128());
}

std::optional<CachedKind> KindOfCacheName(const std::string& name) {
  std::string_view rest = name;
  if (rest.ends_with(kPartEnd)) rest.remove_suffix(kPartEnd.size());
  const auto ends = {kCompanionEnd, kScanEnd, kPayloadEnd, kProvedEnd};
  const auto end = std::ranges::find_if(
      ends, [&](std::string_view each) { return rest.ends_with(each); });
  if (end == ends.end()) return std::nullopt;
  const bool is_companion = *end == kCompanionEnd || *end == kScanEnd;
  rest.remove_suffix(end->size());
  const auto origin = rest.substr(std::min(rest.size(), kDigits + 1));
  const bool is_own = rest.size() > kDigits && rest[kDigits] == '-' &&
                      std::ranges::all_of(rest.substr(0, kDigits), IsHex) &&
                      std::ranges::all_of(origin, [](char c) {
                        return IsPlain(c) || c == '%';
                      });
  if (!is_own) return std::nullopt;
  return is_companion ? CachedKind::kCompanion : CachedKind::kPayload;
}

}  // namespace shardine
