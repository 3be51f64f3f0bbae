// arrow/python/serialize.cc and arrow/ipc/writer.cc of Arrow 10, for the few
// objects that there are. FORMAT.md, "Arrow".
#include <initializer_list>
#include <string>
#include <vector>

#include "base/made_once.h"
#include "lmdb/arrow_schemas.h"
#include "lmdb/value_serializer.h"

namespace shardine {
namespace {

// Arrow counts the bytes of a column in 32 bits with a sign, and keeps one.
constexpr std::uint64_t kMaxColumn = 0x7ffffffe;
constexpr std::size_t kBufferAlignment = 8;
constexpr std::size_t kObjectAlignment = 64;
// Below it a copy costs less than a splice.
constexpr std::size_t kSpliceBytes = 1024;

// The flatbuffer of a record batch around its body's size. Nothing but that
// size, the counts and the lists depends on the object.
constexpr std::uint8_t kBeforeBodySize[] = {
    0x14, 0, 0,  0, 0,  0, 0, 0, 0x0c, 0, 0x16, 0, 6,    0, 5, 0,
    8,    0, 12, 0, 12, 0, 0, 0, 0,    3, 4,    0, 0x18, 0, 0, 0};
constexpr std::uint8_t kAfterBodySize[] = {0, 0, 0x0a, 0, 0x18, 0, 0x0c, 0,
                                           4, 0, 8,    0, 0x0a, 0, 0,    0};

void AppendZeros(std::uint64_t size, std::size_t alignment, SplicedBytes& to) {
  const std::string zeros((alignment - size % alignment) % alignment, '\0');
  to.Append(AsBytes(zeros));
}

template <typename T>
std::string Packed(std::initializer_list<T> values) {
  std::string bytes;
  for (const T value : values) AppendLe(value, bytes);
  return bytes;
}

// The record batch of one object. Columns and buffers are added depth first, in
// the order of the schema.
class ArrowBatchWriter {
 public:
  void Column(std::int64_t rows, std::int64_t nulls = 0) {
    AppendLe(rows, columns_);
    AppendLe(nulls, columns_);
  }
  // The bytes are looked at by WriteTo().
  void Buffer(ByteView bytes) {
    AppendLe(static_cast<std::int64_t>(body_size_), places_);
    AppendLe(static_cast<std::int64_t>(bytes.size()), places_);
    buffers_.push_back(bytes);
    body_size_ += (bytes.size() + kBufferAlignment - 1) / kBufferAlignment *
                  kBufferAlignment;
  }
  void Buffer(std::string_view bytes) { Buffer(AsBytes(bytes)); }

  // Replaces `to`, which views the longer buffers.
  void WriteTo(ArrowShape shape, SplicedBytes& to) const {
    // No tensors, sparse tensors, arrays and buffers beside the object.
    constexpr std::uint32_t kNone = 0;
    constexpr std::uint32_t kMessage = 0xffffffff;
    const ByteView schema = ArrowSchema(shape);
    const std::string batch = Metadata();
    to.Clear();
    to.Append(AsBytes(Packed({kNone, kNone, kNone, kNone, kMessage,
                              static_cast<std::uint32_t>(schema.size())})));
    to.Append(schema);
    to.Append(
        AsBytes(Packed({kMessage, static_cast<std::uint32_t>(batch.size())})));
    to.Append(AsBytes(batch));
    for (const ByteView buffer : buffers_) {
      if (buffer.size() < kSpliceBytes) {
        to.Append(buffer);
      } else {
        to.Splice(buffer);
      }
      AppendZeros(buffer.size(), kBufferAlignment, to);
    }
    to.Append(AsBytes(Packed({kMessage, std::uint32_t{0}})));
    AppendZeros(to.size(), kObjectAlignment, to);
  }

 private:
  std::string Metadata() const {
    constexpr std::uint32_t kBeforeLists = 28;
    const auto buffers = static_cast<std::uint32_t>(buffers_.size());
    const auto columns = static_cast<std::uint32_t>(columns_.size() / 16);
    std::string bytes(std::begin(kBeforeBodySize), std::end(kBeforeBodySize));
    AppendLe(body_size_, bytes);
    bytes.append(std::begin(kAfterBodySize), std::end(kAfterBodySize));
    // Where the columns are, where the buffers are, one row, and their number.
    bytes += Packed<std::uint32_t>(
        {kBeforeLists + 16 * buffers, 16, 1, 0, 0, buffers});
    bytes += places_;
    bytes += Packed<std::uint32_t>({0, columns});
    return bytes + columns_;
  }

