// Rows of chunked datasets through the process, against those that libhdf5
// reads here.
#include "hdf5/sandbox/program/chunk_reader.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "hdf5/sandbox/program/lzf_filter.h"
#include "support/temp_directory.h"
#include "unit/hdf5_program/hdf5_maker.h"
#include "unit/hdf5_program/lzf_writer.h"
#include "unit/hdf5_program/sandboxed_file.h"

namespace shardine::chunk_reader_test {
namespace {

Hdf5Id LittleEndian(const Hdf5Id& type) {
  Hdf5Id copy(H5Tcopy(type.get()), H5Tclose);
  if (H5Tget_class(copy.get()) != H5T_STRING) {
    H5Tset_order(copy.get(), H5T_ORDER_LE);
  }
  return copy;
}

Hdf5Id DrawnType(Draws& draws) {
  const hid_t types[] = {H5T_STD_U8LE,   H5T_STD_I16BE, H5T_STD_U32BE,
                         H5T_IEEE_F64BE, H5T_STD_I64LE, H5T_C_S1};
  const hid_t from = types[draws.Below(6)];
  Hdf5Id type(H5Tcopy(from), H5Tclose);
  if (H5Tget_class(type.get()) == H5T_STRING) H5Tset_size(type.get(), 3);
  return type;
}

struct Drawn {
  std::string image;  // the file's bytes
  Hdf5Id file;
  Hdf5Id type;
  Hdf5Id dataset;
  Dims dims;
  Dims chunk;
};

Hdf5Id DrawnCreation(Draws& draws, bool latest, const Drawn& drawn) {
  Hdf5Id creation = Chunked(drawn.chunk);
  const hid_t id = creation.get();
  const std::string fill = draws.Bytes(H5Tget_size(drawn.type.get()));
  H5Pset_fill_value(id, drawn.type.get(), fill.data());
  if (draws.Below(4) == 0) H5Pset_alloc_time(id, H5D_ALLOC_TIME_EARLY);
  if (draws.Below(3) == 0) H5Pset_fletcher32(id);
  if (draws.Below(3) == 0) H5Pset_shuffle(id);
  if (draws.Below(2) == 0) H5Pset_deflate(id, 6);
  if (latest && draws.Below(2) == 0) {
    H5Pset_chunk_opts(id, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS);
  }
  return creation;
}

// Closes the file and opens it again, to be read.
void CloseAndOpen(const std::string& path, Drawn& drawn) {
  drawn.dataset.Reset();
  drawn.file.Reset();
  std::ostringstream image;
  image << std::ifstream(path).rdbuf();
  drawn.image = image.str();
  drawn.file =
      Hdf5Id(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  drawn.dataset =
      Hdf5Id(H5Dopen2(drawn.file.get(), "d", H5P_DEFAULT), H5Dclose);
  REQUIRE(drawn.dataset.valid());
}

// Any sizes, order, filters and kind of chunk index; parts of it written.
Drawn Draw(const TempDirectory& folder, std::uint32_t seed) {
  Draws draws(seed);
  const bool latest = draws.Below(2) == 0;
  const std::string path = folder / "made.h5";
  Drawn drawn;
  drawn.file = latest ? NewestFile(path) : NewFile();
  drawn.type = DrawnType(draws);
  Dims most;
  const std::uint32_t rank = 1 + draws.Below(4);
  for (std::uint32_t axis = 0; axis < rank; ++axis) {
    drawn.dims.push_back(1 + draws.Below(6));
    // A dataset that cannot grow has chunks no larger than itself.
    const bool grows = draws.Below(3) == 0;
    most.push_back(grows ? H5S_UNLIMITED : drawn.dims.back());
    drawn.chunk.push_back(
        1 + draws.Below(grows ? 8 : static_cast<std::uint32_t>(most.back())));
  }
  const Hdf5Id creation = DrawnCreation(draws, latest, drawn);
  const Hdf5Id space(
      H5Screate_simple(static_cast<int>(rank), drawn.dims.data(), most.data()),
      H5Sclose);
  drawn.dataset =
      Hdf5Id(H5Dcreate2(drawn.file.get(), "d", drawn.type.get(), space.get(),
                        H5P_DEFAULT, creation.get(), H5P_DEFAULT),
             H5Dclose);
  REQUIRE(drawn.dataset.valid());
  for (std::uint32_t box = draws.Below(4); box > 0; --box) {
    Dims start;
    Dims count;
    std::size_t bytes = H5Tget_size(drawn.type.get());
    for (const hsize_t size : drawn.dims) {
      start.push_back(draws.Below(static_cast<std::uint32_t>(size)));
      count.push_back(
          1 + draws.Below(static_cast<std::uint32_t>(size - start.back())));
      bytes *= static_cast<std::size_t>(count.back());
    }
    H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr,
                        count.data(), nullptr);
    const Hdf5Id memory = Space(count);
    const std::string data = draws.Bytes(bytes);
    REQUIRE(H5Dwrite(drawn.dataset.get(), drawn.type.get(), memory.get(),
                     space.get(), H5P_DEFAULT, data.data()) >= 0);
  }
  if (latest) {
    CloseAndOpen(path, drawn);
  } else {
    drawn.image = ImageOf(drawn.file);
  }
  return drawn;
}

std::string ReadHere(const Drawn& drawn) {
  const Hdf5Id type = LittleEndian(drawn.type);
  std::size_t bytes = H5Tget_size(type.get());
  for (const hsize_t size : drawn.dims) {
    bytes *= static_cast<std::size_t>(size);
  }
  std::string rows(bytes, '\0');
  REQUIRE(H5Dread(drawn.dataset.get(), type.get(), H5S_ALL, H5S_ALL,
                  H5P_DEFAULT, rows.data()) >= 0);
  return rows;
}

TEST_CASE("ChunkReader reads any rows of any chunks as libhdf5 does",
          "[hdf5][chunks]") {
  const TempDirectory folder;
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    INFO("seed " << seed);
    const Drawn drawn = Draw(folder, seed);
    const std::string all = ReadHere(drawn);
    SandboxedFile file(drawn.image);
    REQUIRE(file.status().ToString() == "OK");
    const std::uint64_t rows = drawn.dims[0];
    const std::size_t row = all.size() / rows;
    for (std::uint64_t first = 0; first <= rows; ++first) {
      for (std::uint64_t count = 0; count <= rows - first; ++count) {
        const auto read = file.Rows("d", first, count);
        REQUIRE(read.status().ToString() == "OK");
        if (*read != all.substr(first * row, count * row)) {
          FAIL("other rows from " << first << ", " << count << " of them");
        }
      }
    }
  }
}

TEST_CASE("The places of chunks have the bytes that libhdf5 finds in them",
          "[hdf5][chunks]") {
  const TempDirectory folder;
  int there = 0;
  int missing = 0;
  for (std::uint32_t seed = 100; seed < 240; ++seed) {
    INFO("seed " << seed);
    const Drawn drawn = Draw(folder, seed);
    SandboxedFile file(drawn.image);
    REQUIRE(file.status().ok());
    if (file.Dataset("d").storage != Hdf5Storage::kChunked) continue;
    Dims at(drawn.dims.size(), 0);
    std::uint64_t number = 0;
    for (std::size_t axis = 0; axis < at.size(); ++number) {
      const auto places = file.Chunks("d", number, 1);
      REQUIRE((places.ok() && places->size() == 1));
      hsize_t size = 0;
      H5Dget_chunk_storage_size(drawn.dataset.get(), at.data(), &size);
      REQUIRE(places->front().length == size);
      if (size > 0) {
        std::uint32_t mask = 0;
        REQUIRE((drawn.image.substr(places->front().offset, size) ==
                 RawChunk(drawn.dataset, at, mask)));
      } else {
        REQUIRE(places->front().offset == ~std::uint64_t{0});
      }
      ++(size > 0 ? there : missing);
      // In C order: the last axis runs first.
      for (axis = at.size(); axis-- > 0;) {
        at[axis] += drawn.chunk[axis];
        if (at[axis] < drawn.dims[axis]) break;
        at[axis] = 0;
      }
    }
    // All of them at once say the same.
    CHECK(file.Chunks("d", 0, number)->size() == number);
    CHECK_FALSE(file.Chunks("d", number, 1).ok());
  }
  CHECK(there > 50);
  CHECK(missing > 50);
}

// Eight bytes in chunks of four.
struct Eight {
  explicit Eight(const std::vector<H5Z_filter_t>& filters) {
    const Hdf5Id creation = Chunked({4});
    for (const H5Z_filter_t filter : filters) {
      const unsigned level = 6;
      REQUIRE(H5Pset_filter(creation.get(), filter, H5Z_FLAG_OPTIONAL,
                            filter == H5Z_FILTER_DEFLATE ? 1 : 0, &level) >= 0);
    }
    dataset = MakeDataset(file.get(), "d", H5T_STD_U8LE, {8}, creation.get());
  }
  Hdf5Id file = NewFile();
  Hdf5Id dataset;
};

TEST_CASE("ChunkReader reads LZF chunks beside those left as they are",
          "[hdf5][chunks]") {
  if (H5Zfilter_avail(kLzfFilter) > 0) H5Zunregister(kLzfFilter);
  const Eight eight({kLzfFilter});
  WriteChunk(eight.dataset, {0}, 0, LzfPack("aaaa"));
  WriteChunk(eight.dataset, {4}, 1, "bcde");
  SandboxedFile file(ImageOf(eight.file));
  REQUIRE(file.status().ok());
  CHECK(file.Dataset("d").filter.empty());
  CHECK(*file.Rows("d", 0, 8) == "aaaabcde");
}

TEST_CASE("ChunkReader reads what an unknown filter was left out of",
          "[hdf5][chunks]") {
  const Eight eight({32015});
  WriteChunk(eight.dataset, {0}, 1, "abcd");
  WriteChunk(eight.dataset, {4}, 0, "packed");
  SandboxedFile file(ImageOf(eight.file));
  REQUIRE(file.status().ok());
  CHECK(*file.Rows("d", 0, 4) == "abcd");
  const auto packed = file.Rows("d", 2, 4);
  CHECK(packed.status().code() == Code::kUnsupported);
  CHECK_THAT(packed.status().message(),
             Catch::Contains("\"d\" is packed by the filter zstd (32015)"));
}

TEST_CASE("ChunkReader refuses chunks that hold other than they should",
          "[hdf5][chunks]") {
  const std::uint64_t started = SandboxedFile::Pool().started();
  const struct {
    std::vector<H5Z_filter_t> filters;
    std::uint32_t mask;
    std::string bytes;
    const char* message;
  } cases[] = {
      {{H5Z_FILTER_DEFLATE}, 0, "no stream", "zlib"},
      {{H5Z_FILTER_DEFLATE}, 1, "abc", "3 bytes where 4 belong"},
      {{H5Z_FILTER_DEFLATE}, 1, "abcde", "more bytes where 4 belong"},
      {{H5Z_FILTER_FLETCHER32}, 0, "abc", "its checksum is missing"},
      {{H5Z_FILTER_FLETCHER32}, 0, "abcd1234", "its checksum is wrong"},
      {{H5Z_FILTER_FLETCHER32}, 1, "abcd1234", "more bytes where 4 belong"},
      {{kLzfFilter}, 0, LzfPack("abcdefgh"), "its LZF data is damaged"},
      {{kLzfFilter}, 0, LzfPack("abc"), "3 bytes where 4 belong"}};
  for (const auto& c : cases) {
    if (H5Zfilter_avail(kLzfFilter) > 0) H5Zunregister(kLzfFilter);
    const Eight eight(c.filters);
    INFO(c.message);
    WriteChunk(eight.dataset, {0}, c.mask, c.bytes);
    SandboxedFile file(ImageOf(eight.file));
    REQUIRE(file.status().ok());
    const auto rows = file.Rows("d", 0, 1);
    CHECK(rows.status().code() == Code::kCorrupt);
    CHECK(rows.status().where().path == "made.h5");
    CHECK_THAT(
        rows.status().message(),
        Catch::Contains("cannot read rows of \"d\": a damaged chunk: ") &&
            Catch::Contains(c.message));
    // The first error stands.
    CHECK(file.Rows("d", 4, 4).status().ToString() == rows.status().ToString());
  }
  // It was one process all the time.
  CHECK(SandboxedFile::Pool().started() <= started + 1);
}

TEST_CASE("A chunk beyond the end of its file is an error, not a place",
          "[hdf5][chunks]") {
  const Eight eight({});
  const std::string data = "abcdefgh";
  WriteAll(eight.dataset, H5T_STD_U8LE, data.data());
  std::string image = ImageOf(eight.file);
  std::uint64_t place = 0;
  {
    SandboxedFile file(image);
    const auto places = file.Chunks("d", 0, 2);
    REQUIRE(places.ok());
    place = (*places)[1].offset;
    REQUIRE(image.substr(place, 4) == "efgh");
  }
  // The address in the tree of chunks.
  std::string address;
  AppendLe(place, address);
  const std::size_t at = image.find(address);
  REQUIRE(at != std::string::npos);
  for (const std::uint64_t bad :
       {std::uint64_t{image.size()} - 3, std::uint64_t{image.size()},
        std::uint64_t{1} << 40, ~std::uint64_t{0} - 1}) {
    INFO("at " << bad);
    std::string text;
    AppendLe(bad, text);
    image.replace(at, 8, text);
    SandboxedFile file(image);
    REQUIRE(file.status().ok());
    CHECK(file.Rows("d", 4, 4).status().code() == Code::kCorrupt);
    SandboxedFile other(image);
    const auto places = other.Chunks("d", 0, 2);
    if (places.ok()) CHECK((*places)[1].offset == ~std::uint64_t{0});
  }
}

TEST_CASE("ChunkReader gives references as they are in the file",
          "[hdf5][chunks]") {
  const Hdf5Id file = NewFile();
  const Hdf5Id type(H5Tvlen_create(H5T_STD_U16LE), H5Tclose);
  const Hdf5Id dataset =
      MakeDataset(file.get(), "d", type.get(), {4}, Chunked({2}).get());
  std::uint16_t numbers[] = {1, 2, 3, 4, 5, 6};
  const hvl_t rows[] = {
      {1, numbers}, {2, numbers + 1}, {0, nullptr}, {3, numbers + 3}};
  WriteAll(dataset, type.get(), rows);
  std::string expected;
  for (const hsize_t chunk : {0, 2}) {
    std::uint32_t mask = 0;
    expected += RawChunk(dataset, {chunk}, mask);
  }
  SandboxedFile sandboxed(ImageOf(file));
  REQUIRE(sandboxed.status().ok());
  const auto read = sandboxed.Rows("d", 0, 4);
  REQUIRE(read.status().ToString() == "OK");
  CHECK((*read == expected));
  CHECK((*sandboxed.Rows("d", 1, 2) == expected.substr(16, 32)));
  CHECK(LoadLe<std::uint32_t>(AsBytes(*read).data() + 48) == 3);
}

TEST_CASE("ChunkReader is for chunks alone", "[hdf5][chunks]") {
  // It asks its parent for nothing until it reads.
  Parent parent(-1);
  const Hdf5Id file = NewFile();
  const Hdf5Id plain = MakeDataset(file.get(), "p", H5T_STD_U8LE, {4});
  Hdf5Dataset info;
  info.dims = {4};
  info.element = {'u', 1, false};
  CHECK(ChunkReader::Make(parent, plain.get(), info, 1) == nullptr);
  const Hdf5Id chunked =
      MakeDataset(file.get(), "c", H5T_STD_U8LE, {4}, Chunked({2}).get());
  CHECK(ChunkReader::Make(parent, chunked.get(), info, 1) != nullptr);
}

}  // namespace
}  // namespace shardine::chunk_reader_test
