#include "tfrecord/tfrecord_format.h"

#include <algorithm>

#include "base/status_macros.h"
#include "tfrecord/tfds_counts.h"
#include "tfrecord/tfds_metadata.h"
#include "tfrecord/tfrecord_framing.h"
#include "tfrecord/tfrecord_index.h"
#include "tfrecord/tfrecord_layout.h"
#include "tfrecord/tfrecord_scanner.h"
#include "tfrecord/tfrecord_writer.h"

namespace shardine {
namespace {

bool IsLabelOffset(std::string_view value) {
  return value == "0" || value == "1";
}

constexpr LayoutParameter kImagenetParameters[] = {
    {.name = kLabelOffset,
     .default_value = "0",
     .values = "0 or 1",
     .is_valid = IsLabelOffset},
};

constexpr LayoutParameter kTfdsParameters[] = {
    {.name = kMetadataParameter,
     .default_value = kNoMetadata,
     .values = "none or tfds",
     .is_valid = IsOneOf<kNoMetadata, kTfdsMetadata>,
     .said_by_default = false},
};

constexpr ImageKind kTensorFlowUnread[] = {ImageKind::kWebp, ImageKind::kTiff};
constexpr ImageReader kTensorFlowReader = {.name = "TensorFlow's decode_image",
                                           .unread = kTensorFlowUnread};

constexpr Layout kLayouts[] = {
    {.name = kImagenetLayout,
     .limits = {.label_type = LabelType::kInt64,
                .max_labels = kMaxTfRecordLabels,
                .ids = true,
                .keys = true,
                .fields = true,
                .array_image = true,
                .max_payload = kMaxTfRecordPayload},
     .companion_suffix = ".idx",
     .parameters = kImagenetParameters,
     .has_roles = true,
     .reader = kTensorFlowReader},
    {.name = kTfdsLayout,
     .limits = {.label_type = LabelType::kInt64,
                .max_labels = 1,
                .keys = true,
                .fields = true,
                .array_image = true,
                .max_payload = kMaxTfRecordPayload},
     .companion_suffix = ".idx",
     .parameters = kTfdsParameters,
     .has_roles = true,
     .reader = kTensorFlowReader},
};

constexpr std::string_view kReadSuffixes[] = {".tfrecords", ".tfrecord.gz",
                                              ".tfrecord.zlib"};

// An empty file is a TFRecord file without records.
bool Probe(ByteView head) {
  if (head.empty()) return true;
  const Compression compression = TfRecordCompression(head);
  if (compression == Compression::kNone) return BeginsWithRecord(head);
  const ByteBuffer plain = DecompressHead(compression, head, kTfRecordHeader);
  return BeginsWithRecord(plain.view());
}

Result<LayoutChoice> DetectLayout(const RandomAccessFile& file) {
  SHARDINE_ASSIGN_OR_RETURN(const std::string_view name,
                            DetectTfRecordLayout(file));
  return DefaultsOf(*std::ranges::find(kLayouts, name, &Layout::name));
}

Status CheckCompanion(ReadableStorage& storage, const ShardPaths& paths,
                      std::span<const std::uint64_t> record_offsets,
                      std::span<const std::uint64_t> /*ids*/) {
  SHARDINE_ASSIGN_OR_RETURN(const FileInfo shard, storage.Stat(paths.shard));
  return CheckTfRecordIndex(storage, paths.companion, record_offsets,
                            shard.size);
}

}  // namespace

constexpr Format kTfRecordFormat = {.name = "tfrecord",
                                    .suffix = ".tfrecord",
                                    .read_suffixes = kReadSuffixes,
                                    .layouts = kLayouts,
                                    .probe = Probe,
                                    .detect_layout = DetectLayout,
                                    .open_scanner = OpenTfRecordScanner,
                                    .create_writer = CreateTfRecordWriter,
                                    .check_companion = CheckCompanion,
                                    .write_metadata = WriteTfdsMetadata,
                                    .count_files = kTfRecordCountFiles,
                                    .native_index_of = TfRecordIndexOf};

}  // namespace shardine
