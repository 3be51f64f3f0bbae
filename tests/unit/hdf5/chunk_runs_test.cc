#include "hdf5/chunk_runs.h"

#include <catch2/catch.hpp>
#include <string>

#include "base/philox.h"

namespace shardine::chunk_runs_test {
namespace {

struct Shape {
  std::vector<std::uint64_t> dims;
  std::vector<std::uint64_t> chunk;
};

// A file in which each element of the dataset is its number, chunks in C order
// from 10 on.
std::string MakeFile(const Shape& shape, std::vector<Extent>& places) {
  std::uint64_t chunk_elements = 1;
  std::uint64_t chunks = 1;
  const std::size_t rank = shape.dims.size();
  for (std::size_t a = 0; a < rank; ++a) {
    chunk_elements *= shape.chunk[a];
    chunks *= (shape.dims[a] + shape.chunk[a] - 1) / shape.chunk[a];
  }
  std::string file(10 + 2 * chunk_elements * chunks, '\xee');
  for (std::uint64_t i = 0; i < chunks; ++i) {
    places.push_back({10 + 2 * chunk_elements * i, 2 * chunk_elements});
  }
  std::uint64_t total = 1;
  for (const std::uint64_t size : shape.dims) total *= size;
  for (std::uint64_t number = 0; number < total; ++number) {
    std::uint64_t rest = number;
    std::vector<std::uint64_t> at(rank);
    for (std::size_t a = rank; a-- > 0; rest /= shape.dims[a]) {
      at[a] = rest % shape.dims[a];
    }
    std::uint64_t chunk = 0;
    std::uint64_t inside = 0;
    for (std::size_t a = 0; a < rank; ++a) {
      chunk = chunk * ((shape.dims[a] + shape.chunk[a] - 1) / shape.chunk[a]) +
              at[a] / shape.chunk[a];
      inside = inside * shape.chunk[a] + at[a] % shape.chunk[a];
    }
    StoreLe(static_cast<std::uint16_t>(number),
            reinterpret_cast<std::byte*>(
                &file[10 + 2 * (chunk * chunk_elements + inside)]));
  }
  return file;
}

void CheckRows(const Shape& shape) {
  Hdf5Dataset dataset;
  dataset.element = {'u', 2, false};
  dataset.storage = Hdf5Storage::kChunked;
  dataset.dims = shape.dims;
  dataset.chunk = shape.chunk;
  REQUIRE(CanFindRuns(dataset));
  std::vector<Extent> places;
  const std::string file = MakeFile(shape, places);
  std::uint64_t row_elements = 1;
  for (std::size_t a = 1; a < shape.dims.size(); ++a) {
    row_elements *= shape.dims[a];
  }
  const std::uint64_t per_row = ChunksPerRow(dataset);
  std::uint64_t number = 0;
  for (std::uint64_t row = 0; row < shape.dims[0]; ++row) {
    const std::span<const Extent> band =
        std::span(places).subspan(row / shape.chunk[0] * per_row, per_row);
    std::vector<Extent> runs;
    FindRuns(dataset, row % shape.chunk[0], band, runs);
    std::string bytes;
    for (const Extent& run : runs) bytes += file.substr(run.offset, run.length);
    REQUIRE(bytes.size() == 2 * row_elements);
    for (std::uint64_t i = 0; i < row_elements; ++i, ++number) {
      REQUIRE(LoadLe<std::uint16_t>(AsBytes(bytes).data() + 2 * i) == number);
    }
  }
}

TEST_CASE("FindRuns finds the elements of each row in their order",
          "[hdf5][chunks]") {
  CheckRows({{5}, {2}});
  CheckRows({{5, 3}, {2, 3}});
  CheckRows({{5, 3}, {2, 2}});
  CheckRows({{4, 3, 4, 5}, {3, 3, 4, 5}});
  CheckRows({{4, 3, 4, 5}, {1, 3, 4, 2}});
  CheckRows({{4, 3, 4, 5}, {2, 2, 4, 5}});
  CheckRows({{2, 3, 4}, {4, 5, 7}});
  for (std::uint32_t i = 0; i < 300; ++i) {
    const auto draw = Philox4x32({i, 0, 0, 0}, {3, 4});
    const auto more = Philox4x32({i, 1, 0, 0}, {3, 4});
    Shape shape;
    for (std::size_t a = 0; a < 1 + i % 4; ++a) {
      shape.dims.push_back(1 + draw[a] % 5);
      shape.chunk.push_back(1 + more[a] % 6);
    }
    INFO("shape " << i);
    CheckRows(shape);
  }
}

TEST_CASE("FindRuns finds nothing where a chunk is missing or short",
          "[hdf5][chunks]") {
  Hdf5Dataset dataset;
  dataset.element = {'u', 1, false};
  dataset.storage = Hdf5Storage::kChunked;
  dataset.dims = {4, 4};
  dataset.chunk = {2, 2};
  std::vector<Extent> runs;
  FindRuns(dataset, 0, std::vector<Extent>{{0, 4}, {~0ULL, 0}}, runs);
  CHECK(runs.empty());
  FindRuns(dataset, 0, std::vector<Extent>{{0, 4}, {4, 3}}, runs);
  CHECK(runs.empty());
  // A checksum behind the data.
  FindRuns(dataset, 1, std::vector<Extent>{{0, 8}, {8, 8}}, runs);
  CHECK(runs == std::vector<Extent>{{2, 2}, {10, 2}});
}

Hdf5Dataset Chunked(std::vector<std::uint64_t> dims,
                    std::vector<std::uint64_t> chunk) {
  Hdf5Dataset dataset;
  dataset.element = {'u', 1, false};
  dataset.storage = Hdf5Storage::kChunked;
  dataset.dims = std::move(dims);
  dataset.chunk = std::move(chunk);
  return dataset;
}

TEST_CASE("CanFindRuns takes rows of up to 256 pieces, in up to 256 chunks",
          "[hdf5][chunks]") {
  // A piece for each step along the second axis.
  CHECK(CanFindRuns(Chunked({4, 256, 4}, {1, 256, 4})));
  CHECK(CanFindRuns(Chunked({4, 128, 4}, {1, 128, 2})));
  CHECK_FALSE(CanFindRuns(Chunked({4, 129, 4}, {1, 129, 2})));
  CHECK(CanFindRuns(Chunked({4, 256}, {1, 1})));
  CHECK_FALSE(CanFindRuns(Chunked({4, 257}, {1, 1})));
  CHECK(CanFindRuns(Chunked({4, 16, 16}, {1, 1, 1})));
  CHECK_FALSE(CanFindRuns(Chunked({4, 16, 17}, {1, 1, 1})));
  // Chunks wider than the dataset cut its rows as well.
  CHECK_FALSE(CanFindRuns(Chunked({4, 257, 4}, {1, 257, 5})));
  CHECK(CanFindRuns(Chunked({1'000'000}, {1})));
  CHECK(ChunksPerRow(Chunked({1'000'000}, {1})) == 1);
  CHECK(ChunksPerRow(Chunked({9, 10, 7}, {2, 3, 4})) == 8);
}

TEST_CASE("FindRuns joins pieces that touch in the file", "[hdf5][chunks]") {
  const Hdf5Dataset dataset = Chunked({2, 6}, {1, 2});
  std::vector<Extent> runs;
  // Two chunks follow each other, the third lies before them.
  FindRuns(dataset, 0, std::vector<Extent>{{20, 2}, {22, 2}, {10, 2}}, runs);
  CHECK(runs == std::vector<Extent>{{20, 4}, {10, 2}});
  FindRuns(dataset, 0, std::vector<Extent>{{20, 2}, {18, 2}, {16, 2}}, runs);
  CHECK(runs == std::vector<Extent>{{20, 2}, {18, 2}, {16, 2}});
}

TEST_CASE("CanFindRuns says no to rows in too many pieces and to overflow",
          "[hdf5][chunks]") {
  Hdf5Dataset dataset;
  dataset.element = {'u', 1, false};
  dataset.storage = Hdf5Storage::kChunked;
  dataset.dims = {4, 300, 4};
  dataset.chunk = {1, 300, 2};
  CHECK_FALSE(CanFindRuns(dataset));
  dataset.chunk = {1, 1, 4};
  CHECK_FALSE(CanFindRuns(dataset));
  dataset.dims = {4, 1ULL << 62, 4};
  dataset.chunk = {1ULL << 62, 1ULL << 62, 4};
  CHECK_FALSE(CanFindRuns(dataset));
}

}  // namespace
}  // namespace shardine::chunk_runs_test
