#include "hdf5/hdf5_format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "base/status_macros.h"
#include "hdf5/array_writer.h"
#include "hdf5/caffe_source_list.h"
#include "hdf5/fuel_names.h"
#include "hdf5/fuel_writer.h"
#include "hdf5/hdf5_scanner.h"

namespace shardine {
namespace {

constexpr std::uint64_t kMaxChunkRows = 1'000'000;
// A chunk, of which a row is a part, is shorter than 4 GiB.
constexpr std::uint64_t kMaxArray = 0xffffffff;

// A value has one spelling, so a leading zero is refused.
bool IsChunk(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() &&
         value >= 1 && value <= kMaxChunkRows && text[0] != '0';
}

bool IsSplit(std::string_view text) {
  return !text.empty() && text.find('\0') == text.npos;
}

// Older datasets' manifests do not name it.
constexpr LayoutParameter kSplit = {
    .name = kSplitParameter,
    .default_value = kAllSplits,
    .values = "the name of a split in the file, or * for all of its rows",
    .is_valid = IsSplit,
    .said_by_default = false,
    .for_reading = true};

template <std::size_t n>
bool IsAmong(const std::array<std::string_view, n>& names,
             std::string_view text) {
  return std::ranges::find(names, text) != names.end();
}

// Images and labels are found again under these names alone.
constexpr LayoutParameter ImagesParameter(std::string_view name) {
  return {.name = kImagesParameter,
          .default_value = name,
          .values = "encoded_images, image_bytes, imgs, images, image or data",
          .is_valid =
              [](std::string_view text) { return IsAmong(kImageNames, text); },
          .said_by_default = false,
          .of_foreign = kAsFound};
}
constexpr LayoutParameter LabelsParameter(std::string_view name) {
  return {.name = kLabelsParameter,
          .default_value = name,
          .values = "targets, labels, label or target",
          .is_valid =
              [](std::string_view text) { return IsAmong(kLabelNames, text); },
          .said_by_default = false,
          .of_foreign = kAsFound};
}

constexpr LayoutParameter kFuelParameters[] = {
    ImagesParameter(kFuelImages), LabelsParameter(kFuelTargets), kSplit};
// The layer reads names up to the next blank.
bool IsFolder(std::string_view text) {
  return !text.empty() &&
         std::ranges::none_of(text, [](unsigned char c) { return c <= ' '; });
}

constexpr LayoutParameter kCaffeParameters[] = {
    {.name = kFolderParameter,
     .default_value = kNoFolder,
     .values = "the folder that the source list names the shard in, without "
               "blanks, or . for its name alone",
     .is_valid = IsFolder,
     .said_by_default = false},
    kSplit};
constexpr LayoutParameter kArrayParameters[] = {
    {.name = "chunk",
     .default_value = "500",
     .values = "1 to 1000000 samples",
     .is_valid = IsChunk},
    ImagesParameter("imgs"),
    LabelsParameter("labels"),
    kSplit};

constexpr Layout kLayouts[] = {
    {.name = "fuel",
     .limits = {.label_type = LabelType::kInt64,
                .max_labels = 1,
                .keys = true,
                .fields = true,
                .max_payload = kFuelMaxPayload},
     .parameters = kFuelParameters,
     .has_roles = true},
    {.name = "array",
     .limits = {.label_type = LabelType::kInt64,
                .max_labels = 1,
                .encoded_image = false,
                .array_image = true,
                .needs_image = true,
                .max_payload = kMaxArray},
     .parameters = kArrayParameters,
     .has_roles = true},
    {.name = "caffe",
     .limits = {.label_type = LabelType::kFloat32,
                .max_labels = 1,
                .encoded_image = false,
                .array_image = true,
                .needs_image = true,
                .max_payload = kMaxArray},
     .companion_suffix = ".txt",
     .companion_beside = true,
     .parameters = kCaffeParameters,
     .has_roles = true},
};

constexpr std::string_view kReadSuffixes[] = {".hdf5"};

// The signature is at 0 or after a user block of 512 bytes times a power of
// two.
bool Probe(ByteView head) {
  constexpr std::string_view kSignature("\x89HDF\r\n\x1a\n", 8);
  const std::string_view text = AsText(head);
  for (std::size_t at = 0; at < text.size(); at = at == 0 ? 512 : 2 * at) {
    if (text.substr(at).starts_with(kSignature)) return true;
  }
  return false;
}

// Where the layout has it, and the file says it.
void SetParameter(std::string_view name, const std::string& value,
                  LayoutChoice& choice) {
  for (std::size_t i = 0; i < choice.values.size(); ++i) {
    const LayoutParameter& parameter = choice.layout->parameters[i];
    if (parameter.name == name && parameter.is_valid(value)) {
      choice.values[i] = value;
    }
  }
}

Result<LayoutChoice> DetectLayout(const RandomAccessFile& file) {
  SHARDINE_ASSIGN_OR_RETURN(const Hdf5LayoutFacts facts,
                            DetectHdf5Layout(file, SandboxPool::Global()));
  for (const Layout& layout : kLayouts) {
    if (layout.name != facts.layout) continue;
    LayoutChoice choice = DefaultsOf(layout);
    const std::string rows = std::to_string(facts.chunk_rows);
    // Other programs make chunks of more rows than the parameter takes. Such a
    // file keeps the default, which a reader does not look at.
    if (layout.name == "array" && IsChunk(rows)) choice.values[0] = rows;
    SetParameter(kImagesParameter, facts.images, choice);
    SetParameter(kLabelsParameter, facts.labels, choice);
    return choice;
  }
  return DefaultsOf(kLayouts[0]);
}

Result<std::unique_ptr<ShardScanner>> OpenScanner(const RandomAccessFile& file,
                                                  const LayoutChoice& layout) {
  return OpenHdf5Scanner(file, SandboxPool::Global(),
                         layout.value(kSplitParameter), layout.roles);
}

Result<std::unique_ptr<ShardWriter>> CreateWriter(Storage& storage,
                                                  const ShardPaths& paths,
                                                  const LayoutChoice& layout) {
  // A reader of the shard under this name would find no such split.
  if (layout.value(kSplitParameter) != kAllSplits) {
    return Status(Code::kInvalidArgument,
                  "split= picks rows of files that are read; shards are "
                  "written without it");
  }
  const std::string_view name = layout.layout->name;
  if (name == "array") return CreateBigGanWriter(storage, paths, layout);
  if (name == "caffe") return CreateCaffeWriter(storage, paths, layout);
  return CreateFuelWriter(storage, paths, layout);
}

Status CheckCompanion(ReadableStorage& storage, const ShardPaths& paths,
                      std::span<const std::uint64_t>,
                      std::span<const std::uint64_t>) {
  return CheckSourceList(storage, paths);
}

}  // namespace

constexpr Format kHdf5Format = {.name = "hdf5",
                                .suffix = ".h5",
                                .read_suffixes = kReadSuffixes,
                                .layouts = kLayouts,
                                .probe = Probe,
                                .detect_layout = DetectLayout,
                                .open_scanner = OpenScanner,
                                .create_writer = CreateWriter,
                                .check_companion = CheckCompanion,
                                .rename_companion = RenameSourceList};

}  // namespace shardine
