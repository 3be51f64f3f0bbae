#include "lmdb/class_entry.h"

#include "base/status_macros.h"
#include "lmdb/value_codec.h"
#include "lmdb/value_reader.h"

namespace shardine {
namespace {

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

}  // namespace shardine
