#include "recordio/recordio_format.h"

#include "recordio/irheader.h"
#include "recordio/joined_index.h"
#include "recordio/recordio_framing.h"
#include "recordio/recordio_index.h"
#include "recordio/recordio_scanner.h"
#include "recordio/recordio_writer.h"

namespace shardine {
namespace {

constexpr std::uint64_t kMaxContent = kRecordIoRecordLimit - 1 - kIrHeaderBytes;

constexpr LayoutParameter kParameters[] = {
    {.name = kMetadataParameter,
     .default_value = kNoMetadata,
     .values = "none or joined-index",
     .is_valid = IsOneOf<kNoMetadata, kJoinedIndex>,
     .said_by_default = false},
};

constexpr Layout kLayouts[] = {
    {.name = "mxnet",
     .limits = {.label_type = LabelType::kFloat32,
                .max_labels = kMaxContent / sizeof(float),
                .ids = true,
                .needs_image = true,
                .max_payload = kMaxContent},
     .companion_suffix = ".idx",
     .companion_beside = true,
     .parameters = kParameters,
     .reader = kOpenCvReader},
};

// An empty file is a RecordIO file without records.
bool Probe(ByteView head) {
  if (head.empty()) return true;
  if (head.size() < kRecordIoPartHeader) return false;
  const auto part =
      static_cast<RecordIoPart>(LoadLe<std::uint32_t>(head.data() + 4) >> 29);
  return LoadLe<std::uint32_t>(head.data()) == kRecordIoMagic &&
         (part == RecordIoPart::kWhole || part == RecordIoPart::kFirst);
}

Status CheckCompanion(ReadableStorage& storage, const ShardPaths& paths,
                      std::span<const std::uint64_t> record_offsets,
                      std::span<const std::uint64_t> ids) {
  return CheckIdx(storage, paths.companion, record_offsets, ids);
}

}  // namespace

constexpr Format kRecordIoFormat = {.name = "recordio",
                                    .suffix = ".rec",
                                    .layouts = kLayouts,
                                    .probe = Probe,
                                    .open_scanner = OpenRecordIoScanner,
                                    .create_writer = CreateRecordIoWriter,
                                    .check_companion = CheckCompanion,
                                    .read_companion_ids = ReadIdxKeys,
                                    .write_metadata = WriteJoinedIndex,
                                    .native_index_of = IdxOf,
                                    .list_records = ListIdx,
                                    .read_head = ReadRecordIoHead};

}  // namespace shardine
