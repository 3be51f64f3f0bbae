#include "dataset/shard_scan.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <string>

#include "dataset/index_entry.h"
#include "io/local_storage.h"
#include "support/temp_directory.h"

namespace shardine::shard_scan_test {
namespace {

constexpr std::uint64_t kShardBytes = 4096;

struct Made {
  ShardScan scan;
  std::string sidecar;
};

// Three samples of two classes, with a text each.
Made MakeScan() {
  Made made;
  MemoryStorage storage;
  ShardIndexWriter writer;
  for (std::uint64_t i = 0; i < 3; ++i) {
    const Label label(static_cast<std::int64_t>(i % 2));
    const Extent extent{100 * i, 5};
    const std::string text = "five" + std::to_string(i);
    const ScannedField field{.name = "text",
                             .dtype = kBytesDtype,
                             .shape = {},
                             .bytes = AsBytes(text),
                             .extents = {&extent, 1},
                             .is_text = true};
    const std::string name = i % 2 == 0 ? "cat" : "dog";
    const ScannedSample sample{.record = i,
                               .id = 7 + i,
                               .key = "key",
                               .labels = {&label, 1},
                               .fields = {&field, 1},
                               .class_name = name};
    made.scan.ids.push_back(7 + i);
    made.scan.classes.Add(sample);
    made.scan.texts.Add(sample);
    const IndexEntry entry = MakeIndexEntry(sample, 7 + i, sample.labels);
    made.scan.Add(entry);
    writer.Add(entry, "key");
  }
  auto file = AtomicFile::Create(storage, "x.sdx");
  REQUIRE(file.ok());
  IndexBinding binding;
  binding.shard_bytes = kShardBytes;
  REQUIRE(writer.WriteTo(*file, binding).ok());
  REQUIRE(file->PublishUnsynced().ok());
  made.sidecar = *storage.Get("x.sdx");
  return made;
}

bool Decodes(const std::string& bytes, const std::string& stamp, ShardScan& to,
             std::uint64_t shard_bytes = kShardBytes) {
  MemoryStorage sidecars;
  return DecodeScan(AsBytes(bytes), stamp, shard_bytes, sidecars, "0.sdx", to);
}

TEST_CASE("A kept scan comes back as it was", "[shard_scan]") {
  const Made made = MakeScan();
  const std::string bytes = EncodeScan("stamp", made.scan, made.sidecar);
  ShardScan back;
  REQUIRE(Decodes(bytes, "stamp", back));
  CHECK(back.samples == 3);
  CHECK(back.ids == made.scan.ids);
  CHECK(back.classes.Classes() == made.scan.classes.Classes());
  CHECK(back.classes.Classes()->size() == 2);
  CHECK(back.texts.names() == std::vector<std::string>{"text"});
  CHECK(back.images.Warnings() == made.scan.images.Warnings());
  CHECK(back.use == ScanUse::kFound);
}

TEST_CASE("A kept scan of another shard is refused", "[shard_scan]") {
  const Made made = MakeScan();
  const std::string bytes = EncodeScan("stamp", made.scan, made.sidecar);
  ShardScan back;
  CHECK_FALSE(Decodes(bytes, "other", back));
  // Its extents would point beyond the file.
  CHECK_FALSE(Decodes(bytes, "stamp", back, 150));
}

TEST_CASE("A crafted kept scan is refused or within the shard",
          "[shard_scan]") {
  const Made made = MakeScan();
  const std::string bytes = EncodeScan("stamp", made.scan, made.sidecar);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ShardScan back;
    if (Decodes(bytes.substr(0, size), "stamp", back)) FAIL("cut at " << size);
  }
  // Numbers of the head, each made as large as can be.
  const std::size_t head = bytes.size() - made.sidecar.size();
  for (std::size_t at = 0; at < head; ++at) {
    std::string crafted = bytes;
    crafted[at] = '\xff';
    ShardScan back;
    if (Decodes(crafted, "stamp", back)) CHECK(back.samples == 3);
  }
}

TEST_CASE("A stamp is of one state of one local file", "[shard_scan]") {
  const TempDirectory directory;
  const std::string path = directory / "x.rec";
  std::ofstream(path) << "x";
  auto info = LocalStorage().Stat(path);
  REQUIRE(info.ok());
  // It may change again within the tick of its file system's clock.
  CHECK(ShardStamp(path, *info, "recordio").empty());
  FileInfo old = *info;
  old.mtime_ns -= std::int64_t{100} * 1'000'000'000;
  const std::string stamp = ShardStamp(path, old, "recordio");
  CHECK_FALSE(stamp.empty());
  CHECK(stamp == ShardStamp(directory / "./x.rec", old, "recordio"));
  CHECK(stamp != ShardStamp(path, old, "tfrecord"));
  FileInfo other = old;
  --other.mtime_ns;
  CHECK(stamp != ShardStamp(path, other, "recordio"));
  other = old;
  ++other.size;
  CHECK(stamp != ShardStamp(path, other, "recordio"));
  ++other.inode;
  CHECK(ShardStamp(path, other, "recordio").empty());
}

}  // namespace
}  // namespace shardine::shard_scan_test
