#include "shard/format_registry.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/check.h"
#include "base/foreign_kind.h"
#include "base/status_macros.h"
#include "shard/companion_folder.h"
#include "shard/role_scanner.h"
#include "shardine/did_you_mean.h"
#include "shardine/escape.h"
#include "shardine/format_names.h"

namespace shardine {
namespace {

constexpr std::size_t kProbeBytes = 4096;

std::string NameOf(const Format& format, const Layout& layout) {
  std::string name(format.name);
  if (!layout.name.empty()) name += "/" + std::string(layout.name);
  return name;
}

std::string NamesOf(std::span<const Format* const> formats) {
  std::string names;
  for (const Format* format : formats) {
    for (const Layout& layout : format->layouts) {
      if (!names.empty()) names += ", ";
      names += NameOf(*format, layout);
    }
  }
  return names;
}

Status UnknownFormat(std::string_view name,
                     std::span<const Format* const> formats) {
  std::vector<std::string> names;
  for (const Format* format : formats) {
    names.emplace_back(format->name);
    for (const Layout& layout : format->layouts) {
      names.push_back(NameOf(*format, layout));
    }
  }
  return Status(Code::kInvalidArgument,
                "format \"" + EscapeBytes(name) + "\" is none of " +
                    NamesOf(formats) + DidYouMean(name, names));
}

// The nearest integer (ties to even) in [min, max], which are powers of two
// or one less, so that the comparisons in double are exact enough to keep the
// cast defined. No Label is NaN, for which it would not be.
std::int64_t RoundToInteger(const Label& label, std::int64_t min,
                            std::int64_t max) {
  if (label.is_integer()) return std::clamp(label.integer(), min, max);
  const double value = std::nearbyint(label.real());
  if (value >= static_cast<double>(max)) return max;
  if (value <= static_cast<double>(min)) return min;
  return static_cast<std::int64_t>(value);
}

}  // namespace

std::string_view FullFormatName(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> kShort[] = {
      {"wds", "webdataset"},
      {"tar", "webdataset"},
      {"h5", "hdf5"},
      {"rec", "recordio"},
      {"tfrec", "tfrecord"}};
  const auto found = std::ranges::find(
      kShort, name, &std::pair<std::string_view, std::string_view>::first);
  return found == std::end(kShort) ? name : found->second;
}

Label RoundToLabelType(const Label& label, LabelType type) {
  switch (type) {
    case LabelType::kInt32:
      return RoundToInteger(label, std::numeric_limits<std::int32_t>::min(),
                            std::numeric_limits<std::int32_t>::max());
    case LabelType::kInt64:
      return RoundToInteger(label, std::numeric_limits<std::int64_t>::min(),
                            std::numeric_limits<std::int64_t>::max());
    case LabelType::kFloat32:
      // Converted from the integer itself: by way of a double it would be
      // rounded twice.
      return Label::FromReal(label.is_integer()
                                 ? static_cast<float>(label.integer())
                                 : static_cast<float>(label.real()));
    case LabelType::kFloat64:
      return Label::FromReal(label.real());
    case LabelType::kExact:
      return label;
  }
  return label;
}

std::span<const Label> LabelsWithin(std::span<const Label> labels,
                                    const Limits& limits) {
  return labels.first(static_cast<std::size_t>(
      std::min<std::uint64_t>(labels.size(), limits.max_labels)));
}

std::string_view LayoutChoice::value(std::string_view parameter) const {
  for (std::size_t i = 0; i < layout->parameters.size(); ++i) {
    if (layout->parameters[i].name == parameter) return values[i];
  }
  SHARDINE_CHECK(false);
  return {};
}

LayoutChoice DefaultsOf(const Layout& layout) {
  LayoutChoice choice{&layout, {}};
  for (const LayoutParameter& parameter : layout.parameters) {
    choice.values.emplace_back(parameter.default_value);
  }
  return choice;
}

const Format* FormatRegistry::FindByName(std::string_view name) const {
  for (const Format* format : formats_) {
    if (format->name == name) return format;
  }
  return nullptr;
}

namespace {

// "x.tfrecord-00000-of-00008", as TensorFlow names shards, without its number.
std::string_view WithoutNumber(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789";
  constexpr std::string_view kOf = "-of-";
  std::string_view rest = name;
  const auto take_digits = [&] {
    const std::size_t end = rest.find_last_not_of(kDigits) + 1;
    const bool any = end < rest.size();
    rest = rest.substr(0, end);
    return any;
  };
  if (!take_digits() || !rest.ends_with(kOf)) return name;
  rest.remove_suffix(kOf.size());
  if (!take_digits() || !rest.ends_with('-')) return name;
  rest.remove_suffix(1);
  return rest;
}

}  // namespace

const Format* FormatRegistry::FindBySuffix(std::string_view file_name) const {
  file_name = WithoutNumber(file_name);
  for (const Format* format : formats_) {
    if (file_name.ends_with(format->suffix)) return format;
    for (const std::string_view suffix : format->read_suffixes) {
      if (file_name.ends_with(suffix)) return format;
    }
  }
  return nullptr;
}

// In some formats users know the folder, not the file in it.
std::string FormatRegistry::ShardFileAt(ReadableStorage& storage,
                                        const std::string& path) const {
  const auto info = storage.Stat(path);
  if (!info.ok() || info->kind != FileKind::kDirectory) return path;
  for (const Format* format : formats_) {
    if (format->directory_file.empty()) continue;
    std::string file = JoinPath(path, std::string(format->directory_file));
    if (storage.Stat(file).ok()) return file;
  }
  return path;
}

Result<const Format*> FormatRegistry::Detect(
    const RandomAccessFile& file) const {
  std::byte head[kProbeBytes];
  auto read = file.ReadAt(0, head);
  if (!read.ok()) return std::move(read).status();
  const Format* by_suffix = FindBySuffix(file.path());
  const Format* by_content = nullptr;
  for (const Format* format : formats_) {
    // Bytes may fit several formats: then the name decides, and without a name
    // that helps the order of the table.
    if (!format->probe(ByteView(head).first(*read))) continue;
    if (format == by_suffix) return format;
    if (by_content == nullptr) by_content = format;
  }
  // An empty file could have any format; the scanner of the format that the
  // suffix names reports a damaged head.
  if (by_content != nullptr && *read > 0) return by_content;
  const std::string_view kind = ForeignKind(ByteView(head).first(*read));
  if (!kind.empty()) {
    return Status(Code::kUnsupported,
                  "is " + std::string(kind) + ", which is not read; " +
                      (kind == "Parquet"
                           ? "python/examples/from_parquet.py packs its rows"
                           : "decompress or unpack it first"))
        .At({.path = file.path()});
  }
  if (by_suffix != nullptr && *read == 0 && !by_suffix->probe({})) {
    return Status(Code::kUnsupported, "is empty: a file of " +
                                          std::string(by_suffix->name) +
                                          " has bytes even without samples")
        .At({.path = file.path()});
  }
  if (by_suffix != nullptr) return by_suffix;
  if (*read == 0) {
    return Status(Code::kUnsupported,
                  "is empty, and its name does not end as one of a known "
                  "format: only beside other shards of its set is it one "
                  "without samples")
        .At({.path = file.path()});
  }
  return Status(Code::kUnsupported,
                "not a file of a known format (" + NamesOf(formats_) + ")")
      .At({.path = file.path()});
}

Result<FormatAndLayout> FormatRegistry::DetectLayout(
    const RandomAccessFile& file, const ReadRoles& roles) const {
  SHARDINE_ASSIGN_OR_RETURN(const Format* const format, Detect(file));
  if (format->detect_layout == nullptr) {
    FormatAndLayout only{DefaultsOf(format->layouts.front()), format};
    only.roles = roles;
    return only;
  }
  auto choice = format->detect_layout(file);
  if (!choice.ok()) {
    const auto named =
        std::ranges::find(format->layouts, true, &Layout::has_roles);
    const bool unknown = choice.status().code() == Code::kUnsupported;
    if (roles.empty() || !unknown || named == format->layouts.end()) {
      return choice.status();
    }
    choice = DefaultsOf(*named);
  }
  choice->roles = roles;
  return FormatAndLayout{*std::move(choice), format};
}

Result<std::unique_ptr<ShardScanner>> FormatAndLayout::OpenScanner(
    const RandomAccessFile& file) const {
  if (!roles.empty() && !layout->has_roles) {
    return Status(Code::kInvalidArgument,
                  "is " + NameOf(*format, *layout) +
                      ", whose records name no fields that could be chosen")
        .At({.path = file.path()});
  }
  SHARDINE_RETURN_IF_ERROR(roles.Check());
  SHARDINE_ASSIGN_OR_RETURN(auto scanner, format->open_scanner(file, *this));
  if (roles.empty()) return scanner;
  return MakeRoleScanner(std::move(scanner), roles);
}

std::string FormatAndLayout::Name() const {
  std::string name = NameOf(*format, *layout);
  char separator = ':';
  for (std::size_t i = 0; i < values.size(); ++i) {
    const LayoutParameter& parameter = layout->parameters[i];
    if (!parameter.said_by_default && values[i] == parameter.default_value) {
      continue;
    }
    name += std::exchange(separator, ',') + std::string(parameter.name) + "=" +
            values[i];
  }
  const std::string chosen = roles.text();
  if (!chosen.empty()) name += separator + chosen;
  return name;
}

std::string FormatAndLayout::CompanionName(const std::string& shard) const {
  const std::vector<std::string> places = CompanionPlaces(shard);
  return places.empty() ? "" : places.front();
}

std::vector<std::string> FormatAndLayout::CompanionPlaces(
    const std::string& shard) const {
  if (layout->companion_suffix.empty()) return {};
  const std::size_t stem = shard.ends_with(format->suffix)
                               ? shard.size() - format->suffix.size()
                               : shard.size();
  const std::string beside =
      shard.substr(0, stem) + std::string(layout->companion_suffix);
  std::vector<std::string> places = {InCompanionFolder(beside), beside};
  if (layout->companion_beside) std::ranges::reverse(places);
  return places;
}

namespace {

// "label_offset=1" and "other=2" of "tfrecord/x:label_offset=1,other=2".
std::vector<std::string_view> ParametersIn(std::string_view format) {
  std::vector<std::string_view> parameters;
  const std::size_t colon = std::min(format.find(':'), format.size());
  std::string_view rest = format.substr(std::min(colon + 1, format.size()));
  while (!rest.empty()) {
    parameters.push_back(rest.substr(0, rest.find(',')));
    rest.remove_prefix(std::min(rest.size(), parameters.back().size() + 1));
  }
  return parameters;
}

Status SetParameters(std::string_view text, FormatAndLayout& choice) {
  for (const std::string_view one : ParametersIn(text)) {
    const std::size_t equals = std::min(one.find('='), one.size());
    const auto parameters = choice.layout->parameters;
    const auto known = std::ranges::find(parameters, one.substr(0, equals),
                                         &LayoutParameter::name);
    if (known == parameters.end() && choice.layout->has_roles &&
        choice.roles.Set(one)) {
      continue;
    }
    if (known == parameters.end() || equals == one.size()) {
      return Status(
          Code::kInvalidArgument,
          "\"" + std::string(one) + "\" sets no parameter of " + choice.Name());
    }
    const std::string_view value = one.substr(equals + 1);
    if (!known->is_valid(value)) {
      return Status(Code::kInvalidArgument,
                    "\"" + std::string(one) +
                        "\": " + std::string(known->name) + " is " +
                        std::string(known->values));
    }
    choice.values[static_cast<std::size_t>(known - parameters.begin())] = value;
  }
  return Status();
}

}  // namespace

bool SetsParameter(std::string_view text, std::string_view parameter) {
  return std::ranges::any_of(ParametersIn(text), [&](std::string_view one) {
    return one.substr(0, one.find('=')) == parameter;
  });
}

Result<FormatAndLayout> ParseFormat(const FormatRegistry& registry,
                                    std::string_view text) {
  const std::string_view name = text.substr(0, text.find(':'));
  const std::size_t slash = name.find('/');
  const Format* format =
      registry.FindByName(FullFormatName(name.substr(0, slash)));
  for (const Layout& layout :
       format == nullptr ? std::span<const Layout>() : format->layouts) {
    const bool by_default = slash == std::string_view::npos;
    if (!by_default && layout.name != name.substr(slash + 1)) continue;
    FormatAndLayout choice{DefaultsOf(layout), format};
    SHARDINE_RETURN_IF_ERROR(SetParameters(text, choice));
    return choice;
  }
  return UnknownFormat(name, registry.formats());
}

}  // namespace shardine
