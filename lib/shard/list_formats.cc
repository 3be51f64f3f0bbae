#include "shard/format_registry.h"
#include "shardine/format.h"

namespace shardine {
namespace {

const char* NameOf(LabelType type) {
  switch (type) {
    case LabelType::kInt32:
      return "int32";
    case LabelType::kInt64:
      return "int64";
    case LabelType::kFloat32:
      return "float32";
    case LabelType::kFloat64:
      return "float64";
    case LabelType::kExact:
      break;
  }
  return "exact";
}

LayoutInfo Describe(const Format& format, const Layout& layout) {
  const Limits& limits = layout.limits;
  LayoutInfo info{
      .name = FormatAndLayout{DefaultsOf(layout), &format}.Name(),
      .companion_suffix = std::string(layout.companion_suffix),
      .parameters = {},
      .label_type = NameOf(limits.label_type),
      .max_labels = limits.max_labels,
      .ids = limits.ids,
      .keys = limits.keys,
      .max_key = limits.max_key,
      .unique_keys = limits.unique_keys,
      .fields = limits.fields,
      .text_field = std::string(limits.text_field),
      .encoded_image = limits.encoded_image,
      .array_image = limits.array_image,
      .needs_image = limits.needs_image,
      .max_payload = limits.max_payload,
  };
  for (const LayoutParameter& parameter : layout.parameters) {
    info.parameters.push_back({std::string(parameter.name),
                               std::string(parameter.default_value),
                               std::string(parameter.values)});
  }
  return info;
}

}  // namespace

std::vector<FormatInfo> ListFormats(const FormatRegistry& formats) {
  std::vector<FormatInfo> list;
  for (const Format* format : formats.formats()) {
    FormatInfo& info = list.emplace_back();
    info.name = format->name;
    info.suffix = format->suffix;
    info.read_suffixes.assign(format->read_suffixes.begin(),
                              format->read_suffixes.end());
    for (const Layout& layout : format->layouts) {
      info.layouts.push_back(Describe(*format, layout));
    }
  }
  return list;
}

}  // namespace shardine
