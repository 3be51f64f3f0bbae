#include <string>

#include "base/made_once.h"
#include "lmdb/key_list.h"
#include "lmdb/pickle_writer.h"
#include "lmdb/value_codec.h"
#include "lmdb/value_serializer.h"

namespace shardine {
namespace {

void WriteLabel(std::optional<std::int64_t> label, PickleWriter& pickle) {
  if (label) {
    pickle.Int(*label);
  } else {
    pickle.None();
  }
}

class PickleOfBytes : public ValueSerializer {
 public:
  std::uint64_t max_bytes() const override { return kMaxPairPayload; }

  // CPython memoizes each bytes object and each tuple, although nothing recalls
  // them. The two kOpMemoize are there to give the bytes of pickle.dumps.
  void WritePair(ByteView image, std::optional<std::int64_t> label,
                 SplicedBytes& to) const override {
    to.Clear();
    PickleWriter pickle(to);
    pickle.Bytes(image);
    pickle.Op(kOpMemoize);
    WriteLabel(label, pickle);
    pickle.Op(kOpTuple2);
    pickle.Op(kOpMemoize);
    pickle.Finish();
  }

  std::unique_ptr<KeyListWriter> NewKeyList() const override {
    return std::make_unique<KeyList>(KeyList::Of::kBytes);
  }
  std::unique_ptr<KeyListWriter> NewTextList() const override {
    return std::make_unique<KeyList>(KeyList::Of::kTexts);
  }

  void WriteLength(std::uint64_t samples, SplicedBytes& to) const override {
    to.Clear();
    PickleWriter pickle(to);
    pickle.Int(static_cast<std::int64_t>(samples));
    pickle.Finish();
  }
};

// The readers of such pairs hand the array to a decoder as it is, so bytes in
// its place would not do.
class PickleOfArrays : public PickleOfBytes {
 public:
  std::uint64_t max_bytes() const override { return kMaxArrayPayload; }

  void WritePair(ByteView image, std::optional<std::int64_t> label,
                 SplicedBytes& to) const override {
    const std::uint64_t shape[] = {image.size()};
    to.Clear();
    PickleWriter pickle(to);
    pickle.Op(kOpEmptyList);
    pickle.Op(kOpMark);
    pickle.Array({.name = {}, .dtype = "|u1", .shape = shape, .bytes = image});
    WriteLabel(label, pickle);
    pickle.Op(kOpAppends);
    pickle.Finish();
  }
};

// The collating of a DataLoader makes a list of each value, but an array of its
// dtype of a number.
class PickleOfBatches : public PickleOfBytes {
 public:
  std::uint64_t max_bytes() const override { return kMaxArrayPayload; }

  void WritePair(ByteView image, std::optional<std::int64_t> label,
                 SplicedBytes& to) const override {
    constexpr std::uint64_t kOne[] = {1};
    to.Clear();
    PickleWriter pickle(to);
    pickle.Op(kOpEmptyList);
    pickle.Bytes(image);
    pickle.Op(kOpAppend);
    if (label) {
      std::string number;
      AppendLe(*label, number);
      pickle.Array({.name = {},
                    .dtype = "<i8",
                    .shape = kOne,
                    .bytes = AsBytes(number)});
    } else {
      pickle.None();
    }
    pickle.Op(kOpTuple2);
    pickle.Finish();
  }
};

}  // namespace

const ValueSerializer& PickleSerializer() {
  static constinit MadeOnce<PickleOfBytes> serializer;
  return serializer.Get();
}

const ValueSerializer& PickledArraySerializer() {
  static constinit MadeOnce<PickleOfArrays> serializer;
  return serializer.Get();
}

const ValueSerializer& PickledBatchSerializer() {
  static constinit MadeOnce<PickleOfBatches> serializer;
  return serializer.Get();
}

}  // namespace shardine
