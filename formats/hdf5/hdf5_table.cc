#include "hdf5/hdf5_table.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <utility>

#include "base/shown_name.h"
#include "base/status_macros.h"
#include "hdf5/fuel_names.h"
#include "shardine/sample.h"

namespace shardine {

Status RefusedDataset(const Hdf5Dataset& dataset) {
  return Status(Code::kUnsupported,
                "the dataset " + ShowName(dataset.path()) + " is of the kind " +
                    (dataset.type_name.empty() ? "text" : dataset.type_name) +
                    ": what can be read are numbers, bool and bytes");
}

bool IsNumeric(const Hdf5Dataset& dataset) {
  return dataset.row == Hdf5Row::kFixed && dataset.element.kind != 'O' &&
         dataset.element.kind != 'S';
}

bool IsByteRows(const Hdf5Dataset& dataset) {
  if (dataset.dims.size() != 1 || dataset.row == Hdf5Row::kFixed) return false;
  return dataset.element.kind == 'u' && dataset.element.size == 1;
}

bool IsReadable(const Hdf5Dataset& dataset) {
  if (dataset.element.kind == 'O') return false;
  const bool text =
      dataset.row == Hdf5Row::kFixed && dataset.element.kind == 'S';
  if (!text && dataset.row == Hdf5Row::kFixed) return true;
  // A text or a row of variable length per sample, not several.
  for (std::size_t axis = 1; axis < dataset.dims.size(); ++axis) {
    if (dataset.dims[axis] != 1) return false;
  }
  return !dataset.dims.empty();
}

namespace {

std::optional<std::size_t> First(const PlaceOfName& names,
                                 std::span<const std::string_view> wanted) {
  for (const std::string_view name : wanted) {
    if (const auto at = names.find(name); at != names.end()) return at->second;
  }
  return std::nullopt;
}

std::optional<std::size_t> Beside(const PlaceOfName& names,
                                  const std::string& name,
                                  std::string_view suffix) {
  const auto at = names.find(name + std::string(suffix));
  if (at == names.end()) return std::nullopt;
  return at->second;
}

class TableMaker {
 public:
  TableMaker(const Hdf5Datasets& datasets, const PlaceOfName& names,
             const FieldRoles& roles)
      : datasets_(datasets), names_(names), roles_(roles) {}

  Result<SampleTable> Make(std::size_t image) {
    table_.rows = datasets_[image].dims[0];
    if (roles_.label.empty()) table_.labels = First(names_, kLabelNames);
    // A mask for each image, say: an array of its own.
    if (table_.labels &&
        (IsPicture(datasets_[*table_.labels]) ||
         HasEachPixel(datasets_[*table_.labels], datasets_[image]))) {
      table_.labels.reset();
    }
    const std::string_view keys[] = {kFuelKeys};
    if (roles_.key.empty()) table_.keys = First(names_, keys);
    SHARDINE_RETURN_IF_ERROR(CheckRoles());
    for (const auto& [name, number] : names_) {
      // A companion is read with its dataset, and is checked there.
      if (!IsField(number) || IsCompanion(name)) continue;
      const Hdf5Dataset& dataset = datasets_[number];
      if (number != image && !IsAsked(name)) continue;
      if (!IsReadable(dataset)) return RefusedDataset(dataset);
      SHARDINE_RETURN_IF_ERROR(AddField(number, number == image));
    }
    SHARDINE_RETURN_IF_ERROR(SortFields());
    return std::move(table_);
  }

 private:
  // A dataset with another number of rows does not describe samples.
  bool IsField(std::size_t number) const {
    if (number == table_.labels || number == table_.keys ||
        number == table_.whole_keys) {
      return false;
    }
    const Hdf5Dataset& dataset = datasets_[number];
    return !dataset.dims.empty() && dataset.dims[0] == table_.rows;
  }

