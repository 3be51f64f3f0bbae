// In which order the entries of a database are samples.
#ifndef SHARDINE_FORMATS_LMDB_SCAN_ORDER_H_
#define SHARDINE_FORMATS_LMDB_SCAN_ORDER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/field_counts.h"
#include "lmdb/key_form.h"
#include "lmdb/lmdb_reader.h"
#include "lmdb/value_codec.h"

namespace shardine {

// The memory that one value may take in other form: the file's size and 64 MiB.
std::uint64_t MaxValueMemory(const RandomAccessFile& file);

// Goes through the samples of a database: in the order of `__keys__` if it
// lists keys that exist, else (there is no such entry, or it lists none that
// exists, as in merged databases) in key order; then entries that the codec
// rejects as samples are left out, and counts among them are checked against
// the samples. Thread-compatible. Reader and codec must outlive it.
class ScanOrder {
 public:
  // kCorrupt if only some of the listed keys exist, if one is listed twice, or
  // if `__len__` is another number.
  static Result<ScanOrder> Make(LmdbReader& reader, ValueCodec& codec,
                                std::uint64_t max_memory);

  // nullopt after the last. kCorrupt if the entry that says how many there are
  // says another number.
  Result<std::optional<LmdbEntry>> Next();
  // The last entry turned out to be a sample...
  void TakeIn(std::string_view key);
  // ...or, in key order, none: a value of another kind under a key of another
  // form than theirs. `readable`: as a sample. False: it is to be one.
  bool LeaveOut(std::string_view key, ByteView value, bool readable);
  // Names the entries left out. Empty: there were none.
  std::string left_out() const;

 private:
  ScanOrder(LmdbReader& reader, ValueCodec& codec)
      : reader_(&reader), codec_(&codec) {}

  // Is the entry of a sample? Its page may be gone then.
  Result<bool> IsSample(const LmdbEntry& entry);
  Status ReadLength(std::uint64_t max_memory);
  void CountInSeries(std::string_view key);
  Status CheckCount();
  Status CheckSaid() const;

  LmdbReader* reader_;
  ValueCodec* codec_;
  KeyForm form_;              // not found where the keys are listed
  std::uint64_t others_ = 0;  // entries that were left out
  FieldCounts forms_{20};     // of keys that the codec lists as left out
  std::string names_;         // the first keys of them, for people
  std::optional<std::vector<LmdbPlace>> listed_;  // none: key order
  std::size_t next_ = 0;                          // in listed_
  std::optional<LmdbPlace> last_;
  std::uint64_t found_ = 0;   // in key order
  std::uint64_t beside_ = 0;  // texts of images
  // Samples whose keys differ after their last "-" alone are a series:
  // "64-00000" and "128-00000" belong to two.
  std::string series_;
  std::uint64_t in_series_ = 0;     // the last one, so far
  std::uint64_t first_series_ = 0;  // the one before it
  bool alike_ = true;               // all before it
  // The counts in entries that are no samples.
  struct Said {
    std::string name;
    std::string number;
    std::uint64_t offset = 0;
    std::string also = {};  // another reading of the same bytes
  };
  std::vector<Said> said_;
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_LMDB_SCAN_ORDER_H_
