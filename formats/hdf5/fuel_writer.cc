#include "hdf5/fuel_writer.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "hdf5/fuel_column.h"
#include "hdf5/fuel_names.h"
#include "hdf5/fuel_split.h"
#include "hdf5/growing_dataset.h"
#include "shard/dtype.h"

namespace shardine {
namespace {

// Rows, or bytes of keys, are held until they are written together. The rows
// are as many as a chunk has.
constexpr std::uint64_t kBatchRows = 256;
constexpr std::size_t kBatchKeyBytes = std::size_t{1} << 20;
// Each field keeps a dataset open, with a chunk of it in memory.
constexpr std::size_t kMaxFields = 1000;
constexpr std::size_t kMaxRank = 64;

// The names of a file's images and labels.
struct FuelNames {
  std::string images;
  std::string labels;
};

// Is `name` found before `own`, or is it that one?
template <std::size_t n>
bool IsBefore(const std::array<std::string_view, n>& names,
              std::string_view name, std::string_view own) {
  const auto at = std::ranges::find(names, name);
  return at != names.end() && at <= std::ranges::find(names, own);
}

bool IsName(std::string_view name, const FuelNames& names) {
  if (name == kFuelKeys || IsBefore(kImageNames, name, names.images) ||
      IsBefore(kLabelNames, name, names.labels)) {
    return false;
  }
  for (const std::string_view suffix :
       {kFuelShapeSuffix, kFuelPresentSuffix, kFuelBytesSuffix}) {
    if (name.ends_with(suffix)) return false;
  }
  return !name.empty() && name != "." && name.size() <= 1000 &&
         name.find('\0') == name.npos;
}

// Can a column hold the field?
Status CheckField(const FieldView& field, const FuelNames& names) {
  const std::string quoted = "\"" + std::string(field.name) + "\"";
  if (field.name == kImageField && field.dtype != kBytesDtype) {
    return Status(Code::kUnsupported,
                  "hdf5/fuel holds an image of plain bytes; hdf5/array holds "
                  "one that is an array");
  }
  if (field.name != kImageField && !IsName(field.name, names)) {
    return Status(Code::kUnsupported,
                  "hdf5/fuel has no field of the name " + quoted);
  }
  const bool plain = field.dtype == kBytesDtype && field.shape.empty();
  const auto dtype = ParseDtype(field.dtype);
  if (!plain && !dtype) {
    return Status(Code::kUnsupported, "hdf5/fuel has no field of the type " +
                                          std::string(field.dtype) +
                                          ", which field " + quoted + " has");
  }
  SHARDINE_RETURN_IF_ERROR(
      CheckFieldType(field.name, field.dtype, field.shape, field.bytes.size()));
  std::uint64_t elements = field.bytes.size();
  if (dtype) elements /= dtype->size;
  if (elements > kFuelMaxPayload || field.shape.size() > kMaxRank) {
    return Status(Code::kUnsupported,
                  "field " + quoted +
                      " is larger than hdf5/fuel holds: 2^32 "
                      "- 1 elements, 64 axes");
  }
  return {};
}

class FuelWriter : public ShardWriter {
 public:
  FuelWriter(std::unique_ptr<Hdf5Output> output, std::string split,
             FuelNames names)
      : output_(std::move(output)),
        split_(std::move(split)),
        names_(std::move(names)) {}

  ~FuelWriter() override {
    const Hdf5Lock lock;
    // Members are destroyed after the lock is given back, when the library may
    // be in another thread's hands.
    CloseAll();
  }

  Status Start() {
    const Hdf5Lock lock;
    // These are there even in a file without samples. Readers look for their
    // names first, so a field named "images" stays a field.
    SHARDINE_ASSIGN_OR_RETURN(
        auto images,
        FuelColumn::Create(*output_, names_.images, std::nullopt, 0, 0));
    columns_.emplace(names_.images, std::move(images));
    SHARDINE_ASSIGN_OR_RETURN(
        targets_, GrowingDataset::Create(*output_, names_.labels,
                                         MakeHdf5Type({'i', 8}), {.row = {1}}));
    SHARDINE_ASSIGN_OR_RETURN(
        keys_, VlenDataset::CreateStrings(*output_, std::string(kFuelKeys)));
    return {};
  }

  Status Append(const SampleView& sample) override {
    Status status = Check(sample);
    if (status.ok()) status = AppendRow(sample);
    return std::move(status).At({.key = std::string(sample.key)});
  }

  Result<ShardSummary> Finish() override {
    {
      const Hdf5Lock lock;
      SHARDINE_RETURN_IF_ERROR(Flush());
      // The split says how many rows each dataset has, so it comes last.
      std::vector<std::string> sources;
      for (const auto& [name, column] : columns_) sources.push_back(name);
      sources.push_back(names_.labels);
      sources.emplace_back(kFuelKeys);
      SHARDINE_RETURN_IF_ERROR(
          WriteSplit(*output_, sources,
                     {names_.images, std::string(kFuelKeys), names_.labels},
                     {split_, rows_}));
      CloseAll();
    }
    SHARDINE_ASSIGN_OR_RETURN(const std::uint64_t bytes, output_->Finish());
    return ShardSummary{rows_, bytes};
  }

 private:
  std::string NameOf(const FieldView& field) const {
    return field.name == kImageField ? names_.images
                                     : DatasetNameOf(field.name);
  }