  // Other fields are not read, of whatever kind they are.
  bool IsAsked(std::string_view name) const {
    if (!roles_.fields) return true;
    const auto at = names_.find(name);
    const std::string called = RoleOrName(datasets_[at->second], roles_);
    return called == roles_.label || called == roles_.key ||
           std::ranges::find(*roles_.fields, called) != roles_.fields->end();
  }

  // Does it accompany a field, as FuelWriter writes them? Otherwise it is a
  // field itself: no dataset may be left out because of its name.
  bool IsCompanion(std::string_view name) const {
    for (const std::string_view suffix :
         {kFuelShapeSuffix, kFuelPresentSuffix}) {
      if (!name.ends_with(suffix)) continue;
      const auto at = names_.find(name.substr(0, name.size() - suffix.size()));
      if (at == names_.end() || !IsField(at->second)) continue;
      if (suffix == kFuelShapeSuffix && !HasShapes(at->second)) continue;
      if (!IsCompanion(at->first)) return true;
    }
    return false;
  }

  // Labels stand in a row; some programs write axes of 1 after it.
  static bool IsPicture(const Hdf5Dataset& dataset) {
    std::size_t long_axes = 0;
    for (std::size_t axis = 1; axis < dataset.dims.size(); ++axis) {
      if (dataset.dims[axis] > 1) ++long_axes;
    }
    return long_axes > 1;
  }

  // A mask in one row: as many numbers as the image's height by its width,
  // which stand side by side in every order of axes.
  static bool HasEachPixel(const Hdf5Dataset& dataset,
                           const Hdf5Dataset& image) {
    constexpr std::uint64_t kLeastPixels = 64;
    if (dataset.dims.empty()) return false;
    const auto numbers =
        Product(1, std::span<const std::uint64_t>(dataset.dims).subspan(1));
    if (!numbers || *numbers < kLeastPixels) return false;
    for (std::size_t axis = 1; axis + 1 < image.dims.size(); ++axis) {
      const std::uint64_t sides[] = {image.dims[axis], image.dims[axis + 1]};
      if (sides[0] > 4 && sides[1] > 4 && Product(1, sides) == numbers) {
        return true;
      }
    }
    return false;
  }

  // Rows of fixed size have the shape of their dataset.
  bool HasShapes(std::size_t number) const {
    return datasets_[number].row != Hdf5Row::kFixed;
  }

  // Two datasets may end as one field: "a%" and "a%25", or "image" beside the
  // first name of the images.
  Status SortFields() {
    std::vector<TableField>& fields = table_.fields;
    std::stable_sort(
        fields.begin(), fields.end(),
        [](const auto& a, const auto& b) { return a.name < b.name; });
    for (std::size_t i = 1; i < fields.size(); ++i) {
      if (fields[i].name != fields[i - 1].name) continue;
      return Status(Code::kUnsupported,
                    "the datasets " +
                        ShowName(datasets_[fields[i - 1].payload].name) +
                        " and " + ShowName(datasets_[fields[i].payload].name) +
                        " could both be the field " + ShowName(fields[i].name));
    }
    return {};
  }

  Status CheckRoles() {
    if (table_.labels) {
      const Hdf5Dataset& labels = datasets_[*table_.labels];
      if (!IsNumeric(labels)) return RefusedDataset(labels);
      SHARDINE_RETURN_IF_ERROR(CheckRows(labels));
    }
    if (table_.keys) {
      const Hdf5Dataset& keys = datasets_[*table_.keys];
      const bool text = keys.row == Hdf5Row::kString || IsByteRows(keys) ||
                        keys.element.kind == 'S';
      if (!text || !IsReadable(keys)) return RefusedDataset(keys);
      SHARDINE_RETURN_IF_ERROR(CheckRows(keys));
      table_.whole_keys = Beside(names_, keys.name, kFuelBytesSuffix);
      if (table_.whole_keys) {
        SHARDINE_RETURN_IF_ERROR(
            CheckCompanion(*table_.whole_keys, IsByteRows));
      }
    }
    return {};
  }

