#include "dataset/shard_scan.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <system_error>

#include "base/sized_text.h"
#include "dataset/index_walk.h"
#include "io/storage_for.h"
#include "shardine/version.h"

namespace shardine {
namespace {

constexpr std::string_view kMagic = "shardine-scan 1\n";

// File systems write times in ticks of up to two seconds: two changes within
// one leave the same time.
constexpr std::chrono::seconds kTick{2};

bool IsSettled(std::int64_t mtime_ns) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::nanoseconds(mtime_ns) < now - kTick;
}

Status AddEntries(
    const ShardIndex& index, bool has_ids, ShardScan& scan,
    const std::function<void(const IndexEntry&, const std::string& key)>&
        add_names) {
  return WalkIndex(index, [&](std::uint64_t, const IndexEntry& entry,
                              const std::string& key) {
    scan.Add(entry);
    if (has_ids) scan.ids.push_back(entry.id);
    add_names(entry, key);
    return Status();
  });
}

bool ReadWarnings(ByteCursor& cursor, std::vector<std::string>& warnings) {
  std::uint32_t count = 0;
  if (!cursor.Read(count)) return false;
  for (std::string warning; count > 0; --count) {
    if (!ReadSized(cursor, warning)) return false;
    warnings.push_back(warning);
  }
  return true;
}

}  // namespace

Status AddSidecar(const ShardIndex& index, ShardScan& scan) {
  scan.use = ScanUse::kFound;
  return AddEntries(index, true, scan,
                    [&](const IndexEntry& entry, const std::string& key) {
                      ScannedSample named;
                      named.key = key;
                      named.labels = entry.labels;
                      scan.classes.Add(named);
                    });
}

void ShardScan::Add(const IndexEntry& entry) {
  ++samples;
  nowhere.Add(entry);
  images.Add(entry);
  AddKind(UndecodedKindOf(entry), 1, undecoded);
}

std::string ShardStamp(const std::string& path, const FileInfo& info,
                       const std::string& layout) {
  // A file of a server or of memory has no such path here.
  const auto storage = StorageFor(path);
  if (!storage.ok()) return {};
  const auto local = (*storage)->Stat(path);
  if (!local.ok() || !IsSameFile(*local, info) || !IsSettled(info.mtime_ns)) {
    return {};
  }
  std::error_code failed;
  const auto absolute = std::filesystem::absolute(path, failed);
  if (failed) return {};
  std::string stamp;
  AppendSized(absolute.lexically_normal().string(), stamp);
  AppendLe(info.size, stamp);
  AppendLe(info.mtime_ns, stamp);
  AppendLe(info.inode, stamp);
  AppendSized(layout, stamp);
  AppendSized(Version(), stamp);
  return stamp;
}

std::string EncodeScan(const std::string& stamp, const ShardScan& scan,
                       const std::string& sidecar) {
  std::string bytes(kMagic);
  AppendSized(stamp, bytes);
  AppendLe(std::uint8_t{scan.all_have_ids()}, bytes);
  scan.classes.Save(bytes);
  scan.texts.Save(bytes);
  AppendLe(static_cast<std::uint32_t>(scan.warnings.size()), bytes);
  for (const std::string& warning : scan.warnings) AppendSized(warning, bytes);
  bytes += sidecar;
  return bytes;
}

bool DecodeScan(ByteView bytes, const std::string& stamp,
                std::uint64_t shard_bytes, MemoryStorage& sidecars,
                const std::string& path, ShardScan& scan) {
  ByteCursor cursor(bytes);
  ByteView magic;
  std::string found;
  std::uint8_t has_ids = 0;
  if (!cursor.ReadBytes(kMagic.size(), magic) || AsText(magic) != kMagic ||
      !ReadSized(cursor, found) || found != stamp || !cursor.Read(has_ids) ||
      !scan.classes.Load(cursor) || !scan.texts.Load(cursor) ||
      !ReadWarnings(cursor, scan.warnings)) {
    return false;
  }
  sidecars.Put(path, std::string(AsText(bytes.subspan(cursor.position()))));
  // Extents are compared with the length of the shard.
  const auto index = ShardIndex::Open(sidecars, path);
  if (!index.ok() || (*index)->binding().shard_bytes != shard_bytes ||
      !AddEntries(**index, has_ids != 0, scan, [](auto&...) {}).ok()) {
    return false;
  }
  scan.use = ScanUse::kFound;
  return true;
}

}  // namespace shardine
