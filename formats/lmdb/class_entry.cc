#include "lmdb/class_entry.h"

#include "base/status_macros.h"
#include "base/utf8.h"
#include "lmdb/value_codec.h"
#include "lmdb/value_reader.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

// What a KeyListWriter copies.
constexpr std::size_t kMaxListed = 1000;

using Names = std::map<std::int64_t, std::string>;

Names OfList(const PickleValue& list) {
  Names names;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list.item(i).has_bytes()) return {};
    names[static_cast<std::int64_t>(i)] = AsText(list.item(i).bytes().bytes);
  }
  return names;
}

Names OfDict(const PickleValue& dict) {
  Names names;
  for (std::size_t i = 0; i < dict.size(); i += 2) {
    const PickleValue label = dict.item(i + 1);
    if (!dict.item(i).has_bytes() || label.kind() != PickleKind::kInt)
      return {};
    names[label.integer()] = AsText(dict.item(i).bytes().bytes);
  }
  return names;
}

}  // namespace

Result<Names> ReadClassEntry(LmdbReader& reader, std::uint64_t max_memory) {
  SHARDINE_ASSIGN_OR_RETURN(const auto entry,
                            reader.Find(AsBytes(kClassesEntry)));
  if (!entry) return Names();
  SHARDINE_ASSIGN_OR_RETURN(const ByteView bytes, reader.Value(*entry));
  ValueReader values(max_memory);
  SHARDINE_ASSIGN_OR_RETURN(const PickleValue value,
                            values.Read(bytes, entry->value.offset));
  switch (value.kind()) {
    case PickleKind::kList:
    case PickleKind::kTuple:
      return OfList(value);
    case PickleKind::kDict:
      return OfDict(value);
    default:
      return Names();
  }
}

Result<std::vector<std::string_view>> ListedClasses(
    std::span<const DatasetFacts::Class> classes, bool texts) {
  std::vector<std::string_view> names;
  for (const DatasetFacts::Class& info : classes) {
    const auto refuse = [&](const std::string& why) {
      return Status(
          Code::kUnsupported,
          "class \"" + EscapeBytes(info.name.substr(0, 80)) + "\" " + why);
    };
    if (info.label != static_cast<std::int64_t>(names.size())) {
      return refuse("has the number " + std::to_string(info.label) +
                    ", and place " + std::to_string(names.size()) +
                    " in the list that is __classes__, where numbers are "
                    "places");
    }
    if (info.name.size() > kMaxListed) {
      return refuse("has a name of more than 1,000 bytes");
    }
    if (texts && !IsUtf8(info.name)) {
      return refuse("is not UTF-8, as Python's text in __classes__ is");
    }
    names.push_back(info.name);
  }
  return names;
}

}  // namespace shardine
