// One segment in each lane of 64 bits; both values of an entry are stored at
// once. The lanes of a group go on in step, whatever they meet; two groups hide
// each other's latency.
#include "base/check.h"
#include "jpeg/segment_kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>

// GCC 12 sees uninitialised vectors in its own header (its bug 105593).
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

// Each function that uses the instructions needs this; a lambda would not have
// it.
#define SHARDINE_AVX512 \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,bmi,bmi2")))
#define SHARDINE_AVX512_INLINE SHARDINE_AVX512 __attribute__((always_inline))

namespace shardine {
namespace {

constexpr std::size_t kGroupLanes = 8;
constexpr std::size_t kGroups = kSegmentLanes / kGroupLanes;
// A load of 64 bits leaves 57 at the least, and no probe that is not slow takes
// more than kMaxProbeLength of them.
constexpr std::size_t kProbesPerLoad = 3;

struct alignas(64) Numbers {
  std::array<std::uint64_t, kGroupLanes> of{};
};

// The state of a group, in registers.
struct Lanes {
  __m512i bit;    // the next one
  __m512i place;  // of the next coefficient, in the segment
  __m512i end;    // of the segment; lanes without one are at it
  __m512i bits;   // from `bit` on
};

struct LaneState {
  const SegmentScan& scan;
  const HuffmanProbe* probes = nullptr;  // those of all tables
  std::size_t next = 0;                  // task
  std::size_t at_work = 0;
  std::array<std::uint32_t, kGroups> active{};  // a bit for each lane
  std::array<DecodedSegment, kSegmentLanes> segment{};
  // Tables of each block of a segment, as numbers of their first probes.
  std::array<std::uint16_t, kMaxSegmentBlocks> tables{};
};

SHARDINE_AVX512_INLINE inline __m512i All(std::uint64_t value) {
  return _mm512_set1_epi64(static_cast<long long>(value));
}

SHARDINE_AVX512_INLINE inline Numbers ToNumbers(__m512i lanes) {
  Numbers numbers;
  _mm512_store_si512(numbers.of.data(), lanes);
  return numbers;
}

// Not by way of memory, where a load would wait for the store before it.
SHARDINE_AVX512_INLINE inline void Set(__m512i& lanes, std::size_t lane,
                                       std::uint64_t value) {
  lanes = _mm512_mask_set1_epi64(lanes, static_cast<__mmask8>(1u << lane),
                                 static_cast<long long>(value));
}

SHARDINE_AVX512_INLINE inline __m128i LoadPair(const void* low,
                                               const void* high) {
  const __m128 first =
      _mm_castsi128_ps(_mm_loadl_epi64(static_cast<const __m128i*>(low)));
  return _mm_castps_si128(_mm_loadh_pi(first, static_cast<const __m64*>(high)));
}

// 64 bits from each lane's place. A third faster than a gather on processors
// that make one of many operations, and no slower elsewhere.
template <typename T>
SHARDINE_AVX512_INLINE inline __m512i LoadLanes(const T* from,
                                                __m512i indices) {
  const Numbers at = ToNumbers(indices);
  const __m128i v0 = LoadPair(from + at.of[0], from + at.of[1]);
  const __m128i v1 = LoadPair(from + at.of[2], from + at.of[3]);
  const __m128i v2 = LoadPair(from + at.of[4], from + at.of[5]);
  const __m128i v3 = LoadPair(from + at.of[6], from + at.of[7]);
  return _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_set_m128i(v1, v0)),
                            _mm256_set_m128i(v3, v2), 1);
}

// 64 bits to each lane's place. By way of memory, which the compiler would
// avoid: taking lanes out of vector registers uses execution units that the
// rest needs, and a scatter takes longer than all of it on processors that
// split it into many operations.
SHARDINE_AVX512_INLINE inline void StoreLanes(std::int16_t* area,
                                              __m512i places, __m512i values) {
  Numbers at = ToNumbers(places);
  Numbers bits = ToNumbers(values);
  asm("" : "+m"(at), "+m"(bits));
  for (std::size_t i = 0; i < kGroupLanes; ++i) {
    std::memcpy(area + i * kLaneValues + at.of[i], &bits.of[i],
                sizeof(bits.of[i]));
  }
}

#if defined(SHARDINE_CHECK_LANES)
SHARDINE_AVX512 void CheckReads(const SegmentScan& scan, __m512i bit) {
  for (const std::uint64_t at : ToNumbers(bit).of) {
    SHARDINE_CHECK(at / 8 + 8 <= scan.data.size());
  }
}

SHARDINE_AVX512 void CheckWrites(__m512i place) {
  for (const std::uint64_t at : ToNumbers(place).of) {
    SHARDINE_CHECK(at + 4 <= kLaneValues);
  }
}

