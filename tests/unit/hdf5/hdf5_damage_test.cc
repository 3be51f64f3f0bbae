// A small shard, each 16th bit flipped and cut at many lengths: the process
// that parses it may fail, ours and the next file may not.
#include <map>

#include "hdf5/fuel_writer.h"
#include "hdf5/hdf5_format.h"
#include "support/sanitized.h"
#include "unit/hdf5/scanned_rows.h"

namespace shardine::hdf5_damage_test {
namespace {

// Images of about `bytes` in all, a field of two axes, labels and keys.
std::string MakeShard(std::size_t bytes) {
  MemoryStorage storage;
  const auto writer =
      kHdf5Format.create_writer(storage, {.shard = "x.h5", .companion = {}},
                                {DefaultsOf(kHdf5Format.layouts[0])});
  REQUIRE(writer.ok());
  for (std::size_t i = 0, total = 0; total < bytes; ++i) {
    const std::string image(200 + 317 * i % 3000, static_cast<char>('a' + i));
    const std::string points(48, static_cast<char>(i));
    const std::uint64_t shape[] = {2, 3};
    const FieldView fields[] = {{.name = kImageField, .bytes = AsBytes(image)},
                                {.name = "points",
                                 .dtype = "<f8",
                                 .shape = shape,
                                 .bytes = AsBytes(points)}};
    const Label label(static_cast<std::int64_t>(i));
    const std::string key = "n" + std::to_string(i) + "/image.jpg";
    REQUIRE(
        (*writer)
            ->Append(
                {.id = i, .key = key, .labels = {&label, 1}, .fields = fields})
            .ok());
    total += image.size();
  }
  REQUIRE((*writer)->Finish().ok());
  return *storage.Get("x.h5");
}

bool Same(const ScannedRow& a, const ScannedRow& b) {
  if (a.key != b.key || !(a.labels == b.labels) ||
      a.fields.size() != b.fields.size()) {
    return false;
  }
  for (std::size_t i = 0; i < a.fields.size(); ++i) {
    if (a.fields[i].bytes != b.fields[i].bytes ||
        a.fields[i].shape != b.fields[i].shape ||
        a.fields[i].name != b.fields[i].name) {
      return false;
    }
  }
  return true;
}

std::vector<ScannedRow> Scan(const std::string& contents, Status& status) {
  MemoryStorage storage;
  storage.Put("x.h5", contents);
  const auto file = storage.Open("x.h5");
  REQUIRE(file.ok());
  // libhdf5 has loops that end only with this.
  static SandboxPool pool({.patience = std::chrono::seconds(2)});
  return ScanRows(**file, status, pool);
}

TEST_CASE("Hdf5Scanner survives any flipped bit of a shard",
          "[hdf5][corruption]") {
  const std::string shard = MakeShard(48 << 10);
  Status status;
  const auto intact = Scan(shard, status);
  REQUIRE(status.ok());
  REQUIRE(intact.size() > 20);
  std::map<std::string, int> found;
  for (std::size_t bit = 0; bit < 8 * shard.size();
       bit += kSanitized ? 1141 : 163) {
    std::string damaged = shard;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    const auto rows = Scan(damaged, status);
    INFO("bit " << bit << ": " << status.ToString());
    if (!status.ok()) {
      REQUIRE((status.code() == Code::kCorrupt ||
               status.code() == Code::kUnsupported));
      REQUIRE(status.where().path == "x.h5");
      ++found["reported"];
      continue;
    }
    bool same = rows.size() == intact.size();
    for (std::size_t i = 0; same && i < rows.size(); ++i) {
      same = Same(rows[i], intact[i]);
    }
    ++found[same ? "harmless" : "seen with checksums alone"];
  }
  CHECK(found["reported"] > 0);
}

TEST_CASE("Hdf5Scanner finds no more than the samples of a cut shard",
          "[hdf5][corruption]") {
  const std::string shard = MakeShard(16 << 10);
  for (std::size_t size = 0; size < shard.size(); size += 37) {
    Status status;
    const auto rows = Scan(shard.substr(0, size), status);
    INFO("cut at " << size);
    CHECK(status.code() == Code::kCorrupt);
    CHECK(rows.empty());
  }
}

TEST_CASE("Hdf5Scanner survives bytes that libhdf5 takes for lengths",
          "[hdf5][corruption]") {
  const std::string shard = MakeShard(2 << 10);
  for (const char value : {'\0', '\x7f', '\xff'}) {
    for (std::size_t at = 0; at + 8 <= shard.size();
         at += kSanitized ? 200 : 40) {
      std::string damaged = shard;
      damaged.replace(at, 8, 8, value);
      Status status;
      Scan(damaged, status);
      INFO("at " << at << ": " << status.ToString());
      CHECK((status.ok() || status.code() == Code::kCorrupt ||
             status.code() == Code::kUnsupported));
    }
  }
}

}  // namespace
}  // namespace shardine::hdf5_damage_test
