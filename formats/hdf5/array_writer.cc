#include "hdf5/array_writer.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "hdf5/caffe_source_list.h"
#include "hdf5/dtype_name.h"
#include "hdf5/fuel_names.h"
#include "hdf5/growing_dataset.h"
#include "shard/dtype.h"

namespace shardine {
namespace {

constexpr std::uint64_t kCaffeChunkBytes = std::uint64_t{1} << 20;
constexpr std::size_t kBatchLabels = 512;
// The bound of one axis, so that no product of three overflows.
constexpr std::uint64_t kMaxAxis = std::uint64_t{1} << 20;

// The differences between the two layouts.
struct ArrayNames {
  std::string layout;
  std::string images;
  std::string labels;
  Dtype label;
  bool floats = false;           // images may be float32
  std::uint64_t chunk_rows = 0;  // 0: about kCaffeChunkBytes
};

std::string ShapeText(std::span<const std::uint64_t> shape) {
  std::string text;
  for (const std::uint64_t size : shape) {
    text += (text.empty() ? "" : " x ") + std::to_string(size);
  }
  return text.empty() ? "no axes" : text;
}

class ArrayWriter : public ShardWriter {
 public:
  ArrayWriter(std::unique_ptr<Hdf5Output> output, ArrayNames names)
      : output_(std::move(output)), names_(std::move(names)) {}

  ~ArrayWriter() override {
    const Hdf5Lock lock;
    // Members are destroyed after the lock is given back, when the library may
    // be in another thread's hands.
    CloseAll();
  }

  Status Append(const SampleView& sample) override {
    Status status = Check(sample);
    if (status.ok()) status = AppendRow(sample);
    return std::move(status).At({.key = std::string(sample.key)});
  }

  Result<ShardSummary> Finish() override {
    {
      const Hdf5Lock lock;
      // Without samples the shape is unknown. Readers look for the datasets all
      // the same, and any shape does for no rows.
      if (!images_) SHARDINE_RETURN_IF_ERROR(Start({'u', 1}, {3, 1, 1}));
      SHARDINE_RETURN_IF_ERROR(FlushLabels());
      CloseAll();
    }
    SHARDINE_ASSIGN_OR_RETURN(const std::uint64_t bytes, output_->Finish());
    return ShardSummary{rows_, bytes};
  }

 private:
  Status Check(const SampleView& sample) const {
    const bool one =
        sample.fields.size() == 1 && sample.fields[0].name == kImageField;
    if (!one)
      return Status(Code::kUnsupported,
                    names_.layout + " holds one field, \"image\"");
    const FieldView& image = sample.fields[0];
    const bool typed =
        image.dtype == "|u1" || (names_.floats && image.dtype == "<f4");
    if (!typed || image.shape.size() != 3) {
      return Status(Code::kUnsupported,
                    names_.layout + " holds images that are arrays |u1" +
                        (names_.floats ? " or <f4" : "") +
                        " of three axes, not " + std::string(image.dtype) +
                        " of " + std::to_string(image.shape.size()) +
                        ": hdf5/fuel holds encoded images");
    }
    SHARDINE_RETURN_IF_ERROR(CheckShape(image));
    // The library reads as much as the shape says.
    SHARDINE_RETURN_IF_ERROR(CheckFieldType(image.name, image.dtype,
                                            image.shape, image.bytes.size()));
    if (sample.labels.size() > 1) {
      return Status(Code::kUnsupported,
                    names_.layout + " holds one label, not " +
                        std::to_string(sample.labels.size()));
    }
    if (names_.label.kind == 'i' && sample.labels.size() == 1 &&
        IntegerOf(sample) == kNoTarget) {
      return Status(
          Code::kUnsupported,
          names_.layout + " holds no label of -2^63, which stands for none");
    }
    return {};
  }

  Status CheckShape(const FieldView& image) const {
    const std::vector<std::uint64_t> shape(image.shape.begin(),
                                           image.shape.end());
    if (images_ && (shape != shape_ || image.dtype != dtype_.Name())) {
      return Status(
          Code::kUnsupported,
          "an image of " + ShapeText(shape) + " " + std::string(image.dtype) +
              " where the ones before have " + ShapeText(shape_) + " " +
              dtype_.Name() + ": " + names_.layout + " holds one shape");
    }
    if (std::all_of(shape.begin(), shape.end(), [](std::uint64_t size) {
          return size > 0 && size <= kMaxAxis;
        })) {
      // A chunk's size is a u32 in the file.
      const std::uint64_t bytes =
          shape[0] * shape[1] * shape[2] * (image.dtype == "<f4" ? 4U : 1U);
      const std::uint64_t rows = std::max<std::uint64_t>(1, names_.chunk_rows);
      if (bytes <= std::numeric_limits<std::uint32_t>::max() / rows) return {};
    }
    return Status(
        Code::kUnsupported,
        "images of " + ShapeText(shape) + " in chunks of " +
            std::to_string(std::max<std::uint64_t>(1, names_.chunk_rows)) +
            ": HDF5 holds chunks of 1 byte to 4 GiB");
  }

