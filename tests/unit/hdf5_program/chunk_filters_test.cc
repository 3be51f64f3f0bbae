#include "hdf5/sandbox/program/chunk_filters.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "hdf5/sandbox/program/lzf_filter.h"
#include "unit/hdf5_program/hdf5_maker.h"
#include "unit/hdf5_program/lzf_writer.h"

namespace shardine::chunk_filters_test {
namespace {

using Pipeline = std::vector<H5Z_filter_t>;

constexpr H5Z_filter_t kShuffle = H5Z_FILTER_SHUFFLE;
constexpr H5Z_filter_t kDeflate = H5Z_FILTER_DEFLATE;
constexpr H5Z_filter_t kSum = H5Z_FILTER_FLETCHER32;

struct Packed {
  std::vector<ChunkFilter> filters;
  std::uint32_t mask = 0;
  std::string bytes;
};

// The chunk that libhdf5 makes of `data`, of elements of `element` bytes.
Packed Pack(const Pipeline& pipeline, std::size_t element,
            const std::string& data) {
  const Hdf5Id file = NewFile();
  const Dims dims = {data.size() / element};
  const Hdf5Id creation = Chunked(dims);
  for (const H5Z_filter_t filter : pipeline) {
    const herr_t added = filter == kShuffle ? H5Pset_shuffle(creation.get())
                         : filter == kSum   ? H5Pset_fletcher32(creation.get())
                                            : H5Pset_deflate(creation.get(), 6);
    REQUIRE(added >= 0);
  }
  const Hdf5Id type = Opaque(element);
  const Hdf5Id dataset =
      MakeDataset(file.get(), "d", type.get(), dims, creation.get());
  WriteAll(dataset, type.get(), data.data());
  Packed packed;
  packed.bytes = RawChunk(dataset, {0}, packed.mask);
  const Hdf5Id stored(H5Dget_create_plist(dataset.get()), H5Pclose);
  const auto filters = FiltersOf(stored.get());
  REQUIRE(filters.has_value());
  packed.filters = *filters;
  return packed;
}

// The chunk, or why there is none.
Result<std::string> Expand(const Packed& packed, std::size_t bytes) {
  REQUIRE(CanExpand(packed.filters, packed.mask));
  ByteBuffer chunk;
  chunk.Append(AsBytes(packed.bytes));
  const Status status = ExpandChunk(packed.filters, packed.mask, bytes, chunk);
  // Whatever a chunk says of itself, no more memory is taken than for it as it
  // is in the file, as it should be, and a checksum or two.
  REQUIRE(chunk.capacity() <= 2 * (packed.bytes.size() + bytes + 16));
  if (!status.ok()) {
    REQUIRE(status.code() == Code::kCorrupt);
    return status;
  }
  return std::string(AsText(chunk.view()));
}

std::vector<Pipeline> AllPipelines() {
  std::vector<Pipeline> all;
  for (unsigned subset = 0; subset < 8; ++subset) {
    Pipeline pipeline;
    for (unsigned i = 0; i < 3; ++i) {
      const H5Z_filter_t filters[] = {kDeflate, kShuffle, kSum};
      if ((subset >> i & 1) != 0) pipeline.push_back(filters[i]);
    }
    std::ranges::sort(pipeline);
    do {
      all.push_back(pipeline);
    } while (std::ranges::next_permutation(pipeline).found);
  }
  return all;
}

TEST_CASE("ExpandChunk undoes what libhdf5's filters did, in any order",
          "[hdf5][filters]") {
  Draws draws(1);
  const auto pipelines = AllPipelines();
  REQUIRE(pipelines.size() == 16);
  for (const Pipeline& pipeline : pipelines) {
    for (const std::size_t element : {1UL, 2UL, 3UL, 8UL}) {
      for (const std::size_t count : {1UL, 7UL, 701UL}) {
        const std::size_t size = element * count;
        // Where deflate makes nothing smaller, libhdf5 leaves it out of the
        // mask; the last data have the largest sums.
        for (const std::string& data : {draws.Bytes(size), draws.Texture(size),
                                        std::string(size, '\xff')}) {
          const auto back = Expand(Pack(pipeline, element, data), size);
          if (!back.ok() || *back != data) {
            FAIL_CHECK(pipeline.size()
                       << " filters, " << element << " bytes, " << count
                       << " of them: " << back.status().ToString());
          }
        }
      }
    }
  }
}

TEST_CASE("ExpandChunk undoes LZF in any place among other filters",
          "[hdf5][filters]") {
  const ChunkFilter lzf{kLzfFilter};
  const std::string data = Draws(2).Texture(3000);
  // LZF last: it packs the output of libhdf5's filters.
  for (const Pipeline& before :
       {Pipeline{}, Pipeline{kShuffle}, Pipeline{kSum},
        Pipeline{kShuffle, kSum}, Pipeline{kSum, kShuffle}}) {
    Packed packed = Pack(before, 4, data);
    packed.bytes = LzfPack(packed.bytes);
    packed.filters.push_back(lzf);
    const auto back = Expand(packed, data.size());
    CHECK((back.ok() && *back == data));
  }
  // LZF first: a checksum of its output.
  Packed packed = Pack({kSum}, 1, LzfPack(data));
  packed.filters.insert(packed.filters.begin(), lzf);
  const auto back = Expand(packed, data.size());
  CHECK((back.ok() && *back == data));
}

TEST_CASE("ExpandChunk leaves out what a chunk's mask leaves out",
          "[hdf5][filters]") {
  const std::string data = Draws(3).Texture(2400);
  for (const Pipeline& all :
       {Pipeline{kShuffle, kDeflate, kSum}, Pipeline{kSum, kShuffle, kDeflate},
        Pipeline{kSum, kDeflate, kSum}}) {
    const Packed whole = Pack(all, 8, data);
    for (std::uint32_t mask = 0; mask < 8; ++mask) {
      Pipeline applied;
      for (std::size_t i = 0; i < all.size(); ++i) {
        if ((mask >> i & 1) == 0) applied.push_back(all[i]);
      }
      const Packed packed = Pack(applied, 8, data);
      REQUIRE(packed.mask == 0);
      INFO("mask " << mask);
      const auto back =
          Expand({whole.filters, mask, packed.bytes}, data.size());
      REQUIRE(back.ok());
      CHECK((*back == data));
      // Bits that no filter has mean nothing.
      CHECK(
          Expand({whole.filters, mask | 0xfffffff8, packed.bytes}, data.size())
              .ok());
    }
  }
}

TEST_CASE("ExpandChunk sees every flipped bit behind a checksum",
          "[hdf5][filters]") {
  const std::string data = Draws(4).Bytes(101);
  const Packed packed = Pack({kSum}, 1, data);
  REQUIRE(packed.bytes.size() == data.size() + 4);
  for (std::size_t bit = 0; bit < 8 * packed.bytes.size(); ++bit) {
    Packed damaged = packed;
    damaged.bytes[bit / 8] =
        static_cast<char>(damaged.bytes[bit / 8] ^ 1 << bit % 8);
    const auto back = Expand(damaged, data.size());
    REQUIRE_FALSE(back.ok());
    REQUIRE(back.status().message() == "its checksum is wrong");
  }
}

TEST_CASE("ExpandChunk takes checksums with swapped bytes, as old files have",
          "[hdf5][filters]") {
  const std::string data = Draws(5).Bytes(64);
  Packed packed = Pack({kSum}, 1, data);
  char* sum = packed.bytes.data() + data.size();
  std::swap(sum[0], sum[1]);
  std::swap(sum[2], sum[3]);
  CHECK(*Expand(packed, data.size()) == data);
  std::swap(sum[0], sum[2]);
  std::swap(sum[1], sum[3]);
  CHECK_FALSE(Expand(packed, data.size()).ok());
}

TEST_CASE("ExpandChunk refuses every cut of a chunk", "[hdf5][filters]") {
  const std::string data = Draws(6).Texture(600);
  std::vector<Packed> all;
  for (const Pipeline& pipeline : AllPipelines()) {
    all.push_back(Pack(pipeline, 4, data));
  }
  all.push_back({{{kLzfFilter}}, 0, LzfPack(data)});
  for (const Packed& packed : all) {
    for (std::size_t size = 0; size < packed.bytes.size(); ++size) {
      // The last bytes of deflate's stream are a checksum of its own.
      if (Expand({packed.filters, packed.mask, packed.bytes.substr(0, size)},
                 data.size())
              .ok()) {
        FAIL("expanded " << size << " of " << packed.bytes.size());
      }
    }
  }
}

TEST_CASE("ExpandChunk makes nothing wrong of deflate data with a bad byte",
          "[hdf5][filters]") {
  // Many different values: Adler-32 hardly tells few letters in another order
  // apart.
  const std::string period = Draws(7).Bytes(300);
  const std::string data = period + period + period;
  const Packed packed = Pack({kShuffle, kDeflate}, 4, data);
  REQUIRE(packed.mask == 0);
  for (std::size_t at = 0; at < packed.bytes.size(); ++at) {
    for (const int flip : {0x01, 0x10, 0x80, 0xff}) {
      Packed damaged = packed;
      damaged.bytes[at] = static_cast<char>(damaged.bytes[at] ^ flip);
      const auto back = Expand(damaged, data.size());
      if (back.ok() && *back != data) FAIL("another chunk by byte " << at);
    }
  }
}

TEST_CASE("ExpandChunk refuses chunks that hold other than they should",
          "[hdf5][filters]") {
  const std::string data = Draws(8).Texture(800);
  std::vector<Packed> all;
  for (const Pipeline& pipeline : AllPipelines()) {
    all.push_back(Pack(pipeline, 8, data));
  }
  all.push_back({{{kLzfFilter}}, 0, LzfPack(data)});
  for (const Packed& packed : all) {
    REQUIRE(Expand(packed, 800).ok());
    for (const std::size_t bytes :
         {0UL, 1UL, 796UL, 799UL, 801UL, 804UL, 900UL}) {
      INFO(packed.filters.size() << " filters, " << bytes << " bytes wanted");
      CHECK_FALSE(Expand(packed, bytes).ok());
    }
  }
  const auto few = Expand({{}, 0, data}, 1000);
  CHECK(few.status().message() == "800 bytes where 1000 belong");
  const auto many = Expand({{}, 0, data}, 10);
  CHECK(many.status().message() == "more bytes where 10 belong");
}

TEST_CASE("ExpandChunk takes no memory for what a bomb would make",
          "[hdf5][filters]") {
  const std::string zeros(std::size_t{2} << 20, '\0');
  const auto deflated = Pack({kDeflate}, 1, zeros);
  REQUIRE(deflated.bytes.size() < 10'000);
  const auto back = Expand(deflated, 100);
  CHECK(back.status().message() == "more bytes where 100 belong");
  const Packed lzf{{{kLzfFilter}}, 0, LzfPack(zeros.substr(0, 1 << 18))};
  REQUIRE(lzf.bytes.size() < 4000);
  CHECK(Expand(lzf, 100).status().message() == "its LZF data is damaged");
}

TEST_CASE("CanExpand goes by the filters that the mask does not leave out",
          "[hdf5][filters]") {
  const ChunkFilter shuffle{kShuffle, 4};
  const ChunkFilter broken{kShuffle, 0};
  const ChunkFilter deflate{kDeflate};
  const ChunkFilter lzf{kLzfFilter};
  const ChunkFilter sum{kSum};
  const ChunkFilter zstd{32015};
  const struct {
    std::vector<ChunkFilter> filters;
    std::optional<H5Z_filter_t> unread;
    std::vector<std::uint32_t> can;
    std::vector<std::uint32_t> cannot;
  } cases[] = {{{}, {}, {0, ~0U}, {}},
               {{shuffle, deflate, sum}, {}, {0, 1, 2, 7}, {}},
               {{zstd}, 32015, {1, ~0U}, {0, 2}},
               {{shuffle, zstd, sum}, 32015, {2, 3, 7}, {0, 1, 5}},
               {{deflate, deflate}, kDeflate, {1, 2, 3}, {0, 4}},
               {{deflate, sum, lzf}, kLzfFilter, {1, 4, 5}, {0, 2}},
               {{lzf, deflate, zstd}, kDeflate, {5, 6, 7}, {0, 1, 2, 4}},
               {{broken, sum}, {}, {1, 3}, {0, 2}}};
  for (const auto& c : cases) {
    CHECK(FirstUnreadFilter(c.filters) == c.unread);
    for (const std::uint32_t mask : c.can) CHECK(CanExpand(c.filters, mask));
    for (const std::uint32_t mask : c.cannot) {
      CHECK_FALSE(CanExpand(c.filters, mask));
    }
  }
}

TEST_CASE("FiltersOf names filters in their order, with shuffle's element",
          "[hdf5][filters]") {
  const Packed packed =
      Pack({kSum, kShuffle, kDeflate}, 12, std::string(120, 'x'));
  REQUIRE(packed.filters.size() == 3);
  CHECK(packed.filters[0].number == kSum);
  CHECK(packed.filters[1].number == kShuffle);
  CHECK(packed.filters[1].element == 12);
  CHECK(packed.filters[2].number == kDeflate);
  // Its parameter comes with a dataset: a list of its own has none.
  const Hdf5Id creation = Chunked({4});
  H5Pset_shuffle(creation.get());
  const auto alone = FiltersOf(creation.get());
  REQUIRE((alone && alone->size() == 1));
  CHECK(alone->front().element == 0);
  const Hdf5Id none = NewCreation();
  CHECK((FiltersOf(none.get()) && FiltersOf(none.get())->empty()));
  CHECK_FALSE(FiltersOf(H5I_INVALID_HID).has_value());
}

}  // namespace
}  // namespace shardine::chunk_filters_test
