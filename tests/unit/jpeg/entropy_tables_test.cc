#include "jpeg/entropy_tables.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <random>
#include <vector>

#include "support/jpeg_maker.h"
#include "unit/jpeg/huffman_codes.h"

namespace shardine::entropy_tables_test {
namespace {

JpegFrame FrameWith(const HuffmanSpec& dc, const HuffmanSpec& ac) {
  JpegFrame frame;
  frame.components = 1;
  frame.dc[0] = dc;
  frame.ac[0] = ac;
  return frame;
}

std::uint64_t RandomBits(std::mt19937& random) {
  return std::uint64_t{random()} << 32 | random();
}

// Calls `check` with tables of all shapes, as a frame has them.
template <class Check>
void ForEachPair(const Check& check) {
  const std::vector<HuffmanSpec> dc = SpecsOfAllShapes(true);
  const std::vector<HuffmanSpec> ac = SpecsOfAllShapes(false);
  for (std::size_t i = 0; i < ac.size(); ++i) {
    CAPTURE(i);
    check(FrameWith(dc[i], ac[i]));
    check(FrameWith(dc[(i * 7 + 3) % dc.size()], ac[i]));
  }
}

// T.81, F.2.2.3 and C.2, one bit after the other; -1: no such code.
int SymbolByTheBook(const HuffmanSpec& spec, std::uint64_t bits,
                    std::uint32_t& length) {
  std::uint32_t code = 0;
  std::uint32_t first = 0;  // code of this length
  std::uint32_t number = 0;
  for (length = 1; length <= 16; ++length) {
    code = code << 1 | static_cast<std::uint32_t>(bits >> (64 - length) & 1);
    first <<= 1;
    if (code - first < spec.counts[length]) {
      return spec.symbols[number + code - first];
    }
    first += spec.counts[length];
    number += spec.counts[length];
  }
  return -1;
}

DecodedSymbol DecodeByTheBook(const JpegFrame& frame, std::uint64_t bits,
                              std::uint32_t position) {
  std::uint32_t length = 0;
  const int symbol =
      SymbolByTheBook(position == 0 ? frame.dc[0] : frame.ac[0], bits, length);
  if (symbol < 0) return {16, 63, 0, 64, false};
  const std::uint32_t extra = static_cast<std::uint32_t>(symbol) & 15;
  const std::uint32_t run =
      position == 0 ? 0 : static_cast<std::uint32_t>(symbol) >> 4;
  DecodedSymbol decoded{length + extra, std::min(position + run, 63u), 0,
                        std::min(position + run + 1, 64u), true};
  if (position > 0 && extra == 0 && run < 15) decoded.next = 64;
  std::int32_t value = 0;
  for (std::uint32_t i = 0; i < extra; ++i) {
    value = value * 2 + static_cast<int>(bits >> (63 - length - i) & 1);
  }
  if (extra > 0 && value < 1 << (extra - 1)) value -= (1 << extra) - 1;
  decoded.value = value;
  return decoded;
}

bool Same(const DecodedSymbol& a, const DecodedSymbol& b) {
  return a.length == b.length && a.value == b.value && a.next == b.next &&
         a.valid == b.valid && (a.value == 0 || a.position == b.position);
}

// The part of a block that has been read.
struct BlockSoFar {
  std::array<std::int16_t, kBlockSize> values{};
  std::uint32_t next = 0;
  std::uint32_t length = 0;

