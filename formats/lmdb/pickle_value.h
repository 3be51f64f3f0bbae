// The values that PickleReader and the readers of other serialisers build:
// bytes, numbers, texts, tuples, lists, dicts and NumPy arrays. Nothing in it
// can do anything.
#ifndef SHARDINE_FORMATS_LMDB_PICKLE_VALUE_H_
#define SHARDINE_FORMATS_LMDB_PICKLE_VALUE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace shardine {

enum class PickleKind : std::uint8_t {
  kNone,
  kBool,
  kInt,
  kFloat,
  kBytes,
  kText,
  kTuple,
  kList,
  kDict,
  kArray,
  // A part of arrays; not used by itself.
  kGlobal,
  kDtype,
  kShell,  // an array without its state
};
// "bytes", "NumPy array": for messages.
std::string_view PickleKindName(PickleKind kind);
// "bytes", "an int", "a NumPy array".
std::string PickleKindWithArticle(PickleKind kind);

struct PickleBytes {
  ByteView bytes;
  // Where they lie in the file; nullopt if the file has them in another form.
  std::optional<std::uint64_t> offset;
};

// An array in C order with explicit little-endian items.
struct PickleArray {
  std::string dtype;
  std::vector<std::uint64_t> shape;
  PickleBytes data;
};

class ValueTree;

// A value of a ValueTree, valid until its reader's next Read(). Its parts may
// be shared, and a list may even hold itself: look only as deep as a layout
// goes.
class PickleValue {
 public:
  PickleValue(const ValueTree& tree, std::uint32_t node)
      : tree_(&tree), node_(node) {}

  PickleKind kind() const;
  bool is_number() const;    // kBool, kInt or kFloat
  bool is_sequence() const;  // kTuple or kList
  bool has_bytes() const;    // kBytes or kText
  // REQUIRES: kBool or kInt.
  std::int64_t integer() const;
  // REQUIRES: kFloat.
  double real() const;
  // The bytes; of a kText its UTF-8. REQUIRES: has_bytes().
  PickleBytes bytes() const;
  // Counts the items of a tuple or list, or the keys and values of a dict,
  // alternating in the order in which they were set. REQUIRES: one of them.
  std::size_t size() const;
  PickleValue item(std::size_t i) const;
  // REQUIRES: kArray.
  const PickleArray& array() const;

 private:
  const ValueTree* tree_;
  std::uint32_t node_;
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_LMDB_PICKLE_VALUE_H_
