// KeyList: the value of `__keys__`, a pickled list of byte strings, or one of
// texts, grown item by item, byte for byte as pickle.dumps makes it of the
// whole list.
#ifndef SHARDINE_FORMATS_LMDB_KEY_LIST_H_
#define SHARDINE_FORMATS_LMDB_KEY_LIST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lmdb/pickle_writer.h"
#include "lmdb/value_serializer.h"

namespace shardine {

// Thread-compatible.
class KeyList : public KeyListWriter {
 public:
  enum class Of : bool { kBytes, kTexts };

  explicit KeyList(Of of = Of::kBytes);
  KeyList(const KeyList&) = delete;
  KeyList& operator=(const KeyList&) = delete;

  void Add(std::string_view key) override;
  std::uint64_t bytes() const override {
    return value_.size() + (only_ ? only_->size() : 0);
  }
  const SplicedBytes& Finish() override;

 private:
  void Put(std::string_view key);
  void Item(std::string_view key);

  const Of of_;
  SplicedBytes value_;
  PickleWriter pickle_;
  // Held back: a list of one has another form.
  std::optional<std::string> only_;
  std::uint64_t put_ = 0;  // into the pickle
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_LMDB_KEY_LIST_H_
