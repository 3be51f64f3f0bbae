#include "webdataset/webdataset_format.h"

#include "archive/tar_header.h"
#include "base/decompressor.h"
#include "webdataset/count_files.h"
#include "webdataset/sample_json.h"
#include "webdataset/sample_members.h"
#include "webdataset/timm_info.h"
#include "webdataset/webdataset_index.h"
#include "webdataset/webdataset_scanner.h"
#include "webdataset/webdataset_writer.h"

namespace shardine {
namespace {

constexpr LayoutParameter kParameters[] = {
    {.name = kMemberKeys,
     .default_value = kIdKeys,
     .values = "id or original",
     .is_valid = IsOneOf<kIdKeys, kOriginalKeys>,
     .said_by_default = false,
     .of_foreign = kOriginalKeys},
    {.name = kMetadataParameter,
     .default_value = kNoMetadata,
     .values = "none or timm",
     .is_valid = IsOneOf<kNoMetadata, kTimmMetadata>,
     .said_by_default = false},
};

constexpr Layout kLayouts[] = {
    {.name = "",
     .limits = {.label_type = LabelType::kExact,
                .max_labels = kMaxJsonLabels,
                .ids = true,
                .keys = true,
                .max_key = kMaxJsonKey,
                .fields = true,
                .array_image = true,
                .max_payload = kMaxWebDatasetPayload},
     .companion_suffix = ".idx",
     .parameters = kParameters,
     .has_roles = true},
};

constexpr std::string_view kReadSuffixes[] = {".tar.gz", ".tgz", ".tar.zst"};

// An archive without files is zeros, which could be anything: its suffix must
// identify it.
bool Probe(ByteView head) {
  if (BeginsWithTarHeader(head)) return true;
  const Compression compression = SniffCompression(head);
  if (compression != Compression::kGzip && compression != Compression::kZstd) {
    return false;
  }
  return BeginsWithTarHeader(
      DecompressHead(compression, head, kTarBlock).view());
}

}  // namespace

constexpr Format kWebDatasetFormat = {.name = "webdataset",
                                      .suffix = ".tar",
                                      .read_suffixes = kReadSuffixes,
                                      .layouts = kLayouts,
                                      .probe = Probe,
                                      .open_scanner = OpenWebDatasetScanner,
                                      .create_writer = CreateWebDatasetWriter,
                                      .check_keys = CheckMemberKeys,
                                      .check_companion = CheckWdsIndex,
                                      .write_metadata = WriteTimmInfo,
                                      .count_files = kWebDatasetCountFiles,
                                      .native_index_of = WdsIndexOf};

}  // namespace shardine
