// Finds which fields of plain bytes are text in UTF-8, and checks those of a
// sample.
#ifndef SHARDINE_DATASET_TEXT_FIELDS_H_
#define SHARDINE_DATASET_TEXT_FIELDS_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "shard/format.h"
#include "shardine/sample.h"
#include "shardine/status.h"

namespace shardine {

// kUnsupported, naming the field: plain bytes of one of these names are not
// UTF-8. `texts`: ascending.
Status CheckTexts(std::span<const FieldView> fields,
                  const std::vector<std::string>& texts);

// Text fields of samples that a caller gives: a field is text in all or none.
// Thread-compatible.
class TextFields {
 public:
  // kInvalidArgument, naming the field: it is an array or not UTF-8, or was
  // given otherwise before.
  Status Add(std::span<const FieldView> fields);
  std::vector<std::string> names() const;  // ascending

 private:
  std::map<std::string, bool, std::less<>> is_text_;  // of plain bytes
};

// Text fields of scanned records: a field is text where the container says so
// of all records that have it, and they are UTF-8. Thread-compatible.
class ScannedTexts {
 public:
  void Add(const ScannedSample& sample);
  void Add(const ScannedTexts& other);
  std::vector<std::string> names() const;  // ascending
  // One for each field that is text in some records and not in others.
  std::vector<std::string> Warnings() const;

  // Appends all of it for Load(), which replaces it. False: the bytes are not
  // from Save(), and its contents are undefined.
  void Save(std::string& to) const;
  [[nodiscard]] bool Load(ByteCursor& from);

 private:
  struct Counts {
    std::uint64_t texts = 0;
    std::uint64_t others = 0;
  };
  std::map<std::string, Counts, std::less<>> counts_;
};

}  // namespace shardine

#endif  // SHARDINE_DATASET_TEXT_FIELDS_H_
