// Four segments in turn: while one waits for its table entry, the next is at
// work. It branches only on rare cases; the end of a segment is a block whose
// table sends every probe the slow way.
//
// Compiled once for each instruction set, by foreach_target.h.
#include "base/simd_dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "jpeg/interleaved_decoder.cc"
#include <hwy/foreach_target.h>
// clang-format off: highway.h comes after foreach_target.h
#include <hwy/highway.h>
// clang-format on

#include <utility>

#include "base/check.h"
#include "base/made_once.h"
#include "jpeg/segment_kernels.h"

#ifndef SHARDINE_JPEG_INTERLEAVED_STATE_
#define SHARDINE_JPEG_INTERLEAVED_STATE_
namespace shardine {

inline constexpr std::size_t kStreams = 4;
// A load of 64 bits leaves 57 at the least, and no probe that is not slow takes
// more than kMaxProbeLength of them.
inline constexpr std::size_t kProbesPerLoad = 3;

// The state of a segment at work.
struct StreamCursor {
  std::uint64_t bit = 0;
  std::uint64_t place = 0;  // of the next coefficient, in the area
};

// The state of all streams, those at work first.
struct StreamState {
  explicit StreamState(const SegmentScan& what) : scan(what) {}

  const SegmentScan& scan;
  std::size_t next = 0;  // task
  std::size_t streams = 0;
  std::array<StreamCursor, kStreams> cursor;
  std::array<std::size_t, kStreams> lane{};
  std::array<DecodedSegment, kStreams> segment;
  // Tables of each block in the area.
  std::array<const ProbeTables*, kStreams * kLaneBlocks> probes{};
};

// Reach beyond any block: every probe goes the slow way. Never destroyed, since
// threads of a process that ends may still decode.
inline const ProbeTables& NoProbes() {
  static constinit MadeOnce<ProbeTables> tables;
  return tables.Get();
}

// The rare cases, out of the registers of the loop: one symbol, or the end of a
// segment and the beginning of the next. False if there is none: the stream is
// no longer at work.
struct SlowStep {
  StreamCursor cursor;
  bool at_work = true;
};

inline bool BeginSegment(StreamState& state, std::size_t stream) {
  if (state.next == state.scan.tasks.size()) return false;
  const SegmentTask& task = state.scan.tasks[state.next];
  const std::size_t lane = state.lane[stream];
  const ProbeTables** const probes = state.probes.data() + lane * kLaneBlocks;
  for (std::size_t i = 0; i < task.blocks; ++i) {
    probes[i] = &state.scan.tables.probes(state.scan.slot[i]);
  }
  probes[task.blocks] = &NoProbes();
  state.segment[stream] = {.task = state.next++};
  state.cursor[stream] = {task.bit, lane * kLaneValues};
  return true;
}

inline void Drop(StreamState& state, std::size_t stream) {
  const std::size_t last = --state.streams;
  std::swap(state.cursor[stream], state.cursor[last]);
  std::swap(state.lane[stream], state.lane[last]);
  std::swap(state.segment[stream], state.segment[last]);
}

// Checks that a block at work is one of its segment.
#if defined(SHARDINE_CHECK_LANES)
inline void CheckWrite(const StreamState& state, std::size_t stream,
                       std::uint64_t place) {
  const std::size_t begin = state.lane[stream] * kLaneBlocks;
  const std::size_t task = state.segment[stream].task;
  SHARDINE_CHECK(place / kBlockSize >= begin);
  SHARDINE_CHECK(place / kBlockSize < begin + state.scan.tasks[task].blocks);
}
#else
inline void CheckWrite(const StreamState&, std::size_t, std::uint64_t) {}
#endif

inline HWY_NOINLINE SlowStep StepSlowly(StreamState& state, std::size_t stream,
                                        StreamCursor cursor) {
  const SegmentScan& scan = state.scan;
  const std::size_t lane = state.lane[stream];
  const std::size_t block = cursor.place / kBlockSize - lane * kLaneBlocks;
  DecodedSegment& segment = state.segment[stream];
  if (block == scan.tasks[segment.task].blocks) {
    segment.end_bit = cursor.bit;
    Deliver(scan, lane, segment);
    const bool at_work = BeginSegment(state, stream);
    return {state.cursor[stream], at_work};
  }
  const auto position = static_cast<std::uint32_t>(cursor.place % kBlockSize);
  const DecodedSymbol symbol = scan.tables.DecodeSymbol(
      scan.slot[block], BitsAt(scan.data.data(), cursor.bit), position);
  segment.valid &= symbol.valid;
  const std::size_t begin = cursor.place - position;
  if (symbol.value != 0) {
    scan.area[begin + kNaturalOrder[symbol.position]] =
        static_cast<std::int16_t>(symbol.value);
  }
  return {{cursor.bit + symbol.length, begin + symbol.next}};
}

}  // namespace shardine
#endif

