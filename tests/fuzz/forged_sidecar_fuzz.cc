// Sidecar indexes changed number by number, sealed again with valid checksums,
// with a manifest in keeping, and read in one of all ways. The outcome is an
// error with a code or the result of the sound one, unless `verify` finds the
// forgery.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "support/forged_reading.h"
#include "support/fuzz_choices.h"
#include "support/seal_sidecar.h"

namespace shardine {
namespace {

void ChangeOnce(const std::vector<FileNumber>& numbers, FuzzChoices& choices,
                std::string& bytes) {
  switch (choices.Below(3)) {
    case 0:
      SetNumber(numbers[choices.Below(numbers.size())], choices.Value(), bytes);
      return;
    case 1: {  // the value of another number
      const FileNumber& from = numbers[choices.Below(numbers.size())];
      const FileNumber& to = numbers[choices.Below(numbers.size())];
      std::uint64_t value = 0;
      for (std::size_t i = from.width; i-- > 0;) {
        value = value << 8 | static_cast<std::uint8_t>(bytes[from.at + i]);
      }
      SetNumber(to, value + choices.Number(1), bytes);
      return;
    }
    case 2:
      bytes[choices.Below(bytes.size())] = static_cast<char>(choices.Number(1));
      return;
  }
}

}  // namespace
}  // namespace shardine

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace shardine;
  FuzzChoices choices(data, size);
  ForgedReading& reading = ForgedReading::Of(choices.Below(3));
  const Reading way = kReadings[choices.Below(std::size(kReadings))];
  SideFileWorld world = reading.world();
  std::string& bytes = world.files[world.sidecar];
  // Keys come first: afterwards places have moved.
  const std::string keys = choices.Below(4) == 0 ? choices.Text() : "";
  std::vector<FileNumber> moved;
  if (!keys.empty()) {
    ReplaceKeys(keys, bytes);
    moved = NumbersOfSidecar(bytes);
  }
  const std::vector<FileNumber>& numbers =
      keys.empty() ? reading.sidecar_numbers() : moved;
  if (choices.Below(2) == 0) {
    GiveOverflow(choices.Below(2), choices.Text(), bytes);
  }
  for (int i = 0; i < 8 && !choices.empty(); ++i) {
    ChangeOnce(numbers, choices, bytes);
  }
  SealSidecar(bytes);
  reading.Check(way, std::move(world));
  return 0;
}