  friend bool operator==(const BlockSoFar&, const BlockSoFar&) = default;
};

// Takes a probe as the comment on HuffmanProbe defines it.
BlockSoFar TakeProbe(const HuffmanProbe& probe, std::uint64_t bits,
                     std::uint32_t k) {
  BlockSoFar block;
  if (probe.gap() > 0) {
    block.values[k + probe.first() + probe.gap()] = probe.second_value;
  }
  block.values[k + probe.first()] = FirstValue(probe, bits);
  block.next = k + std::min<std::uint32_t>(probe.step, 64 - k);
  block.length = probe.length;
  return block;
}

// The same number of bits, symbol by symbol.
BlockSoFar TakeSymbols(const EntropyTables& tables, std::uint64_t bits,
                       std::uint32_t k, std::uint32_t length) {
  BlockSoFar block;
  block.next = k;
  while (block.length < length && block.next < 64) {
    const DecodedSymbol symbol =
        tables.DecodeSymbol(0, bits << block.length, block.next);
    if (!symbol.valid) break;
    if (symbol.value != 0) {
      block.values[symbol.position] = static_cast<std::int16_t>(symbol.value);
    }
    block.next = symbol.next;
    block.length += symbol.length;
  }
  return block;
}

void CheckProbes(const EntropyTables& tables, std::mt19937& random) {
  for (std::uint32_t index = 0; index < kProbes; ++index) {
    const std::uint64_t bits = std::uint64_t{index} << (64 - kProbeBits) |
                               RandomBits(random) >> kProbeBits;
    for (const std::uint32_t k : {0u, 1u, 40u, 58u, 61u, 62u, 63u}) {
      const ProbeTables& probes = tables.probes(0);
      const HuffmanProbe& probe = (k == 0 ? probes.dc : probes.ac)[index];
      if (k + probe.reach > 63) continue;
      CAPTURE(index, k);
      REQUIRE(probe.length > 0);
      REQUIRE(probe.length <= kMaxProbeLength);
      REQUIRE(probe.gap() <= 3);
      REQUIRE((TakeProbe(probe, bits, k) ==
               TakeSymbols(tables, bits, k, probe.length)));
    }
  }
}

}  // namespace

TEST_CASE("symbols of codes of all shapes are those of the standard",
          "[jpeg]") {
  std::mt19937 random(1);
  EntropyTables tables;
  int valid = 0;
  ForEachPair([&](const JpegFrame& frame) {
    tables.Build(frame);
    for (int i = 0; i < 3000; ++i) {
      std::uint64_t bits = RandomBits(random);
      if (i % 3 == 0) bits |= ~std::uint64_t{0} << (random() % 16 + 48);
      const std::uint32_t position = i % 4 == 0 ? 0 : random() % 64;
      CAPTURE(bits, position);
      const DecodedSymbol symbol = tables.DecodeSymbol(0, bits, position);
      REQUIRE(Same(symbol, DecodeByTheBook(frame, bits, position)));
      valid += symbol.valid ? 1 : 0;
    }
  });
  CHECK(valid > 10000);
}

TEST_CASE("probes mean what their symbols mean one by one", "[jpeg]") {
  std::mt19937 random(2);
  EntropyTables tables;
  ForEachPair([&](const JpegFrame& frame) {
    tables.Build(frame);
    CheckProbes(tables, random);
  });
}

TEST_CASE("a probe knows what is whole in its bits", "[jpeg]") {
  // AC codes 0: end of block; 10: 0/1; 110: 2/1; 1110: ZRL; DC code 0: no bits.
  HuffmanSpec dc;
  dc.counts[1] = 1;
  HuffmanSpec ac;
  ac.counts = {0, 1, 1, 1, 1};
  ac.symbols = {0x00, 0x01, 0x21, 0xF0};
  EntropyTables tables;
  tables.Build(FrameWith(dc, ac));
  const auto& probes = tables.probes(0);
  // 10 1, 110 0, 0: a 1, two zeros, a -1, the end.
  const HuffmanProbe& three = probes.ac[0b10111000'000];
  CHECK(three.length == 8);
  CHECK(three.first() == 0);
  CHECK(three.gap() == 3);
  CHECK(three.second_value == -1);
  CHECK(three.step == 64);
  CHECK(three.reach == 4);
  const HuffmanProbe& run = probes.ac[0b1110'1110'111];
  CHECK(run.length == 4);
  CHECK(run.step == 16);
  CHECK(run.reach == 15);
  CHECK(probes.ac[0b1111'0000'000].reach == 255);
  const HuffmanProbe& flat = probes.dc[0];
  CHECK(flat.length == 2);  // with the end of the block
  CHECK(flat.step == 64);
}

TEST_CASE("components that share tables share a slot", "[jpeg]") {
  JpegFrame frame;
  REQUIRE(ReadJpegFrame(AsBytes(MakeJpeg()), frame));
  EntropyTables tables;
  tables.Build(frame);
  CHECK(tables.slot(0) == 0);
  CHECK(tables.slot(1) == 1);
  CHECK(tables.slot(2) == 1);
}

TEST_CASE("tables kept from other images change nothing", "[jpeg]") {
  std::mt19937 random(4);
  EntropyTables kept;
  ForEachPair([&](const JpegFrame& frame) {
    kept.Build(frame);
    EntropyTables fresh;
    fresh.Build(frame);
    REQUIRE(std::memcmp(kept.probes(), fresh.probes(), sizeof(ProbeTables)) ==
            0);
  });
}

}  // namespace shardine::entropy_tables_test
