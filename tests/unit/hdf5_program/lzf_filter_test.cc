#include "hdf5/sandbox/program/lzf_filter.h"

#include <catch2/catch.hpp>
#include <memory>

#include "unit/hdf5_program/hdf5_maker.h"
#include "unit/hdf5_program/lzf_writer.h"

namespace shardine::lzf_filter_test {
namespace {

// The output where there is room for `room` bytes. The input has no byte after
// its last, for sanitizers to see, and the bytes after the room are REQUIREd to
// stay as they were.
std::optional<std::string> Expand(const std::string& packed, std::size_t room) {
  constexpr std::size_t kGuard = 300;
  const auto in = std::make_unique<unsigned char[]>(packed.size());
  std::copy(packed.begin(), packed.end(), in.get());
  std::vector<unsigned char> out(room + kGuard, 0xa5);
  const auto made =
      ExpandLzf({in.get(), packed.size()}, std::span(out).first(room));
  for (std::size_t i = 0; i < kGuard; ++i) {
    if (out[room + i] != 0xa5) FAIL("written beyond the room");
  }
  if (!made) return std::nullopt;
  REQUIRE(*made <= room);
  return std::string(out.begin(),
                     out.begin() + static_cast<std::ptrdiff_t>(*made));
}

struct Tokens {
  std::string packed;
  std::string plain;              // their meaning
  std::vector<std::size_t> ends;  // of each token in `packed`
  std::vector<std::size_t> made;  // bytes made up to there
};

void AddPlain(const std::string& bytes, Tokens& tokens) {
  AppendLzfPlain(bytes, tokens.packed);
  tokens.plain += bytes;
  tokens.ends.push_back(tokens.packed.size());
  tokens.made.push_back(tokens.plain.size());
}

void AddMatch(std::size_t length, std::size_t back, Tokens& tokens) {
  AppendLzfMatch(length, back, tokens.packed);
  for (std::size_t i = 0; i < length; ++i) {
    tokens.plain += tokens.plain[tokens.plain.size() - back];
  }
  tokens.ends.push_back(tokens.packed.size());
  tokens.made.push_back(tokens.plain.size());
}

Tokens Drawn(std::uint32_t seed, int count) {
  Draws draws(seed);
  Tokens tokens;
  AddPlain(draws.Bytes(1 + draws.Below(kLzfMostPlain)), tokens);
  for (int i = 0; i < count; ++i) {
    if (draws.Below(3) == 0) {
      AddPlain(draws.Bytes(1 + draws.Below(kLzfMostPlain)), tokens);
      continue;
    }
    const auto most =
        static_cast<std::uint32_t>(std::min(tokens.plain.size(), kLzfFarthest));
    const std::uint32_t spread = draws.Below(2) == 0 ? 10 : 262;
    AddMatch(kLzfLeastMatch + draws.Below(spread), 1 + draws.Below(most),
             tokens);
  }
  return tokens;
}

TEST_CASE("ExpandLzf makes what drawn tokens mean", "[hdf5][lzf]") {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    INFO("seed " << seed);
    const Tokens tokens = Drawn(seed, 60);
    CHECK((Expand(tokens.packed, tokens.plain.size()) == tokens.plain));
    CHECK((Expand(tokens.packed, tokens.plain.size() + 9) == tokens.plain));
  }
}

TEST_CASE("ExpandLzf takes tokens of the least and the largest size",
          "[hdf5][lzf]") {
  for (const std::size_t plain : {1UL, 2UL, 31UL, 32UL}) {
    Tokens tokens;
    AddPlain(Draws(1).Bytes(plain), tokens);
    CHECK((Expand(tokens.packed, plain) == tokens.plain));
  }
  // The lengths on both sides of the one that takes a byte of its own.
  for (const std::size_t length : {3UL, 4UL, 8UL, 9UL, 10UL, 263UL, 264UL}) {
    for (const std::size_t back :
         {1UL, 2UL, 255UL, 256UL, 257UL, 8191UL, 8192UL}) {
      INFO(length << " bytes from " << back << " back");
      Draws draws(static_cast<std::uint32_t>(length + back));
      Tokens tokens;
      while (tokens.plain.size() < back) AddPlain(draws.Bytes(32), tokens);
      AddMatch(length, back, tokens);
      CHECK((Expand(tokens.packed, tokens.plain.size()) == tokens.plain));
    }
  }
  CHECK(Expand("", 0) == "");
  CHECK(Expand("", 5) == "");
}

TEST_CASE("ExpandLzf refuses what there is a byte too little room for",
          "[hdf5][lzf]") {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const Tokens tokens = Drawn(seed, 12);
    for (std::size_t room = 0; room < tokens.plain.size(); ++room) {
      if (Expand(tokens.packed, room)) FAIL("expanded into " << room);
    }
  }
}

