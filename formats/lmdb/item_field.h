// Turns an item of a dict into a field. FORMAT.md, "fields".
#ifndef SHARDINE_FORMATS_LMDB_ITEM_FIELD_H_
#define SHARDINE_FORMATS_LMDB_ITEM_FIELD_H_

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "lmdb/pickle_value.h"
#include "lmdb/value_codec.h"
#include "shard/record_budget.h"
#include "shardine/label.h"
#include "shardine/status.h"

namespace shardine {

// Adds the numbers of `value`: one; a list, a tuple or an array of at most one
// dimension of them; None adds nothing. False if it is something else, NaN, or
// more than the budget has memory for.
bool AppendLabels(const PickleValue& value, RecordBudget& budget,
                  std::vector<Label>& labels);

// Makes fields of the items of one value after the other, and keeps the bytes
// of their views that are not in the file. Thread-compatible.
class ItemFields {
 public:
  // Forgets the fields before, which views go with. `budget` is the value's,
  // which must outlive its fields.
  void Begin(RecordBudget& budget);

  // Bytes, texts and arrays lie in the file; a number becomes an array without
  // dimensions, equal lists of numbers one of one or two, any other list or
  // dict a text of JSON. kUnsupported, naming the field, for any other item,
  // and for items that share so many parts that the budget ends. REQUIRES: not
  // None.
  Status Make(std::string_view name, const PickleValue& item,
              DecodedField& field);

 private:
  Status MakeNumbers(const PickleValue& item, DecodedField& field);
  Status MakeText(const PickleValue& item, DecodedField& field);
  void Keep(std::string bytes, DecodedField& field);

  RecordBudget* budget_ = nullptr;
  std::deque<std::string> kept_;
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_LMDB_ITEM_FIELD_H_