  Status CheckRows(const Hdf5Dataset& dataset) const {
    const std::uint64_t rows = dataset.dims.empty() ? 0 : dataset.dims[0];
    if (rows == table_.rows) return {};
    return Status(Code::kUnsupported,
                  "the dataset " + ShowName(dataset.path()) + " has " +
                      std::to_string(rows) + " rows where the images have " +
                      std::to_string(table_.rows));
  }

  Status CheckCompanion(std::size_t number,
                        bool (*is_right)(const Hdf5Dataset&)) const {
    const Hdf5Dataset& dataset = datasets_[number];
    if (!is_right(dataset)) return RefusedDataset(dataset);
    return CheckRows(dataset);
  }

  Status AddField(std::size_t number, bool is_image) {
    const std::string& name = datasets_[number].name;
    TableField field{is_image && roles_.image.empty()
                         ? std::string(kImageField)
                         : RoleOrName(datasets_[number], roles_),
                     number};
    if (HasShapes(number)) {
      field.shapes = Beside(names_, name, kFuelShapeSuffix);
    }
    field.present = Beside(names_, name, kFuelPresentSuffix);
    if (field.shapes) {
      SHARDINE_RETURN_IF_ERROR(
          CheckCompanion(*field.shapes, [](const Hdf5Dataset& shapes) {
            return shapes.row == Hdf5Row::kSequence &&
                   shapes.dims.size() == 1 && shapes.element.kind == 'u' &&
                   shapes.element.size == 8;
          }));
    }
    if (field.present) {
      SHARDINE_RETURN_IF_ERROR(
          CheckCompanion(*field.present, [](const Hdf5Dataset& present) {
            return IsNumeric(present) && present.dims.size() == 1 &&
                   present.element.size == 1;
          }));
    }
    table_.fields.push_back(std::move(field));
    return {};
  }

  const Hdf5Datasets& datasets_;
  const PlaceOfName& names_;
  const FieldRoles& roles_;
  SampleTable table_;
};

}  // namespace

std::string RoleOrName(const Hdf5Dataset& dataset, const FieldRoles& roles) {
  for (const std::string* role : {&roles.image, &roles.label, &roles.key}) {
    if (*role == dataset.path()) return *role;
  }
  if (roles.fields) {
    const auto path = std::ranges::find(*roles.fields, dataset.path());
    if (path != roles.fields->end()) return *path;
  }
  return FieldNameOf(dataset.name);
}

Result<SampleTable> MakeTable(const Hdf5Datasets& datasets,
                              const PlaceOfName& names, std::size_t image,
                              const FieldRoles& roles) {
  return TableMaker(datasets, names, roles).Make(image);
}

Result<Hdf5Content> TableContent(const Hdf5Datasets& datasets,
                                 const PlaceOfName& names, std::size_t image,
                                 const FieldRoles& roles) {
  const Hdf5Dataset& images = datasets[image];
  if (images.dims.empty() || !(IsNumeric(images) || IsByteRows(images))) {
    return RefusedDataset(images);
  }
  Hdf5Content content;
  if (!IsNumeric(images)) {
    content.layout = "fuel";
  } else {
    content.layout = images.name == "data" ? "caffe" : "array";
    if (!images.chunk.empty()) content.chunk_rows = images.chunk[0];
  }
  SHARDINE_ASSIGN_OR_RETURN(SampleTable table,
                            MakeTable(datasets, names, image, roles));
  content.tables.push_back(std::move(table));
  return content;
}

std::string TopGroup(const std::string& group) {
  return group.substr(0, group.find('/'));
}

std::tuple<std::string, std::uint64_t, std::string> GroupOrder(
    const std::string& group) {
  const std::size_t slash = group.rfind('/');
  const std::size_t at = slash == group.npos ? 0 : slash + 1;
  std::uint64_t number = ~std::uint64_t{0};
  const auto [end, error] =
      std::from_chars(group.data() + at, group.data() + group.size(), number);
  if (error != std::errc() || end != group.data() + group.size()) {
    number = ~std::uint64_t{0};
  }
  return {group.substr(0, at), number, group.substr(at)};
}

}  // namespace shardine