  std::string columns_;
  std::string places_;
  std::vector<ByteView> buffers_;
  std::uint64_t body_size_ = 0;
};

// Each object begins with the one row of "list", which is a union of None,
// without a row here, and of the object's own column.
void BeginObject(ArrowBatchWriter& batch) {
  constexpr std::string_view kOwnColumn("\1", 1);
  constexpr std::string_view kFirstRow("\0\0\0\0", 4);
  batch.Column(1);
  batch.Buffer(kOwnColumn);
  batch.Buffer(kFirstRow);
  batch.Column(0);
  batch.Column(1);
}

// A sequence is a list of one row, of a union whose first part is None.
struct Sequence {
  std::string ends;   // of its rows: 0, and the number of items
  std::string kinds;  // of each item: which part it is of
  std::string rows;   // and its row there
};

void BeginSequence(const Sequence& sequence, std::int32_t nones,
                   ArrowBatchWriter& batch) {
  BeginObject(batch);
  batch.Buffer(std::string_view());
  batch.Buffer(sequence.ends);
  batch.Column(static_cast<std::int64_t>(sequence.kinds.size()));
  batch.Buffer(sequence.kinds);
  batch.Buffer(sequence.rows);
  batch.Column(nones, nones);
}

void AddInt(const std::string& value, ArrowBatchWriter& batch) {
  batch.Column(1);
  batch.Buffer(std::string_view());
  batch.Buffer(value);
}

class ArrowKeyList : public KeyListWriter {
 public:
  // `shape` is a non-empty list's.
  explicit ArrowKeyList(ArrowShape shape) : shape_(shape) {
    AppendLe(std::int32_t{0}, ends_);
  }

  void Add(std::string_view key) override {
    constexpr char kFirstPart = 1;
    AppendLe(count_++, list_.rows);
    list_.kinds += kFirstPart;
    keys_ += key;
    AppendLe(static_cast<std::int32_t>(keys_.size()), ends_);
  }

  std::uint64_t bytes() const override {
    return keys_.size() + ends_.size() + list_.kinds.size() + list_.rows.size();
  }

  const SplicedBytes& Finish() override {
    list_.ends = Packed({std::int32_t{0}, count_});
    ArrowBatchWriter batch;
    BeginSequence(list_, 0, batch);
    // pyarrow has a column only for types that occur.
    if (count_ > 0) {
      batch.Column(count_);
      batch.Buffer(std::string_view());
      batch.Buffer(ends_);
      batch.Buffer(keys_);
    }
    batch.WriteTo(count_ > 0 ? shape_ : ArrowShape::kEmptyList, value_);
    return value_;
  }

 private:
  const ArrowShape shape_;
  Sequence list_;
  std::string keys_;
  std::string ends_;  // of each key, and in front of the first
  std::int32_t count_ = 0;
  SplicedBytes value_;
};

class PyarrowSerializer : public ValueSerializer {
 public:
  std::uint64_t max_bytes() const override { return kMaxColumn; }

  void WritePair(ByteView image, std::optional<std::int64_t> label,
                 SplicedBytes& to) const override {
    const auto size = static_cast<std::int32_t>(image.size());
    const std::string end = Packed({std::int32_t{0}, size});
    const std::string value = Packed({label.value_or(0)});
    const Sequence pair = {.ends = Packed({std::int32_t{0}, std::int32_t{2}}),
                           .kinds = label ? "\1\2" : std::string("\1\0", 2),
                           .rows = Packed({std::int32_t{0}, std::int32_t{0}})};
    ArrowBatchWriter batch;
    BeginSequence(pair, label ? 0 : 1, batch);
    batch.Column(1);
    batch.Buffer(std::string_view());
    batch.Buffer(end);
    batch.Buffer(image);
    if (label) AddInt(value, batch);
    batch.WriteTo(label ? ArrowShape::kPairOfBytesAndInt
                        : ArrowShape::kPairOfBytesAndNone,
                  to);
  }

  std::unique_ptr<KeyListWriter> NewKeyList() const override {
    return std::make_unique<ArrowKeyList>(ArrowShape::kListOfBytes);
  }
  std::unique_ptr<KeyListWriter> NewTextList() const override {
    return std::make_unique<ArrowKeyList>(ArrowShape::kListOfTexts);
  }

  void WriteLength(std::uint64_t samples, SplicedBytes& to) const override {
    const std::string value = Packed({static_cast<std::int64_t>(samples)});
    ArrowBatchWriter batch;
    BeginObject(batch);
    batch.Buffer(std::string_view());
    batch.Buffer(value);
    batch.WriteTo(ArrowShape::kInt, to);
  }
};

}  // namespace

const ValueSerializer& ArrowSerializer() {
  static constinit MadeOnce<PyarrowSerializer> serializer;
  return serializer.Get();
}

}  // namespace shardine
