#include "support/forged_points.h"

#include <bit>

#include "base/status_macros.h"
#include "dataset/dataset_reader.h"
#include "dataset/dataset_summary.h"
#include "jpeg/entry_point_finder.h"
#include "jpeg/entry_points.h"
#include "jpeg/exp_golomb.h"
#include "shard/entry_point_file.h"

namespace shardine {
namespace {

// GolombWriter takes the numbers of sound points; here codes are as long as a
// reader puts up with.
class BitString {
 public:
  void Put(std::uint64_t number, std::uint32_t order) {
    const std::uint64_t code = number + (std::uint64_t{1} << order);
    const auto bits = static_cast<std::uint32_t>(std::bit_width(code));
    for (std::uint32_t i = order + 1; i < bits; ++i) Append(false);
    for (std::uint32_t i = bits; i-- > 0;) Append((code >> i & 1) != 0);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void Append(bool bit) {
    if (count_ % 8 == 0) bytes_ += '\0';
    if (bit) bytes_.back() |= static_cast<char>(0x80 >> count_ % 8);
    ++count_;
  }
  std::string bytes_;
  std::size_t count_ = 0;
};

// Distances with `step` more for each point than for the one above, or before
// it.
std::vector<std::uint64_t> Stepped(const Detour& detour, std::uint64_t step) {
  std::vector<std::uint64_t> distances(detour.points - 1);
  for (std::size_t i = 1; i < detour.points; ++i) {
    std::uint64_t& distance = distances[i - 1];
    if (i >= detour.per_row) {
      // Point 0 has the distance 0.
      distance =
          step + (i == detour.per_row ? 0 : distances[i - 1 - detour.per_row]);
    } else if (i == detour.leaves) {
      distance = detour.outside - detour.first_bit - (detour.leaves - 1);
    } else if (i <= detour.stays_until) {
      distance = 1;
    } else {
      distance = distances[i - 2] + step;
    }
  }
  return distances;
}

std::uint64_t Sum(const Detour& detour,
                  const std::vector<std::uint64_t>& distances) {
  std::uint64_t sum = detour.first_bit;
  for (const std::uint64_t distance : distances) sum += distance;
  return sum;
}

Status ForgeShard(Storage& storage, const DatasetReader& dataset,
                  const DatasetReader::ShardRef& ref,
                  const PointForger& forge) {
  SHARDINE_ASSIGN_OR_RETURN(const auto index, dataset.OpenIndex(ref));
  SHARDINE_ASSIGN_OR_RETURN(const auto points,
                            dataset.OpenEntryPoints(ref, *index));
  if (points == nullptr) return Status();
  EntryPointFileWriter writer(storage, points->path());
  std::vector<std::uint32_t> crcs;
  for (std::uint64_t record = 0; record < index->size(); ++record) {
    SHARDINE_ASSIGN_OR_RETURN(const auto entry, index->Entry(record));
    SHARDINE_ASSIGN_OR_RETURN(const std::string key, index->Key(record));
    ByteBuffer packed;
    SHARDINE_RETURN_IF_ERROR(points->Read(record, entry.payload_crc, packed));
    SHARDINE_RETURN_IF_ERROR(
        writer.Add(forge(key, std::string(AsText(packed.view())))));
    crcs.push_back(entry.payload_crc);
  }
  return writer.Publish(index->binding(), crcs);
}

}  // namespace

std::string PackDistances(const std::vector<std::uint64_t>& distances,
                          std::size_t per_row) {
  BitString codes;
  for (std::size_t i = 1; i <= distances.size(); ++i) {
    const std::size_t neighbour = i >= per_row ? i - per_row : i - 1;
    const std::uint64_t above = neighbour == 0 ? 0 : distances[neighbour - 1];
    codes.Put(FoldSign(static_cast<std::int64_t>(distances[i - 1] - above)),
              kMaxGolombOrder);
  }
  return static_cast<char>(kMaxGolombOrder << 4) + codes.bytes();
}

std::vector<std::uint64_t> DistancesOf(const Detour& detour) {
  const std::uint64_t none = Sum(detour, Stepped(detour, 0));
  const std::uint64_t each = Sum(detour, Stepped(detour, 1)) - none;
  // Once around: 2^64 more than there is without steps.
  const std::uint64_t around = detour.last_bit - none;
  auto distances = Stepped(detour, around / each);
  distances.back() += around % each;
  return distances;
}

std::string ShiftedPoints(ByteView jpeg, std::int16_t by) {
  JpegFrame frame;
  SegmentGrid grid;
  EntryPointFinder finder;
  std::vector<EntryPoint> points;
  if (!ReadJpegFrame(jpeg, frame)) return "";
  grid.Reset(frame);
  if (!finder.Find(jpeg, frame, grid, points)) return "";
  for (std::size_t i = 1; i < points.size(); ++i) {
    points[i].dc[0] = static_cast<std::int16_t>(points[i].dc[0] + by);
  }
  return PackEntryPoints(frame, grid, points);
}

Status ForgeEntryPoints(Storage& storage, const std::string& dataset,
                        const PointForger& forge) {
  SHARDINE_ASSIGN_OR_RETURN(const auto reader,
                            DatasetReader::Open(storage, dataset));
  for (const DatasetReader::ShardRef& ref : reader->shards()) {
    SHARDINE_RETURN_IF_ERROR(ForgeShard(storage, *reader, ref, forge));
  }
  Manifest manifest = reader->manifest();
  for (ManifestSplit& split : manifest.splits) {
    for (ManifestShard& shard : split.shards) {
      for (ManifestFile& file : shard.companions) {
        if (!file.path.ends_with(kEntryPointSuffix)) continue;
        SHARDINE_ASSIGN_OR_RETURN(file,
                                  DescribeFile(storage, dataset, file.path));
      }
    }
  }
  return WriteManifest(storage, dataset, manifest);
}

}  // namespace shardine
