#include "hdf5/sandbox/sandbox_protocol.h"

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "base/philox.h"
#include "unit/hdf5/scripted_channel.h"

namespace shardine::sandbox_protocol_test {
namespace {

Hdf5Dataset Sample() {
  Hdf5Dataset dataset;
  dataset.group = "train";
  dataset.name = "n01";
  dataset.element = {'f', 4, true};
  dataset.storage = Hdf5Storage::kChunked;
  dataset.offset = 77;
  dataset.dims = {10, 3};
  dataset.chunk = {4, 3};
  dataset.filter = "zstd (32015)";
  dataset.stored = 99;
  return dataset;
}

TEST_CASE("A dataset survives the way between the processes",
          "[hdf5][protocol]") {
  const auto back = DecodeDataset(AsBytes(Encoded(Sample())));
  REQUIRE(back.ok());
  CHECK(back->path() == "train/n01");
  CHECK(back->element.kind == 'f');
  CHECK(back->element.big_endian);
  CHECK(back->offset == 77);
  CHECK(back->dims == Sample().dims);
  CHECK(back->chunk == Sample().chunk);
  CHECK(back->filter == "zstd (32015)");
  CHECK(back->stored == 99);
}

TEST_CASE("A dataset may claim 64 MiB and what a filter makes of its bytes",
          "[hdf5][protocol]") {
  const Hdf5Widths widths;
  Hdf5Dataset dataset;
  dataset.element = {'u', 1, false};
  const auto is_stored = [&](std::uint64_t rows, std::uint64_t stored) {
    dataset.dims = {rows, 1};
    dataset.stored = stored;
    return IsStored(dataset, widths);
  };
  constexpr std::uint64_t kFree = std::uint64_t{64} << 20;
  CHECK(is_stored(kFree, 0));
  CHECK(is_stored(kFree + 1099, 0));
  CHECK_FALSE(is_stored(kFree + 1100, 0));
  CHECK(is_stored(kFree + 1100 * 1000, 1000));
  CHECK_FALSE(is_stored(std::uint64_t{1} << 40, 1500));
  // References to rows of variable length take 16 bytes each.
  dataset.row = Hdf5Row::kSequence;
  CHECK(is_stored(kFree / 16, 0));
  CHECK_FALSE(is_stored(kFree / 16 + 100, 0));
  // An offset beyond 63 bits is not anywhere.
  dataset.element.size = 8;
  dataset.row = Hdf5Row::kFixed;
  CHECK_FALSE(is_stored(std::uint64_t{1} << 62, ~std::uint64_t{0}));
}

TEST_CASE("DecodeDataset refuses every cut and what cannot be",
          "[hdf5][protocol]") {
  const std::string text = Encoded(Sample());
  for (std::size_t size = 0; size < text.size(); ++size) {
    CHECK_FALSE(DecodeDataset(AsBytes(text.substr(0, size))).ok());
  }
  CHECK_FALSE(DecodeDataset(AsBytes(text + "x")).ok());
  const auto refuses = [](auto change) {
    Hdf5Dataset dataset = Sample();
    change(dataset);
    CHECK_FALSE(DecodeDataset(AsBytes(Encoded(dataset))).ok());
  };
  refuses([](auto& d) { d.element.size = 3; });
  refuses([](auto& d) { d.element.kind = 'x'; });
  refuses([](auto& d) { d.chunk[1] = 0; });
  refuses([](auto& d) { d.chunk.pop_back(); });
  refuses([](auto& d) { d.dims = {1ULL << 40, 1ULL << 40}; });
  refuses([](auto& d) { d.storage = static_cast<Hdf5Storage>(9); });
  refuses([](auto& d) { d.dims.assign(33, 1); });
}

// Refused, or taken literally.
void CheckTakenAsItIs(const std::string& text) {
  const auto dataset = DecodeDataset(AsBytes(text));
  if (dataset.ok()) {
    if (Encoded(*dataset) != text) FAIL("taken for another dataset");
  } else if (dataset.status().code() != Code::kCorrupt) {
    FAIL(dataset.status().ToString());
  }
}

TEST_CASE("DecodeDataset refuses a message or takes all that it says",
          "[hdf5][protocol]") {
  Hdf5Dataset several = Sample();
  several.type_name = "compound";
  several.element = {'O', 12, false};
  for (const std::string& text : {Encoded(Sample()), Encoded(several)}) {
    for (std::size_t at = 0; at < text.size(); ++at) {
      for (int value = 0; value < 256; ++value) {
        std::string changed = text;
        changed[at] = static_cast<char>(value);
        CheckTakenAsItIs(changed);
      }
      // Sizes that lie about the bytes behind them.
      for (const std::uint32_t lie : {~0U, 0x7fffffffU, 4097U, 33U}) {
        std::string changed = text.substr(0, at);
        AppendLe(lie, changed);
        if (at + 4 < text.size()) changed += text.substr(at + 4);
        CheckTakenAsItIs(changed);
      }
    }
  }
}

bool Takes(const Hdf5Dataset& dataset) {
  return DecodeDataset(AsBytes(Encoded(dataset))).ok();
}

TEST_CASE("DecodeDataset takes elements that readers can load, and no others",
          "[hdf5][protocol]") {
  const std::map<char, std::set<std::uint32_t>> numbers = {
      {'i', {1, 2, 4, 8}}, {'u', {1, 2, 4, 8}}, {'f', {2, 4, 8}}, {'b', {1}}};
  Hdf5Dataset dataset;
  for (int kind = 0; kind < 256; ++kind) {
    for (const std::uint32_t size :
         {0U, 1U, 2U, 3U, 4U, 5U, 7U, 8U, 9U, 16U, 300U, ~0U}) {
      const char letter = static_cast<char>(kind);
      dataset.element = {letter, size, false};
      const auto known = numbers.find(letter);
      const bool good =
          letter == 'O' || (letter == 'S' && size > 0) ||
          (known != numbers.end() && known->second.contains(size));
      INFO("kind " << kind << " of " << size);
      REQUIRE(Takes(dataset) == good);
    }
  }
}

TEST_CASE("DecodeDataset takes texts of 4096 bytes and 32 axes at most",
          "[hdf5][protocol]") {
  std::string Hdf5Dataset::*const texts[] = {
      &Hdf5Dataset::group, &Hdf5Dataset::name, &Hdf5Dataset::type_name,
      &Hdf5Dataset::filter};
  for (const auto text : texts) {
    Hdf5Dataset dataset = Sample();
    dataset.*text = std::string(4096, 'n');
    CHECK(Takes(dataset));
    dataset.*text += 'n';
    CHECK_FALSE(Takes(dataset));
  }
  Hdf5Dataset dataset = Sample();
  dataset.dims.assign(32, 1);
  dataset.chunk.assign(32, 1);
  CHECK(Takes(dataset));
  dataset.dims.push_back(1);
  dataset.chunk.push_back(1);
  CHECK_FALSE(Takes(dataset));
}

TEST_CASE("DecodeDataset takes chunks where there are chunks, of all axes",
          "[hdf5][protocol]") {
  for (int storage = 0; storage < 256; ++storage) {
    for (const std::size_t axes : {0UL, 1UL, 2UL, 3UL}) {
      Hdf5Dataset dataset = Sample();
      dataset.storage = static_cast<Hdf5Storage>(storage);
      dataset.chunk.assign(axes, 7);
      const bool chunked = dataset.storage == Hdf5Storage::kChunked;
      REQUIRE(Takes(dataset) == (storage < 3 && axes == (chunked ? 2 : 0)));
    }
  }
  Hdf5Dataset scalar = Sample();
  scalar.dims.clear();
  scalar.chunk.clear();
  CHECK_FALSE(Takes(scalar));
  for (int row = 0; row < 256; ++row) {
    Hdf5Dataset dataset = Sample();
    dataset.row = static_cast<Hdf5Row>(row);
    REQUIRE(Takes(dataset) == (row < 3));
  }
}

TEST_CASE("DecodeWidths takes widths that HDF5 has, and whole messages",
          "[hdf5][protocol]") {
  for (std::uint32_t address = 0; address < 20; ++address) {
    for (std::uint32_t length = 0; length < 20; ++length) {
      std::string text;
      EncodeWidths({address, length, 99}, text);
      const auto back = DecodeWidths(AsBytes(text));
      const std::set<std::uint32_t> known = {2, 4, 8};
      REQUIRE(back.ok() == (known.contains(address) && known.contains(length)));
      if (!back.ok()) continue;
      CHECK(back->address == address);
      CHECK(back->length == length);
      CHECK(back->base == 99);
    }
  }
  const std::string text = Header();
  for (std::size_t size = 0; size < text.size(); ++size) {
    CHECK_FALSE(DecodeWidths(AsBytes(text.substr(0, size))).ok());
  }
  CHECK_FALSE(DecodeWidths(AsBytes(text + "x")).ok());
}

TEST_CASE("Product has a value where 63 bits hold it", "[hdf5][protocol]") {
  for (std::uint32_t i = 0; i < 3000; ++i) {
    const auto draw = Philox4x32({i, 0, 0, 0}, {9, 9});
    std::int64_t expected = 1 + draw[3] % 9;
    bool fits = true;
    const std::uint64_t first = static_cast<std::uint64_t>(expected);
    std::vector<std::uint64_t> factors;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      // Factors of all magnitudes.
      factors.push_back(1 + (std::uint64_t{draw[axis]} >> (i + axis * 7) % 32));
      fits = fits &&
             !__builtin_mul_overflow(
                 expected, static_cast<std::int64_t>(factors[axis]), &expected);
    }
    const auto product = Product(first, factors);
    REQUIRE(product.has_value() == fits);
    if (fits) REQUIRE(*product == static_cast<std::uint64_t>(expected));
  }
  CHECK(Product(0, std::vector<std::uint64_t>{~0ULL, ~0ULL}) == 0);
  CHECK(Product(1, std::vector<std::uint64_t>{(1ULL << 63) - 1}) ==
        (1ULL << 63) - 1);
  CHECK_FALSE(Product(1, std::vector<std::uint64_t>{1ULL << 63}));
}

TEST_CASE("Rows of variable length claim what their references take",
          "[hdf5][protocol]") {
  Hdf5Dataset dataset;
  dataset.element = {'f', 8, false};
  dataset.dims = {10};
  CHECK(ClaimedBytes(dataset, {}) == 80);
  for (const Hdf5Row row : {Hdf5Row::kSequence, Hdf5Row::kString}) {
    dataset.row = row;
    // A length of 4 bytes, an address, a number of 4 bytes.
    CHECK(ClaimedBytes(dataset, {.address = 8}) == 160);
    CHECK(ClaimedBytes(dataset, {.address = 4}) == 120);
    CHECK(ClaimedBytes(dataset, {.address = 2}) == 100);
  }
  dataset.dims.clear();
  CHECK(ClaimedBytes(dataset, {}) == 16);
  dataset.dims = {1ULL << 60};
  CHECK_FALSE(ClaimedBytes(dataset, {}));
}

}  // namespace
}  // namespace shardine::sandbox_protocol_test