TEST_CASE("ExpandLzf refuses a distance beyond the first byte", "[hdf5][lzf]") {
  for (const std::size_t made : {1UL, 31UL, 300UL, 8191UL}) {
    INFO(made << " bytes were made");
    Tokens tokens;
    Draws draws(3);
    while (tokens.plain.size() < made) {
      AddPlain(draws.Bytes(std::min(kLzfMostPlain, made - tokens.plain.size())),
               tokens);
    }
    std::string bad = tokens.packed;
    AppendLzfMatch(3, made + 1, bad);
    CHECK_FALSE(Expand(bad, made + 3));
    AddMatch(3, made, tokens);
    CHECK((Expand(tokens.packed, made + 3) == tokens.plain));
  }
  std::string first;
  AppendLzfMatch(3, 1, first);
  CHECK_FALSE(Expand(first, 100));
}

TEST_CASE("ExpandLzf takes a cut between tokens for the end and no other",
          "[hdf5][lzf]") {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const Tokens tokens = Drawn(seed, 20);
    std::size_t token = 0;
    for (std::size_t size = 1; size <= tokens.packed.size(); ++size) {
      INFO("seed " << seed << ", cut at " << size);
      const auto made = Expand(tokens.packed.substr(0, size), 10'000);
      const bool whole = size == tokens.ends[token];
      REQUIRE(made.has_value() == whole);
      if (!whole) continue;
      REQUIRE((*made == tokens.plain.substr(0, tokens.made[token])));
      ++token;
    }
  }
}

TEST_CASE("ExpandLzf stays within its room whatever a byte is changed to",
          "[hdf5][lzf]") {
  const Tokens tokens = Drawn(5, 40);
  int refused = 0;
  for (std::size_t at = 0; at < tokens.packed.size(); ++at) {
    for (const int flip : {0x01, 0x1f, 0x20, 0x80, 0xe0, 0xff}) {
      std::string damaged = tokens.packed;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      if (!Expand(damaged, tokens.plain.size())) ++refused;
    }
  }
  CHECK(refused > 0);
}

// A dataset of one chunk of bytes. The library lets nobody make one with a
// filter that it knows and that cannot pack, so it learns of the filter
// afterwards.
Hdf5Id MakeLzfDataset(const Hdf5Id& file, std::size_t size,
                      const std::vector<unsigned>& values) {
  if (H5Zfilter_avail(kLzfFilter) > 0) {
    REQUIRE(H5Zunregister(kLzfFilter) >= 0);
  }
  const Hdf5Id creation = Chunked({size});
  REQUIRE(H5Pset_filter(creation.get(), kLzfFilter, H5Z_FLAG_OPTIONAL,
                        values.size(), values.data()) >= 0);
  Hdf5Id dataset =
      MakeDataset(file.get(), "d", H5T_STD_U8LE, {size}, creation.get());
  REQUIRE(RegisterLzfFilter());
  return dataset;
}

// `values` are the filter's.
std::string ReadByLibrary(const std::string& data, const std::string& packed,
                          const std::vector<unsigned>& values) {
  const Hdf5Id file = NewFile();
  const Hdf5Id dataset = MakeLzfDataset(file, data.size(), values);
  WriteChunk(dataset, {0}, 0, packed);
  std::string read(data.size(), '\x55');
  if (H5Dread(dataset.get(), H5T_STD_U8LE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
              read.data()) < 0) {
    return "refused";
  }
  return read;
}

TEST_CASE("libhdf5 reads LZF chunks by the registered filter", "[hdf5][lzf]") {
  // Beyond the first guess of a chunk's size, twice.
  for (const std::size_t size : {1UL, 1000UL, 65536UL, 200'000UL}) {
    INFO(size);
    const std::string data = Draws(9).Texture(size);
    const std::string packed = LzfPack(data);
    const auto bytes = static_cast<unsigned>(size);
    // h5py passes versions of filter and library, and bytes of a chunk.
    CHECK((ReadByLibrary(data, packed, {4, 261, bytes}) == data));
    CHECK((ReadByLibrary(data, packed, {}) == data));
    CHECK((ReadByLibrary(data, packed, {4, 261, 1}) == data));
  }
}

TEST_CASE("libhdf5 hears from the LZF filter that a chunk is damaged",
          "[hdf5][lzf]") {
  const std::string data = Draws(9).Texture(500);
  const std::string packed = LzfPack(data);
  std::string bad;
  AppendLzfMatch(3, 1, bad);
  CHECK(ReadByLibrary(data, bad, {4, 261, 500}) == "refused");
  CHECK(ReadByLibrary(data, packed.substr(0, packed.size() - 1),
                      {4, 261, 500}) == "refused");
}

TEST_CASE("libhdf5 keeps chunks as they are, since LZF is not written",
          "[hdf5][lzf]") {
  const Hdf5Id file = NewFile();
  const Hdf5Id dataset = MakeLzfDataset(file, 400, {});
  const std::string data(400, 'x');
  WriteAll(dataset, H5T_STD_U8LE, data.data());
  std::uint32_t mask = 0;
  CHECK(RawChunk(dataset, {0}, mask) == data);
  CHECK(mask == 1);
}

}  // namespace
}  // namespace shardine::lzf_filter_test
