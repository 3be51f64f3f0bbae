#include "hdf5/named_content.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/shown_name.h"
#include "base/status_macros.h"
#include "hdf5/fuel_names.h"

namespace shardine {
namespace {

constexpr std::size_t kMostDatasetsShown = 20;

// "photos" (5 rows), "train/y" (5 rows).
std::string DatasetsText(const Hdf5Datasets& datasets) {
  std::string text;
  std::size_t shown = 0;
  for (const Hdf5Dataset& dataset : datasets) {
    if (++shown > kMostDatasetsShown) return text + " and more";
    if (!text.empty()) text += ", ";
    text += ShowName(dataset.path());
    if (!dataset.dims.empty()) {
      text += " (" + std::to_string(dataset.dims[0]) + " rows)";
    }
  }
  return text.empty() ? "none" : text;
}

Status NoDataset(const std::string& name, const Hdf5Datasets& datasets) {
  return Status(Code::kInvalidArgument,
                "there is no dataset " + ShowName(name) +
                    "; the datasets are " + DatasetsText(datasets));
}

std::optional<std::size_t> AtPath(const Hdf5Datasets& datasets,
                                  const std::string& path) {
  const auto found = std::ranges::find(datasets, path, &Hdf5Dataset::path);
  if (found == datasets.end()) return std::nullopt;
  return static_cast<std::size_t>(found - datasets.begin());
}

void ListLeftOut(const Hdf5Datasets& datasets, Hdf5Content& content) {
  std::set<std::size_t> used;
  const auto use = [&](const std::optional<std::size_t>& number) {
    if (number) used.insert(*number);
  };
  for (const SampleTable& table : content.tables) {
    use(table.labels);
    use(table.keys);
    use(table.whole_keys);
    for (const TableField& field : table.fields) {
      use(field.payload);
      use(field.shapes);
      use(field.present);
    }
  }
  for (std::size_t i = 0; i < datasets.size(); ++i) {
    if (!used.contains(i)) content.left_out.push_back(datasets[i].path());
  }
}

bool IsWanted(const std::string& name, const FieldRoles& roles) {
  if (name == roles.image || name == roles.label || name == roles.key) {
    return true;
  }
  return !roles.fields ||
         std::ranges::find(*roles.fields, name) != roles.fields->end();
}

// A text without axes is one text.
bool IsReadableWhole(const Hdf5Dataset& dataset) {
  return (dataset.dims.empty() && dataset.element.kind != 'O') ||
         IsReadable(dataset);
}

// Each group with the image is a sample; its other datasets are fields.
Result<Hdf5Content> GroupPerSample(const Hdf5Datasets& datasets,
                                   const FieldRoles& roles) {
  std::set<std::string> with_image;
  for (const Hdf5Dataset& dataset : datasets) {
    const bool is_image = !dataset.group.empty() && dataset.name == roles.image;
    if (is_image) with_image.insert(dataset.group);
  }
  if (with_image.empty()) return NoDataset(roles.image, datasets);
  std::map<std::tuple<std::string, std::uint64_t, std::string>, SampleTable>
      samples;
  for (std::size_t i = 0; i < datasets.size(); ++i) {
    const Hdf5Dataset& dataset = datasets[i];
    if (!with_image.contains(dataset.group)) continue;
    if (!IsWanted(dataset.name, roles)) continue;
    if (!IsReadableWhole(dataset)) return RefusedDataset(dataset);
    SampleTable& sample = samples[GroupOrder(dataset.group)];
    sample.rows = 1;
    sample.whole = true;
    sample.group = TopGroup(dataset.group);
    sample.key = dataset.group;
    sample.fields.push_back({FieldNameOf(dataset.name), i});
  }
  Hdf5Content content;
  content.layout = "fuel";
  for (auto& [order, sample] : samples) {
    std::ranges::sort(sample.fields, {}, &TableField::name);
    content.tables.push_back(std::move(sample));
  }
  ListLeftOut(datasets, content);
  return content;
}

}  // namespace

Result<Hdf5Content> FindNamedContent(const Hdf5Datasets& datasets,
                                     const FieldRoles& roles) {
  const auto image = AtPath(datasets, roles.image);
  if (!image) return GroupPerSample(datasets, roles);
  PlaceOfName names;
  for (std::size_t i = 0; i < datasets.size(); ++i) {
    if (datasets[i].group == datasets[*image].group) {
      names.emplace(datasets[i].name, i);
    }
  }
  SHARDINE_ASSIGN_OR_RETURN(Hdf5Content content,
                            TableContent(datasets, names, *image, roles));
  SHARDINE_RETURN_IF_ERROR(AddNamed(datasets, roles, content));
  return content;
}

Status AddNamed(const Hdf5Datasets& datasets, const FieldRoles& roles,
                Hdf5Content& content) {
  if (roles.empty()) return {};
  SampleTable& table = content.tables.front();
  std::vector<std::string> named = {roles.label, roles.key};
  if (roles.fields) {
    named.insert(named.end(), roles.fields->begin(), roles.fields->end());
  }
  for (const std::string& name : named) {
    const bool is_there =
        std::ranges::find(table.fields, name, &TableField::name) !=
        table.fields.end();
    if (name.empty() || is_there) continue;
    const auto number = AtPath(datasets, name);
    if (!number) return NoDataset(name, datasets);
    const Hdf5Dataset& dataset = datasets[*number];
    const std::uint64_t rows = dataset.dims.empty() ? 0 : dataset.dims[0];
    if (rows != table.rows) {
      return Status(Code::kUnsupported, "the dataset " + ShowName(name) +
                                            " has " + std::to_string(rows) +
                                            " rows where the images have " +
                                            std::to_string(table.rows));
    }
    if (!IsReadable(dataset)) return RefusedDataset(dataset);
    table.fields.push_back({name, *number});
  }
  std::ranges::sort(table.fields, {}, &TableField::name);
  ListLeftOut(datasets, content);
  return {};
}

}  // namespace shardine