SHARDINE_AVX512 void CheckProbes(__m512i number) {
  for (const std::uint64_t at : ToNumbers(number).of) {
    SHARDINE_CHECK(at < 2 * kProbes * kMaxComponents);
  }
}
#else
SHARDINE_AVX512_INLINE inline void CheckReads(const SegmentScan&, __m512i) {}
SHARDINE_AVX512_INLINE inline void CheckWrites(__m512i) {}
SHARDINE_AVX512_INLINE inline void CheckProbes(__m512i) {}
#endif

// One symbol in each of the lanes, the slow way.
SHARDINE_AVX512 __attribute__((noinline)) void StepSlowly(LaneState& state,
                                                          std::size_t group,
                                                          std::uint32_t lanes,
                                                          Lanes& at) {
  const SegmentScan& scan = state.scan;
  const Numbers bits = ToNumbers(at.bit);
  const Numbers places = ToNumbers(at.place);
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(lanes));
    const std::size_t lane = group * kGroupLanes + i;
    const std::uint64_t position = places.of[i] % kBlockSize;
    const std::uint64_t begin = places.of[i] - position;
    const DecodedSymbol symbol = scan.tables.DecodeSymbol(
        scan.slot[begin / kBlockSize], BitsAt(scan.data.data(), bits.of[i]),
        static_cast<std::uint32_t>(position));
    state.segment[lane].valid &= symbol.valid;
    if (symbol.value != 0) {
      scan.area[lane * kLaneValues + begin + symbol.position] =
          static_cast<std::int16_t>(symbol.value);
    }
    const std::uint64_t next = bits.of[i] + symbol.length;
    Set(at.bit, i, next);
    Set(at.place, i, begin + symbol.next);
    Set(at.bits, i, BitsAt(scan.data.data(), next));
  }
}

SHARDINE_AVX512_INLINE inline void LoadBits(const SegmentScan& scan,
                                            Lanes& at) {
  const __m512i swap =
      _mm512_set4_epi32(0x08090A0B, 0x0C0D0E0F, 0x00010203, 0x04050607);
  CheckReads(scan, at.bit);
  const __m512i bytes =
      LoadLanes(scan.data.data(), _mm512_srli_epi64(at.bit, 3));
  at.bits = _mm512_sllv_epi64(_mm512_shuffle_epi8(bytes, swap),
                              _mm512_and_si512(at.bit, All(7)));
}

// The first values of the entries and, 16 bits higher for each place, their
// second values.
SHARDINE_AVX512_INLINE inline __m512i Values(__m512i probes, __m512i lengths,
                                             __m512i bits, __m512i gaps) {
  const __m512i values = _mm512_maskz_add_epi16(
      0x33333333, _mm512_srli_epi64(probes, 16),
      _mm512_srlv_epi64(bits, _mm512_sub_epi64(All(64), lengths)));
  const __m512i second = _mm512_sllv_epi64(_mm512_srli_epi64(values, 16), gaps);
  // second | (values & 0xFFFF)
  return _mm512_ternarylogic_epi64(second, values, All(0xFFFF), 0xF8);
}

SHARDINE_AVX512_INLINE inline __m512i Lengths(__m512i probes) {
  // The second byte of each; an index of 80 gives zero.
  constexpr std::uint64_t kNothing = 0x8080808080808080;
  const __m512i order = _mm512_broadcast_i64x2(
      _mm_set_epi64x(static_cast<long long>(kNothing ^ 0x89),
                     static_cast<long long>(kNothing ^ 0x81)));
  return _mm512_shuffle_epi8(probes, order);
}

