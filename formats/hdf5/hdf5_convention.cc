#include "hdf5/hdf5_convention.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/status_macros.h"
#include "hdf5/fuel_names.h"
#include "hdf5/named_content.h"
#include "shardine/sample.h"

namespace shardine {
namespace {

// Groups of datasets, one per class, that are named after it.
std::optional<Hdf5Content> ClassContent(const Hdf5Datasets& datasets) {
  // The ranks are over all groups, so that a class has one number in train and
  // in val.
  std::map<std::string_view, std::int64_t> classes;
  for (const Hdf5Dataset& dataset : datasets) {
    if (dataset.group.empty() || !IsByteRows(dataset)) return std::nullopt;
    classes.emplace(dataset.name, 0);
  }
  std::int64_t rank = 0;
  for (auto& [name, label] : classes) label = rank++;
  Hdf5Content content;
  content.layout = "fuel";
  for (std::size_t i = 0; i < datasets.size(); ++i) {
    SampleTable table;
    table.rows = datasets[i].dims[0];
    table.fields.push_back({std::string(kImageField), i});
    table.class_label = classes.at(datasets[i].name);
    table.class_name = datasets[i].name;
    table.group = TopGroup(datasets[i].group);
    content.tables.push_back(std::move(table));
  }
  return content;
}

// Groups that are an image each: "data", and "target" for its label.
std::optional<Hdf5Content> GroupContent(const Hdf5Datasets& datasets) {
  std::map<std::tuple<std::string, std::uint64_t, std::string>, SampleTable>
      samples;
  for (std::size_t i = 0; i < datasets.size(); ++i) {
    const Hdf5Dataset& dataset = datasets[i];
    if (dataset.group.empty() || !IsNumeric(dataset)) return std::nullopt;
    SampleTable& sample = samples[GroupOrder(dataset.group)];
    sample.rows = 1;
    sample.whole = true;
    sample.group = TopGroup(dataset.group);
    if (dataset.name == "data") {
      sample.fields.push_back({std::string(kImageField), i});
    } else if (dataset.name == "target") {
      sample.labels = i;
    } else {
      return std::nullopt;
    }
  }
  Hdf5Content content;
  content.layout = "fuel";
  for (auto& [order, sample] : samples) {
    if (sample.fields.empty()) return std::nullopt;
    content.tables.push_back(std::move(sample));
  }
  return content;
}

}  // namespace

Result<Hdf5Content> FindContent(const Hdf5Datasets& datasets,
                                const FieldRoles& roles) {
  if (!roles.image.empty()) return FindNamedContent(datasets, roles);
  PlaceOfName names;
  for (std::size_t i = 0; i < datasets.size(); ++i) {
    if (datasets[i].group.empty()) names.emplace(datasets[i].name, i);
  }
  for (const std::string_view name : kImageNames) {
    const auto image = names.find(name);
    if (image == names.end()) continue;
    SHARDINE_ASSIGN_OR_RETURN(
        Hdf5Content content,
        TableContent(datasets, names, image->second, roles));
    SHARDINE_RETURN_IF_ERROR(AddNamed(datasets, roles, content));
    return content;
  }
  if (names.empty() && !datasets.empty()) {
    // Both forms are known by all of their datasets: one that fits neither
    // makes the file neither.
    if (auto content = GroupContent(datasets)) return *std::move(content);
    if (auto content = ClassContent(datasets)) return *std::move(content);
  }
  return Status(
      Code::kUnsupported,
      "no images in this HDF5 file: there is no dataset encoded_images, "
      "image_bytes, imgs, images, image or data, no groups of one dataset of "
      "bytes per class, and no groups of a dataset data per image");
}

}  // namespace shardine
