// The form of samples' keys: "img000" and "img001" are alike, "meta" is not.
// Databases keep notes of other things beside their samples.
#ifndef SHARDINE_FORMATS_LMDB_KEY_FORM_H_
#define SHARDINE_FORMATS_LMDB_KEY_FORM_H_

#include <optional>
#include <string>
#include <string_view>

#include "lmdb/lmdb_reader.h"

namespace shardine {

// Thread-compatible.
class KeyForm {
 public:
  // Looks at the first 64 keys. The form is the most frequent one, digits
  // aside; where each is a form of its own, letters aside. Two that are equally
  // frequent: the one of bare images. Fewer than two keys have no form.
  static Result<KeyForm> Find(LmdbReader& reader);

  bool found() const { return !form_.empty(); }
  // Is the key of another form than the samples' keys?
  bool IsOther(std::string_view key) const;
  // The first entry of that form, whatever stands before it.
  LmdbPlace first() const { return first_; }
  // Is the value of that entry an encoded image with nothing around it?
  bool of_bare_images() const { return bare_; }

 private:
  std::string form_;
  bool letters_count_ = true;
  LmdbPlace first_ = 0;
  bool bare_ = false;
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_LMDB_KEY_FORM_H_
