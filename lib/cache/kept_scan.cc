#include "cache/kept_scan.h"

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <utility>

#include "base/checksum.h"
#include "base/status_macros.h"

namespace shardine {
namespace {

// The XXH3-128 of all before it ends a file, in hex: it finds damage, and
// proves nothing of the writer. The folder is its user's alone.
constexpr std::size_t kSealText = 32;

std::string SealOf(ByteView bytes) { return Xxh3_128(bytes).ToHex(); }

// Another user could have written such a file.
std::optional<std::uint64_t> SizeOfOwn(const CacheDescriptor& file) {
  struct stat facts;
  if (::fstat(file.get(), &facts) != 0 ||
      (facts.st_mode & (S_IWGRP | S_IWOTH)) != 0 || facts.st_size < 0) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(facts.st_size);
}

// nullopt: damaged, or no file to believe.
std::optional<ByteBuffer> ReadSealed(const CacheDescriptor& file,
                                     std::uint64_t most) {
  const auto size = SizeOfOwn(file);
  if (!size || *size < kSealText || *size > most) return std::nullopt;
  ByteBuffer bytes;
  bytes.Resize(static_cast<std::size_t>(*size));
  if (ReadDescriptor(file, 0, bytes.span()) != bytes.size()) {
    return std::nullopt;
  }
  const ByteView contents = bytes.view().first(bytes.size() - kSealText);
  if (SealOf(contents) != AsText(bytes.view().last(kSealText))) {
    return std::nullopt;
  }
  bytes.Resize(contents.size());
  return bytes;
}

// One file is not to make room of all others.
std::uint64_t MostOf(const CacheFolder& folder) {
  return folder.limits().bytes / 4;
}

bool UseKept(CacheFolder& folder, const std::string& name,
             const ScanSteps& steps) {
  const CacheDescriptor file = folder.Find(name);
  if (!file) return false;
  const auto bytes = ReadSealed(file, MostOf(folder));
  if (bytes && steps.use(bytes->view())) return true;
  static_cast<void>(folder.Remove(name).ok());
  return false;
}

bool Write(CacheFolder& folder, const CacheDescriptor& part,
           const std::string& name, const std::string& bytes) {
  const std::uint64_t size = bytes.size() + kSealText;
  if (bytes.empty() || size > MostOf(folder) || !folder.MakeRoom(size)) {
    return false;
  }
  const bool is_written =
      folder.Write(part, 0, AsBytes(bytes)) &&
      folder.Write(part, bytes.size(), AsBytes(SealOf(AsBytes(bytes))));
  folder.EndWrite(size);
  return is_written && folder.Publish(part, name);
}

}  // namespace

Result<ScanUse> UseOrScan(CacheFolder& folder, const std::string& name,
                          const ScanSteps& steps, const std::stop_token& stop) {
  // A process that has ended its part, or died, between two looks.
  constexpr int kFreeLooks = 3;
  CacheDescriptor part;
  for (int free = 0; !part && free < kFreeLooks;) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "interrupted");
    if (UseKept(folder, name, steps)) return ScanUse::kFound;
    part = folder.BeginPart(name);
    if (!part && !folder.IsPartLocked(name)) ++free;
  }
  // Another process may have published between the look and the lock.
  if (part && UseKept(folder, name, steps)) {
    folder.RemovePart(name);
    return ScanUse::kFound;
  }
  auto scanned = steps.scan();
  const bool is_kept =
      part && scanned.ok() && Write(folder, part, name, *scanned);
  if (part && !is_kept) folder.RemovePart(name);
  SHARDINE_RETURN_IF_ERROR(scanned.status());
  return is_kept ? ScanUse::kKept : ScanUse::kNotKept;
}

bool IsSoundScan(const CacheFolder& folder, const std::string& name) {
  const CacheDescriptor file = folder.Find(name);
  return !file || ReadSealed(file, MostOf(folder)).has_value();
}

}  // namespace shardine
