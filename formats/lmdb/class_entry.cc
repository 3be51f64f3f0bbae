#include "lmdb/class_entry.h"

#include "base/shown_name.h"
#include "base/status_macros.h"
#include "base/utf8.h"
#include "lmdb/value_codec.h"
#include "lmdb/value_reader.h"
#include "shard/record_budget.h"

namespace shardine {
namespace {

// The most bytes of a name that a KeyListWriter copies and a reader takes.
constexpr std::size_t kMaxListed = 1000;

using Names = std::map<std::int64_t, std::string>;

// Names may share their bytes by a pickle's memo or Arrow's offsets.
Result<std::string> NameOf(const PickleValue& text, RecordBudget& budget) {
  const std::string_view name = AsText(text.bytes().bytes);
  if (name.size() > kMaxListed) {
    return Status(
        Code::kUnsupported,
        std::string(kClassesEntry) + " has a name of more than 1,000 bytes");
  }
  // About the memory that the map takes for each.
  constexpr std::uint64_t kEntry = 96;
  if (budget.Copy(name.size()) && budget.Hold(kEntry)) return std::string(name);
  return Status(Code::kUnsupported,
                std::string(kClassesEntry) +
                    " has names that share their bytes; write a copy of each");
}

Result<Names> OfList(const PickleValue& list, RecordBudget& budget) {
  Names names;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list.item(i).has_bytes()) return Names();
    SHARDINE_ASSIGN_OR_RETURN(names[static_cast<std::int64_t>(i)],
                              NameOf(list.item(i), budget));
  }
  return names;
}

Result<Names> OfDict(const PickleValue& dict, RecordBudget& budget) {
  Names names;
  for (std::size_t i = 0; i < dict.size(); i += 2) {
    const PickleValue label = dict.item(i + 1);
    if (!dict.item(i).has_bytes() || label.kind() != PickleKind::kInt) {
      return Names();
    }
    SHARDINE_ASSIGN_OR_RETURN(names[label.integer()],
                              NameOf(dict.item(i), budget));
  }
  return names;
}

}  // namespace

Result<Names> ReadClassEntry(LmdbReader& reader, std::uint64_t max_memory) {
  SHARDINE_ASSIGN_OR_RETURN(const auto entry,
                            reader.Find(AsBytes(kClassesEntry)));
  if (!entry) return Names();
  SHARDINE_ASSIGN_OR_RETURN(const ByteView bytes, reader.Value(*entry));
  // An entry of another form, a text say, says nothing about classes.
  if (SerialiserOf(bytes) == Serialiser::kNone) return Names();
  ValueReader values(max_memory);
  SHARDINE_ASSIGN_OR_RETURN(const PickleValue value,
                            values.Read(bytes, entry->value.offset));
  switch (value.kind()) {
    case PickleKind::kList:
    case PickleKind::kTuple:
      return OfList(value, values.budget());
    case PickleKind::kDict:
      return OfDict(value, values.budget());
    default:
      return Names();
  }
}

Result<std::vector<std::string_view>> ListedClasses(
    std::span<const DatasetFacts::Class> classes, bool texts) {
  std::vector<std::string_view> names;
  for (const DatasetFacts::Class& info : classes) {
    const auto refuse = [&](const std::string& why) {
      return Status(Code::kUnsupported,
                    "class " + ShowName(info.name) + " " + why);
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
