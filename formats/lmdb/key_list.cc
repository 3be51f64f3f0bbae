#include "lmdb/key_list.h"

#include <utility>

namespace shardine {
namespace {

// How many items pickle.dumps appends at a time.
constexpr std::uint64_t kBatch = 1000;

}  // namespace

KeyList::KeyList(Of of) : of_(of), pickle_(value_) {
  pickle_.Op(kOpEmptyList);
  pickle_.Op(kOpMemoize);
}

void KeyList::Add(std::string_view key) {
  if (put_ == 0 && !only_) {
    only_ = std::string(key);
    return;
  }
  if (only_) Put(*std::exchange(only_, std::nullopt));
  Put(key);
}

void KeyList::Put(std::string_view key) {
  if (put_ % kBatch == 0) pickle_.Op(kOpMark);
  Item(key);
  if (++put_ % kBatch == 0) pickle_.Op(kOpAppends);
}

void KeyList::Item(std::string_view key) {
  if (of_ == Of::kBytes) {
    pickle_.Bytes(AsBytes(key));
  } else {
    pickle_.Text(key);
  }
  pickle_.Op(kOpMemoize);
}

const SplicedBytes& KeyList::Finish() {
  if (only_) {
    Item(*only_);
    pickle_.Op(kOpAppend);
  } else if (put_ % kBatch != 0) {
    pickle_.Op(kOpAppends);
  }
  pickle_.Finish();
  return value_;
}

}  // namespace shardine
