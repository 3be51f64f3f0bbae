// Any bytes as entry points in the compact form, of a frame that the first of
// them describe: points that ascend within the file, or none. Points survive
// being written and read again.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "jpeg/entry_points.h"

namespace {

using namespace shardine;

constexpr std::size_t kControlBytes = 8;

void Require(bool condition) {
  if (!condition) std::abort();
}

JpegFrame FrameOf(std::span<const std::uint8_t> controls) {
  JpegFrame frame;
  frame.components = controls[0] % 2 == 0 ? 1 : 3;
  frame.max_h = 1 + controls[0] / 2 % 2;
  frame.mcus_across = 1 + controls[1];
  frame.mcus_down = 1 + controls[2] % 32;
  frame.restart_interval = controls[3];
  frame.scan = 1 + controls[4];
  return frame;
}

bool CanBePacked(const std::vector<EntryPoint>& points) {
  constexpr std::uint64_t kMaxDistance = 1 << 26;
  return std::adjacent_find(points.begin(), points.end(),
                            [](const EntryPoint& a, const EntryPoint& b) {
                              return b.bit - a.bit >= kMaxDistance;
                            }) == points.end();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  if (size < kControlBytes) return 0;
  const std::span controls(data, kControlBytes);
  const ByteView packed = std::as_bytes(std::span(data, size)).subspan(8);
  const JpegFrame frame = FrameOf(controls);
  SegmentGrid grid;
  grid.Reset(frame);
  const std::size_t bytes = frame.scan + (std::size_t{controls[5]} << 8);
  const std::size_t count = grid.size() * controls[6] / 255;

  std::vector<EntryPoint> some;
  const bool good = UnpackEntryPoints(packed, frame, grid, bytes, count, some);
  if (good) {
    Require(some.size() == count);
    for (std::size_t i = 0; i < count; ++i) {
      Require(i == 0 ? some[i] == EntryPoint{8 * frame.scan, {}}
                     : some[i].bit > some[i - 1].bit);
    }
    Require(count == 0 || some.back().bit < 8 * bytes);
  }
  std::vector<EntryPoint> all;
  if (!UnpackEntryPoints(packed, frame, grid, bytes, grid.size(), all)) {
    return 0;
  }
  Require(good && std::equal(some.begin(), some.end(), all.begin()));
  if (!CanBePacked(all)) return 0;
  const std::string again = PackEntryPoints(frame, grid, all);
  Require(UnpackEntryPoints(AsBytes(again), frame, grid, bytes, grid.size(),
                            some) &&
          some == all);
  return 0;
}
