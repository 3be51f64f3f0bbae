// Any bytes as a pickle: errors with their byte, never crashes, little memory,
// and places at which the input holds the returned bytes.
#include <string>

#include "base/check.h"
#include "lmdb/pickle_reader.h"

namespace shardine {
namespace {

constexpr std::uint64_t kMaxMemory = std::uint64_t{1} << 20;

void CheckPlace(ByteView input, const PickleBytes& bytes) {
  if (!bytes.offset) return;
  SHARDINE_CHECK(*bytes.offset <= input.size());
  SHARDINE_CHECK(bytes.bytes.size() <= input.size() - *bytes.offset);
  SHARDINE_CHECK(input.data() + *bytes.offset == bytes.bytes.data());
}

// Looks as deep as layouts do.
void Look(ByteView input, const PickleValue& value, int depth) {
  switch (value.kind()) {
    case PickleKind::kBytes:
    case PickleKind::kText:
      return CheckPlace(input, value.bytes());
    case PickleKind::kArray:
      return CheckPlace(input, value.array().data);
    case PickleKind::kTuple:
    case PickleKind::kList:
    case PickleKind::kDict:
      if (depth == 0) return;
      for (std::size_t i = 0; i < value.size(); ++i) {
        Look(input, value.item(i), depth - 1);
      }
      return;
    default:
      return;
  }
}

}  // namespace
}  // namespace shardine

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace shardine;
  const ByteView input = std::as_bytes(std::span(data, size));
  PickleReader reader(kMaxMemory);
  const auto value = reader.Read(input, 0);
  if (value.ok()) {
    Look(input, *value, 2);
  } else {
    SHARDINE_CHECK(value.status().where().offset <= size);
  }
  return 0;
}