  static std::int64_t IntegerOf(const SampleView& sample) {
    if (sample.labels.empty()) return kNoTarget;
    return RoundToLabelType(sample.labels[0], LabelType::kInt64).integer();
  }
  static float FloatOf(const SampleView& sample) {
    if (sample.labels.empty()) return std::numeric_limits<float>::quiet_NaN();
    return static_cast<float>(
        RoundToLabelType(sample.labels[0], LabelType::kFloat32).real());
  }

  Status AppendRow(const SampleView& sample) {
    const FieldView& image = sample.fields[0];
    const Hdf5Lock lock;
    if (!images_) {
      SHARDINE_RETURN_IF_ERROR(
          Start(image.dtype == "<f4" ? Dtype{'f', 4} : Dtype{'u', 1},
                {image.shape.begin(), image.shape.end()}));
    }
    SHARDINE_RETURN_IF_ERROR(
        images_->Append(image_type_.get(), 1, image.bytes.data()));
    if (names_.label.kind == 'i') {
      AppendLe(IntegerOf(sample), held_labels_);
    } else {
      AppendLe(FloatOf(sample), held_labels_);
    }
    ++rows_;
    if (held_labels_.size() / names_.label.size < kBatchLabels) return {};
    return FlushLabels();
  }

  Status Start(Dtype dtype, std::vector<std::uint64_t> shape) {
    dtype_ = dtype;
    shape_ = std::move(shape);
    image_type_ = MakeHdf5Type(dtype);
    label_type_ = MakeHdf5Type(names_.label);
    std::uint64_t rows = names_.chunk_rows;
    if (rows == 0) {
      const std::uint64_t bytes =
          shape_[0] * shape_[1] * shape_[2] * dtype.size;
      // CheckShape refuses an axis of 0, so `bytes` is at least 1.
      rows = std::clamp<std::uint64_t>(kCaffeChunkBytes / bytes, 1, 1024);
    }
    // A chunk may have up to 4 GiB, so images are not gathered in memory.
    SHARDINE_ASSIGN_OR_RETURN(
        images_, GrowingDataset::Create(
                     *output_, names_.images, image_type_,
                     {.row = shape_, .chunk_rows = rows, .unbuffered = true}));
    SHARDINE_ASSIGN_OR_RETURN(
        labels_, GrowingDataset::Create(
                     *output_, names_.labels, label_type_,
                     {.chunk_rows = std::min(rows, std::uint64_t{8192})}));
    return {};
  }

  Status FlushLabels() {
    SHARDINE_RETURN_IF_ERROR(labels_->Append(
        label_type_.get(), held_labels_.size() / names_.label.size,
        held_labels_.data()));
    held_labels_.clear();
    return {};
  }

  void CloseAll() {
    images_.reset();
    labels_.reset();
    image_type_.Reset();
    label_type_.Reset();
  }

  std::unique_ptr<Hdf5Output> output_;
  const ArrayNames names_;
  Dtype dtype_;
  std::vector<std::uint64_t> shape_;
  Hdf5Id image_type_;
  Hdf5Id label_type_;
  std::optional<GrowingDataset> images_;  // nullopt before the first sample
  std::optional<GrowingDataset> labels_;
  std::string held_labels_;
  std::uint64_t rows_ = 0;
};

// Writes a source list beside the shard.
class CaffeWriter : public ArrayWriter {
 public:
  CaffeWriter(std::unique_ptr<Hdf5Output> output, ArrayNames names,
              Storage& storage, ShardPaths paths, LayoutChoice layout)
      : ArrayWriter(std::move(output), std::move(names)),
        storage_(storage),
        paths_(std::move(paths)),
        layout_(std::move(layout)) {}

  Result<ShardSummary> Finish() override {
    SHARDINE_RETURN_IF_ERROR(WriteSourceList(storage_, paths_, layout_));
    return ArrayWriter::Finish();
  }

 private:
  Storage& storage_;
  const ShardPaths paths_;
  const LayoutChoice layout_;
};

}  // namespace

Result<std::unique_ptr<ShardWriter>> CreateBigGanWriter(
    Storage& storage, const ShardPaths& paths, const LayoutChoice& layout) {
  ArrayNames names{.layout = "hdf5/array",
                   .images = std::string(layout.value(kImagesParameter)),
                   .labels = std::string(layout.value(kLabelsParameter)),
                   .label = {'i', 8}};
  const std::string_view chunk = layout.value("chunk");
  std::from_chars(chunk.data(), chunk.data() + chunk.size(), names.chunk_rows);
  SHARDINE_ASSIGN_OR_RETURN(auto output,
                            Hdf5Output::Create(storage, paths.shard));
  return std::unique_ptr<ShardWriter>(
      std::make_unique<ArrayWriter>(std::move(output), std::move(names)));
}

Result<std::unique_ptr<ShardWriter>> CreateCaffeWriter(
    Storage& storage, const ShardPaths& paths, const LayoutChoice& layout) {
  ArrayNames names{.layout = "hdf5/caffe",
                   .images = "data",
                   .labels = "label",
                   .label = {'f', 4},
                   .floats = true};
  SHARDINE_ASSIGN_OR_RETURN(auto output,
                            Hdf5Output::Create(storage, paths.shard));
  return std::unique_ptr<ShardWriter>(std::make_unique<CaffeWriter>(
      std::move(output), std::move(names), storage, paths, layout));
}

}  // namespace shardine