SHARDINE_AVX512_INLINE inline void StepLanes(LaneState& state,
                                             std::size_t group, __m512i tables,
                                             Lanes& at) {
  const __m512i in_block = All(kBlockSize - 1);
  const __mmask8 running = _mm512_cmplt_epi64_mask(at.place, at.end);
  const __m512i block = _mm512_srli_epi64(at.place, 6);
  __m512i number = _mm512_maskz_permutexvar_epi16(0x11111111, block, tables);
  number = _mm512_mask_add_epi64(
      number, _mm512_test_epi64_mask(at.place, in_block), number, All(kProbes));
  number =
      _mm512_add_epi64(number, _mm512_srli_epi64(at.bits, 64 - kProbeBits));
  CheckProbes(number);
  // A lane at its end gets a probe of zeros: it is not slow, drops no bits and
  // goes no further.
  const __m512i probes =
      _mm512_maskz_mov_epi64(running, LoadLanes(state.probes, number));

  const __m512i left =
      _mm512_sub_epi64(All(kBlockSize), _mm512_and_si512(at.place, in_block));
  const __mmask8 slow =
      _mm512_cmpge_epu64_mask(probes, _mm512_slli_epi64(left, 56));
  const __m512i lengths = Lengths(probes);
  const __m512i first_gap = _mm512_srli_epi64(probes, 48);
  const __m512i place =
      _mm512_add_epi64(at.place, _mm512_and_si512(first_gap, All(15)));
  CheckWrites(place);
  const auto fast = static_cast<__mmask8>(~slow);
  // Slow lanes store zeros, which change nothing where they go: nothing is
  // written there yet.
  StoreLanes(state.scan.area + group * kGroupLanes * kLaneValues, place,
             _mm512_maskz_mov_epi64(
                 fast, Values(probes, lengths, at.bits,
                              _mm512_and_si512(first_gap, All(0x30)))));
  // Undone where it was wrong, which is sooner than to wait for the mask.
  const __m512i old_place = at.place;
  const __m512i old_bit = at.bit;
  at.place = _mm512_add_epi64(at.place, _mm512_min_epu8(probes, left));
  at.bit = _mm512_add_epi64(at.bit, lengths);
  at.bits = _mm512_sllv_epi64(at.bits, lengths);
  if (__builtin_expect(slow != 0, 0)) {
    Lanes copy = at;
    copy.place = _mm512_mask_mov_epi64(at.place, slow, old_place);
    copy.bit = _mm512_mask_mov_epi64(at.bit, slow, old_bit);
    StepSlowly(state, group, slow, copy);
    at = copy;
  }
}

// Hands over the segments that have ended and begins others in their lanes.
SHARDINE_AVX512 __attribute__((noinline)) void ChangeSegments(
    LaneState& state, std::size_t group, std::uint32_t lanes, Lanes& at) {
  const SegmentScan& scan = state.scan;
  const Numbers bits = ToNumbers(at.bit);
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(lanes));
    const std::size_t lane = group * kGroupLanes + i;
    if ((state.active[group] >> i & 1) != 0) {
      state.segment[lane].end_bit = bits.of[i];
      Deliver(scan, lane, state.segment[lane]);
    } else {
      ++state.at_work;
      state.active[group] |= 1u << i;
    }
    Set(at.place, i, 0);
    if (state.next == scan.tasks.size()) {
      Set(at.end, i, 0);
      --state.at_work;
      state.active[group] &= ~(1u << i);
      continue;
    }
    const SegmentTask& task = scan.tasks[state.next];
    state.segment[lane] = {.task = state.next++};
    Set(at.bit, i, task.bit);
    Set(at.end, i, task.blocks * kBlockSize);
  }
}

SHARDINE_AVX512_INLINE inline void CheckEnds(LaneState& state,
                                             std::size_t group, Lanes& at) {
  const std::uint32_t ended =
      state.active[group] & _mm512_cmpge_epi64_mask(at.place, at.end);
  if (__builtin_expect(ended != 0, 0)) {
    Lanes copy = at;
    ChangeSegments(state, group, ended, copy);
    at = copy;
  }
}

SHARDINE_AVX512 Lanes BeginLanes(LaneState& state, std::size_t group) {
  Lanes at;
  at.bit = at.place = at.end = at.bits = _mm512_setzero_si512();
  ChangeSegments(state, group, 0xFF, at);
  return at;
}

SHARDINE_AVX512 void StepAll(LaneState& state) {
  const __m512i tables = _mm512_loadu_si512(state.tables.data());
  // Copies, since a variable whose address a function was given stays in
  // memory.
  const Lanes first_low = BeginLanes(state, 0);
  const Lanes first_high = BeginLanes(state, 1);
  Lanes low = first_low;
  Lanes high = first_high;
  while (state.at_work > 0) {
    LoadBits(state.scan, low);
    LoadBits(state.scan, high);
    for (std::size_t i = 0; i < kProbesPerLoad; ++i) {
      StepLanes(state, 0, tables, low);
      StepLanes(state, 1, tables, high);
    }
    CheckEnds(state, 0, low);
    CheckEnds(state, 1, high);
  }
}

}  // namespace

void DecodeInLanes(const SegmentScan& scan) {
  LaneState state{.scan = scan, .probes = scan.tables.probes()->dc.data()};
  for (std::size_t i = 0; i < kMaxSegmentBlocks; ++i) {
    state.tables[i] = static_cast<std::uint16_t>(scan.slot[i] * 2 * kProbes);
  }
  StepAll(state);
}

}  // namespace shardine

#else

namespace shardine {

void DecodeInLanes(const SegmentScan&) { SHARDINE_CHECK(false); }

}  // namespace shardine

#endif