HWY_BEFORE_NAMESPACE();
namespace shardine {
namespace HWY_NAMESPACE {

// Some probes of one stream; false if it is no longer at work.
HWY_INLINE bool StepStream(StreamState& state, std::size_t stream,
                           StreamCursor& cursor) {
  std::int16_t* const area = state.scan.area;
  const std::byte* const data = state.scan.data.data();
  std::uint64_t bits = BitsAt(data, cursor.bit);
  for (std::size_t i = 0; i < kProbesPerLoad; ++i) {
    const std::uint64_t k = cursor.place % kBlockSize;
    const ProbeTables& tables = *state.probes[cursor.place / kBlockSize];
    const auto& probes = k != 0 ? tables.ac : tables.dc;
    const HuffmanProbe& probe = probes[bits >> (64 - kProbeBits)];
    if (HWY_UNLIKELY(k + probe.reach >= kBlockSize)) {
      const SlowStep slow = StepSlowly(state, stream, cursor);
      cursor = slow.cursor;
      if (!slow.at_work) return false;
      bits = BitsAt(data, cursor.bit);
      continue;
    }
    CheckWrite(state, stream, cursor.place);
    const std::uint64_t first = k + probe.first();
    std::int16_t* const block = area + (cursor.place - k);
    block[kNaturalOrder[first + probe.gap()]] = probe.second_value;
    block[kNaturalOrder[first]] = FirstValue(probe, bits);
    cursor.place += std::min<std::uint64_t>(probe.step, kBlockSize - k);
    cursor.bit += probe.length;
    bits <<= probe.length;
  }
  return true;
}

// Goes on until one of the streams is no longer at work.
template <std::size_t... kStream>
HWY_NOINLINE void StepStreams(StreamState& state,
                              std::index_sequence<kStream...>) {
  std::array<StreamCursor, sizeof...(kStream)> cursor = {
      state.cursor[kStream]...};
  std::size_t ended = 0;
  while (
      ((ended = kStream, StepStream(state, kStream, cursor[kStream])) && ...)) {
  }
  ((state.cursor[kStream] = cursor[kStream]), ...);
  Drop(state, ended);
}

void DecodeInterleaved(const SegmentScan& scan) {
  StreamState state(scan);
  for (std::size_t i = 0; i < kStreams; ++i) {
    state.lane[i] = i;
    if (BeginSegment(state, i)) ++state.streams;
  }
  while (state.streams == 4) StepStreams(state, std::make_index_sequence<4>());
  while (state.streams == 3) StepStreams(state, std::make_index_sequence<3>());
  while (state.streams == 2) StepStreams(state, std::make_index_sequence<2>());
  while (state.streams == 1) StepStreams(state, std::make_index_sequence<1>());
}

SegmentKernel Interleaved() { return &DecodeInterleaved; }

}  // namespace HWY_NAMESPACE
}  // namespace shardine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace shardine {

SegmentKernel InterleavedKernel(SimdLevel level) {
  return SHARDINE_AT_LEVEL(std::min(level, SimdLevel::kAvx2), Interleaved);
}

}  // namespace shardine
#endif
