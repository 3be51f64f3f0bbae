#include "hdf5/fuel_names.h"

namespace shardine {
namespace {

constexpr std::string_view kSlash = "%2F";
constexpr std::string_view kPercent = "%25";

}  // namespace

std::string DatasetNameOf(std::string_view field) {
  std::string name;
  for (std::size_t i = 0; i < field.size(); ++i) {
    const std::string_view rest = field.substr(i);
    const bool meant = !rest.starts_with(kSlash) && !rest.starts_with(kPercent);
    if (field[i] == '/') {
      name += kSlash;
    } else if (field[i] == '%' && !meant) {
      // Only here would it be read as something else. Foreign names with other
      // uses of it stay unchanged.
      name += kPercent;
    } else {
      name += field[i];
    }
  }
  return name;
}

std::string FieldNameOf(std::string_view dataset) {
  std::string name;
  while (!dataset.empty()) {
    const bool slash = dataset.starts_with(kSlash);
    const bool escaped = slash || dataset.starts_with(kPercent);
    name += slash ? '/' : dataset[0];
    dataset.remove_prefix(escaped ? kSlash.size() : 1);
  }
  return name;
}

}  // namespace shardine
