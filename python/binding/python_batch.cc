#include "binding/python_batch.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "binding/field_text.h"
#include "shardine/label_survey.h"

namespace shardine::binding {
namespace {

template <typename T, typename Convert>
void Append(std::vector<std::byte>& to, std::span<const Label> labels,
            const Convert& convert) {
  to.resize(labels.size() * sizeof(T));
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const T value = convert(labels[i]);
    std::memcpy(&to[i * sizeof(T)], &value, sizeof(T));
  }
}

// The first label that the type has no number for.
std::optional<std::size_t> FindLost(std::span<const Label> labels,
                                    LabelType type) {
  const auto lost = std::ranges::find_if(labels, [type](const Label& label) {
    return type == LabelType::kInt64     ? !label.is_integer()
           : type == LabelType::kFloat32 ? IsLostInFloat32(label)
                                         : IsLostInFloat64(label);
  });
  if (lost == labels.end()) return std::nullopt;
  return static_cast<std::size_t>(lost - labels.begin());
}

Status SetLabels(PythonBatch& held) {
  const std::span<const Label> labels = held.batch.labels();
  if (const auto lost = FindLost(labels, held.view.labels)) {
    const std::uint64_t id =
        held.batch.ids()[*lost / held.batch.labels_per_sample()];
    const bool is_int = held.view.labels == LabelType::kInt64;
    return Status(
        Code::kUnsupported,
        "sample " + std::to_string(id) + " has the label " +
            labels[*lost].ToString() +
            (is_int ? ", no integer: ask for label_dtype=\"float32\""
                    : std::string(", which ") + WordOf(held.view.labels) +
                          " has no number for: ask for "
                          "label_dtype=\"int64\""));
  }
  switch (held.view.labels) {
    case LabelType::kFloat32:
      Append<float>(held.labels, labels, [](const Label& label) {
        return static_cast<float>(label.real());
      });
      return {};
    case LabelType::kFloat64:
      Append<double>(held.labels, labels,
                     [](const Label& label) { return label.real(); });
      return {};
    case LabelType::kInt64:
      break;
  }
  Append<std::int64_t>(held.labels, labels,
                       [](const Label& label) { return label.integer(); });
  return {};
}

bool IsTextOf(const BatchView& view, const BatchField& field) {
  return field.dtype == kBytesDtype &&
         std::ranges::binary_search(view.texts, field.name);
}

// Bad samples and samples without the field have no bytes.
Status CheckTexts(const PythonBatch& held) {
  for (const BatchField& field : held.batch.fields()) {
    if (!IsTextOf(held.view, field)) continue;
    for (std::size_t i = 0; i < field.bytes.size(); ++i) {
      const auto bytes = field.bytes[i];
      if (IsText({reinterpret_cast<const char*>(bytes.data()), bytes.size()})) {
        continue;
      }
      const Status status = NoText(field.name);
      return Status(status.code(), "sample " +
                                       std::to_string(held.batch.ids()[i]) +
                                       ": " + status.message());
    }
  }
  return {};
}

MixView MixOf(const PythonBatch& held) {
  MixView mix;
  const std::span<const MixFactor> factors = held.batch.mix();
  if (factors.empty()) return mix;
  const std::size_t label = held.labels.size() / factors.size();
  for (const MixFactor& factor : factors) {
    mix.weights.push_back(factor.weight);
    mix.partners.push_back(factor.partner);
    for (const std::uint32_t side :
         {factor.x, factor.y, factor.width, factor.height}) {
      mix.boxes.push_back(static_cast<std::int32_t>(side));
    }
    const auto from =
        std::span(held.labels).subspan(factor.partner * label, label);
    mix.labels.insert(mix.labels.end(), from.begin(), from.end());
  }
  return mix;
}

std::vector<std::int32_t> Numbers(std::span<const CropBox> boxes) {
  std::vector<std::int32_t> numbers;
  numbers.reserve(boxes.size() * 5);
  for (const CropBox& box : boxes) {
    for (const std::uint32_t side : {box.x, box.y, box.width, box.height}) {
      numbers.push_back(static_cast<std::int32_t>(side));
    }
    numbers.push_back((box.flip ? 1 : 0) + (box.vertical_flip ? 2 : 0));
  }
  return numbers;
}

}  // namespace

Result<std::unique_ptr<PythonBatch>> PythonBatch::Make(
    Batch batch, std::shared_ptr<const Dataset> dataset,
    const BatchView& view) {
  std::unique_ptr<PythonBatch> held(
      new PythonBatch{std::move(batch), std::move(dataset), view, {}, {}, {}});
  for (const std::uint64_t id : held->batch.ids()) {
    if (id >> 63 == 0) continue;
    return Status(Code::kUnsupported, "sample " + std::to_string(id) +
                                          ": ids of batches are int64");
  }
  Status status = SetLabels(*held);
  if (!status.ok()) return status;
  status = CheckTexts(*held);
  if (!status.ok()) return status;
  held->mix = MixOf(*held);
  held->boxes.resize(held->batch.views());
  if (view.raw) return held;
  for (std::size_t i = 0; i < held->boxes.size(); ++i) {
    held->boxes[i] = Numbers(held->batch.boxes(i));
  }
  return held;
}

}  // namespace shardine::binding