  // All checks come before the first write, so that a refused sample leaves no
  // part of a row.
  Status Check(const SampleView& sample) const {
    if (sample.labels.size() > 1) {
      return Status(Code::kUnsupported,
                    "hdf5/fuel holds one label, not " +
                        std::to_string(sample.labels.size()));
    }
    if (sample.labels.size() == 1 && TargetOf(sample) == kNoTarget) {
      return Status(Code::kUnsupported,
                    "hdf5/fuel holds no label of -2^63, which stands for none");
    }
    std::size_t added = 0;
    for (const FieldView& field : sample.fields) {
      SHARDINE_RETURN_IF_ERROR(CheckField(field, names_));
      const auto column = columns_.find(NameOf(field));
      if (column == columns_.end()) {
        ++added;
      } else if (column->second.dtype() != ParseDtype(field.dtype)) {
        return Status(
            Code::kUnsupported,
            "field \"" + std::string(field.name) + "\" has type " +
                std::string(field.dtype) +
                " here and another in earlier samples: hdf5/fuel holds "
                "one type per field");
      }
    }
    if (columns_.size() + added <= kMaxFields) return {};
    return Status(Code::kUnsupported,
                  "more than " + std::to_string(kMaxFields) +
                      " different fields in a hdf5/fuel file");
  }

  static std::int64_t TargetOf(const SampleView& sample) {
    if (sample.labels.empty()) return kNoTarget;
    return RoundToLabelType(sample.labels[0], LabelType::kInt64).integer();
  }

  Status AppendRow(const SampleView& sample) {
    const Hdf5Lock lock;
    for (const FieldView& field : sample.fields) {
      auto column = columns_.find(NameOf(field));
      if (column == columns_.end()) {
        SHARDINE_ASSIGN_OR_RETURN(
            auto created,
            FuelColumn::Create(*output_, NameOf(field), ParseDtype(field.dtype),
                               rows_, batch_first_));
        column = columns_.emplace(NameOf(field), std::move(created)).first;
      }
      SHARDINE_RETURN_IF_ERROR(column->second.Append(rows_, field));
    }
    held_targets_.push_back(TargetOf(sample));
    SHARDINE_RETURN_IF_ERROR(HoldKey(sample.key));
    ++rows_;
    if (rows_ - batch_first_ == kBatchRows ||
        held_keys_.size() > kBatchKeyBytes) {
      return Flush();
    }
    return {};
  }

  Status HoldKey(std::string_view key) {
    // Starts are kept, not pointers: held_keys_ moves as it grows.
    key_starts_.push_back(held_keys_.size());
    held_keys_.append(key);
    held_keys_ += '\0';
    if (key.find('\0') == key.npos) return {};
    if (!whole_keys_) {
      SHARDINE_ASSIGN_OR_RETURN(
          whole_keys_,
          VlenDataset::Create(
              *output_, std::string(kFuelKeys) + std::string(kFuelBytesSuffix),
              MakeHdf5Type({'u', 1}), 1));
    }
    // The rows before this one get empty keys.
    if (whole_keys_->rows() < rows_) {
      SHARDINE_RETURN_IF_ERROR(whole_keys_->ExtendTo(rows_));
    }
    const ByteView bytes = AsBytes(key);
    return whole_keys_->Append({&bytes, 1});
  }

  Status Flush() {
    for (auto& [name, column] : columns_) {
      SHARDINE_RETURN_IF_ERROR(column.Flush(rows_));
    }
    if (whole_keys_) SHARDINE_RETURN_IF_ERROR(whole_keys_->ExtendTo(rows_));
    SHARDINE_RETURN_IF_ERROR(targets_->Append(
        H5T_NATIVE_INT64, held_targets_.size(), held_targets_.data()));
    std::vector<const char*> keys;
    for (const std::size_t start : key_starts_) {
      keys.push_back(held_keys_.data() + start);
    }
    SHARDINE_RETURN_IF_ERROR(keys_->AppendStrings(keys));
    held_targets_.clear();
    held_keys_.clear();
    key_starts_.clear();
    batch_first_ = rows_;
    return {};
  }

  void CloseAll() {
    columns_.clear();
    targets_.reset();
    keys_.reset();
    whole_keys_.reset();
  }

  std::unique_ptr<Hdf5Output> output_;
  const std::string split_;
  const FuelNames names_;
  std::map<std::string, FuelColumn, std::less<>> columns_;
  std::optional<GrowingDataset> targets_;
  std::optional<VlenDataset> keys_;
  // Keys with a NUL inside, which would end them in keys_.
  std::optional<VlenDataset> whole_keys_;
  std::uint64_t rows_ = 0;
  std::uint64_t batch_first_ = 0;
  std::vector<std::int64_t> held_targets_;
  std::string held_keys_;
  std::vector<std::size_t> key_starts_;
};

}  // namespace

Result<std::unique_ptr<ShardWriter>> CreateFuelWriter(
    Storage& storage, const ShardPaths& paths, const LayoutChoice& layout) {
  SHARDINE_ASSIGN_OR_RETURN(auto output,
                            Hdf5Output::Create(storage, paths.shard));
  // The attribute has to name one. A NUL would end the name.
  const std::string split = paths.split.substr(0, paths.split.find('\0'));
  auto writer = std::make_unique<FuelWriter>(
      std::move(output), split.empty() ? "train" : split,
      FuelNames{std::string(layout.value(kImagesParameter)),
                std::string(layout.value(kLabelsParameter))});
  SHARDINE_RETURN_IF_ERROR(writer->Start());
  return std::unique_ptr<ShardWriter>(std::move(writer));
}

}  // namespace shardine
