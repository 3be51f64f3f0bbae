// The features of an Example as fields: the ones that a layout has not taken
// for itself. FORMAT.md, "Features".
#ifndef SHARDINE_FORMATS_TFRECORD_EXAMPLE_FIELDS_H_
#define SHARDINE_FORMATS_TFRECORD_EXAMPLE_FIELDS_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "shard/format.h"
#include "shardine/status.h"
#include "tfrecord/example_reader.h"

namespace shardine {

// Thread-compatible.
class ExampleFields {
 public:
  // The memory that one record may need beyond its own bytes.
  static constexpr std::uint64_t kMaxNumbers = std::uint64_t{16}
                                               << 20;                 // bytes
  static constexpr std::uint64_t kMaxNames = std::uint64_t{4} << 20;  // bytes

  // Replaces the earlier fields by the features of `example` at the start of an
  // empty selection. `data_offset` is where `record` begins in the file,
  // nullopt if it is compressed. Views into both, which must outlive the
  // fields.
  void Begin(const ExampleReader& example, ByteView record,
             std::optional<std::uint64_t> data_offset);

  // Removes the feature from the fields. nullptr: removes nothing.
  void Drop(const Feature* feature);
  // Names the field of the feature; `name` is constant.
  void Rename(const Feature* feature, std::string_view name);

  // A list of bytes without a value is the field NAME[]. Otherwise it is none.
  void KeepEmpty() { keep_empty_ = true; }

  // All others as fields by ascending name. Arrays are put together from their
  // three features. kUnsupported if two fields have one name, or there is more
  // than we take. Valid until Begin().
  Result<std::span<const ScannedField>> Make();

 private:
  struct Use {
    bool dropped = false;
    std::string_view name;  // if renamed
    // The dtype of an array; empty: the field is no array.
    std::string_view dtype;
    std::uint32_t first_dim = 0;
    std::uint32_t dims = 0;
    // The numbers of an int64 list as in memory, where the record has them too.
    ByteView raw;
  };

  std::size_t IndexOf(const Feature* feature) const {
    return static_cast<std::size_t>(feature - example_->features().data());
  }
  void FindArrays();
  bool JoinArray(const Feature& dtype);
  void FindRaw();
  bool HoldsNumbers(ByteView raw, const Feature& list) const;
  Status AddFields(std::size_t i);
  Status AddBytes(const Feature& feature, const Use& use);
  Status AddNoBytes(const Feature& feature);
  Result<std::string_view> MakeName(const Feature& feature,
                                    std::string_view item);
  Status AddNumbers(const Feature& feature, const Use& use);
  Status JoinChunks(const Feature& feature, ByteView& joined);
  std::span<const Extent> ExtentsOf(std::span<const ByteView> chunks);
  std::span<const std::uint64_t> ShapeOf(std::uint64_t dim);
  Status CheckNames();

  const ExampleReader* example_ = nullptr;
  ByteView record_;
  std::optional<std::uint64_t> data_offset_;
  std::vector<Use> uses_;
  bool keep_empty_ = false;
  std::vector<ScannedField> fields_;
  // Where views of the fields point: no element moves between Begin() and the
  // next, so each grows piece by piece in a deque or has its room before.
  std::vector<Extent> extents_;
  std::vector<std::uint64_t> dims_;
  std::deque<std::string> names_;
  std::deque<ByteBuffer> numbers_;
  std::uint64_t names_bytes_ = 0;
  std::uint64_t numbers_bytes_ = 0;
  std::string shape_name_;
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_TFRECORD_EXAMPLE_FIELDS_H_
