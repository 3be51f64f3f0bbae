#include "base/decompressor.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "base/philox.h"

namespace shardine::decompressor_test {
namespace {

constexpr Compression kAll[] = {Compression::kGzip, Compression::kZlib,
                                Compression::kZstd};

std::string Deflated(const std::string& plain, int window_bits) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, window_bits, 8,
                       Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&stream, plain.size()) + 64, '\0');
  stream.next_in =
      const_cast<Bytef*>(reinterpret_cast<const Bytef*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string Compressed(Compression compression, const std::string& plain) {
  if (compression == Compression::kGzip) return Deflated(plain, 15 + 16);
  if (compression == Compression::kZlib) return Deflated(plain, 15);
  std::string out(ZSTD_compressBound(plain.size()), '\0');
  ZSTD_CCtx* context = ZSTD_createCCtx();
  // Most files have a checksum; without it damage is found by luck.
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  const std::size_t size = ZSTD_compress2(context, out.data(), out.size(),
                                          plain.data(), plain.size());
  ZSTD_freeCCtx(context);
  REQUIRE_FALSE(ZSTD_isError(size));
  out.resize(size);
  return out;
}

// Text and noise: neither all matches nor all literals.
std::string Sample(std::size_t size) {
  std::string text;
  for (std::uint32_t i = 0; text.size() < size; ++i) {
    text += "line " + std::to_string(i) + " ";
    for (const std::uint32_t word : Philox4x32({i, 0, 0, 0}, {5, 6})) {
      text += static_cast<char>(word & 0xff);
    }
  }
  text.resize(size);
  return text;
}

struct Outcome {
  std::string plain;
  Status status;
  bool at_end = false;
};

// Decompresses in pieces of these sizes, until no call makes progress.
Outcome Run(Compression compression, std::string_view data,
            std::size_t input_piece, std::size_t output_piece) {
  Outcome outcome;
  const auto decompressor = MakeDecompressor(compression);
  std::string room(output_piece, '\0');
  std::size_t given = 0;
  while (true) {
    const ByteView input = AsBytes(data.substr(given, input_piece));
    const auto progress = decompressor->Decompress(
        input, std::as_writable_bytes(std::span(room)));
    if (!progress.ok()) {
      outcome.status = progress.status();
      return outcome;
    }
    if (progress->consumed > input.size() || progress->produced > room.size()) {
      FAIL("more than there is");
    }
    given += progress->consumed;
    outcome.plain += room.substr(0, progress->produced);
    if (progress->consumed + progress->produced == 0) break;
  }
  outcome.at_end = decompressor->at_end() && given == data.size();
  return outcome;
}

TEST_CASE("Decompressor returns what was compressed, in pieces of any size",
          "[decompressor]") {
  for (const Compression compression : kAll) {
    for (const std::size_t size : {0U, 1U, 64U, 5000U, 300'000U}) {
      const std::string plain = Sample(size);
      const std::string data = Compressed(compression, plain);
      for (const std::size_t in : {1U, 7U, 4096U, 1U << 20}) {
        for (const std::size_t out : {1U, 64U, 5000U, 1U << 20}) {
          if (size > 5000 && in * out < 4096) continue;
          const Outcome outcome = Run(compression, data, in, out);
          INFO(static_cast<int>(compression)
               << ", " << size << " bytes, pieces " << in << ", " << out);
          REQUIRE(outcome.status.ToString() == "OK");
          REQUIRE((outcome.plain == plain));
          REQUIRE(outcome.at_end);
        }
      }
    }
  }
}

TEST_CASE("Decompressor joins members or frames that follow each other",
          "[decompressor]") {
  for (const Compression compression : kAll) {
    const std::string data =
        Compressed(compression, "one ") + Compressed(compression, "") +
        Compressed(compression, "two ") + Compressed(compression, "three");
    for (const std::size_t out : {1U, 4U, 100U}) {
      const Outcome outcome = Run(compression, data, 3, out);
      CHECK(outcome.status.ok());
      CHECK(outcome.plain == "one two three");
      CHECK(outcome.at_end);
    }
  }
}

TEST_CASE("Decompressor passes over a skippable frame", "[decompressor]") {
  const std::string skippable("\x50\x2a\x4d\x18\x03\0\0\0abc", 11);
  const Outcome outcome =
      Run(Compression::kZstd, skippable + Compressed(Compression::kZstd, "x"),
          100, 100);
  CHECK(outcome.plain == "x");
  CHECK(outcome.at_end);
}

TEST_CASE("Decompressor is at the end of no data at all", "[decompressor]") {
  for (const Compression compression : kAll) {
    const Outcome outcome = Run(compression, "", 1, 1);
    CHECK(outcome.status.ok());
    CHECK(outcome.at_end);
  }
}

TEST_CASE("Decompressor is not at the end of data cut anywhere",
          "[decompressor][corruption]") {
  for (const Compression compression : kAll) {
    const std::string plain = Sample(3000);
    const std::string data = Compressed(compression, plain);
    for (std::size_t size = 1; size < data.size(); ++size) {
      const Outcome outcome = Run(compression, data.substr(0, size), 100, 700);
      INFO(static_cast<int>(compression) << " cut at " << size);
      REQUIRE(outcome.status.ok());
      REQUIRE_FALSE(outcome.at_end);
      REQUIRE((plain.starts_with(outcome.plain)));
    }
  }
}

TEST_CASE("Decompressor never returns other bytes as the end of damaged data",
          "[decompressor][corruption]") {
  for (const Compression compression : kAll) {
    const std::string plain = Sample(400);
    const std::string data = Compressed(compression, plain);
    for (std::size_t bit = 0; bit < 8 * data.size(); ++bit) {
      std::string damaged = data;
      damaged[bit / 8] ^= static_cast<char>(1 << bit % 8);
      const Outcome outcome = Run(compression, damaged, 50, 150);
      INFO(static_cast<int>(compression) << " bit " << bit);
      const bool whole = outcome.status.ok() && outcome.at_end;
      REQUIRE((!whole || outcome.plain == plain));
    }
  }
}

TEST_CASE("Decompressor refuses what follows that is no member",
          "[decompressor][corruption]") {
  for (const Compression compression : kAll) {
    for (const std::string& after :
         {std::string("garbage"), std::string(512, '\0'), std::string("g")}) {
      const std::string data = Compressed(compression, "content") + after;
      for (const std::size_t in : {1U, 1000U}) {
        const Outcome outcome = Run(compression, data, in, 1000);
        if (outcome.status.ok()) {
          CHECK(after.size() == 1);  // one byte does not tell the format
          CHECK_FALSE(outcome.at_end);
          continue;
        }
        CHECK(outcome.status.code() == Code::kUnsupported);
        CHECK_THAT(outcome.status.message(),
                   Catch::Contains("follow the end of the compressed data"));
      }
    }
    // The second member is damaged, not something else.
    std::string twice = Compressed(compression, "content");
    const std::size_t half = twice.size();
    twice += twice;
    twice[half + (compression == Compression::kZlib ? 3 : 13)] ^= 0x55;
    const Outcome damaged = Run(compression, twice, 1000, 1000);
    CHECK((damaged.status.code() == Code::kCorrupt || !damaged.at_end));
  }
}

TEST_CASE("Decompressor refuses a zstd window beyond 128 MiB by name",
          "[decompressor]") {
  // RFC 8878: magic, no content size, window descriptor exponent << 3 | 0 for
  // 2^(10 + exponent) bytes; then an empty last block.
  const auto frame = [](int log) {
    return std::string("\x28\xb5\x2f\xfd\x00", 5) +
           static_cast<char>((log - 10) << 3) + std::string("\x01\0\0", 3);
  };
  CHECK(Run(Compression::kZstd, frame(20), 100, 100).at_end);
  CHECK(Run(Compression::kZstd, frame(27), 100, 100).at_end);
  const Outcome outcome = Run(Compression::kZstd, frame(28), 100, 100);
  CHECK(outcome.status.code() == Code::kUnsupported);
  CHECK(outcome.status.message().find("128 MiB") != std::string::npos);
}

TEST_CASE("SniffCompression tells compressions by their magic numbers",
          "[decompressor]") {
  for (const Compression compression : kAll) {
    CHECK(SniffCompression(AsBytes(Compressed(compression, Sample(100)))) ==
          compression);
  }
  for (const std::string_view text :
       {"", "\x1f\x8b", "\x1f\x8b\x09\x00", "\x28\xb5\x2f\xfc",
        "\x78\x9d\x00\x00", "x\xbb\x00\x00", "plain text"}) {
    CHECK(SniffCompression(AsBytes(text)) == Compression::kNone);
  }
  CHECK(SniffCompression(AsBytes(std::string(512, '\0'))) ==
        Compression::kNone);
}

TEST_CASE("DecompressHead returns the beginning, up to damage or a cut",
          "[decompressor]") {
  const std::string plain = Sample(20'000);
  for (const Compression compression : kAll) {
    const std::string data = Compressed(compression, plain);
    const auto head = [&](std::string_view from, std::size_t most) {
      return std::string(
          AsText(DecompressHead(compression, AsBytes(from), most).view()));
    };
    CHECK((head(data, 512) == plain.substr(0, 512)));
    CHECK((head(data, 1 << 20) == plain));
    CHECK(head("", 100).empty());
    CHECK(head("not compressed at all", 100).empty());
    const std::string cut = head(std::string_view(data).substr(0, 3000), 9999);
    CHECK((plain.starts_with(cut)));
  }
}

}  // namespace
}  // namespace shardine::decompressor_test
