#include "hdf5/fuel_split.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "io/memory_storage.h"
#include "unit/hdf5/library_file.h"

namespace shardine::fuel_split_test {
namespace {

// A row of the attribute, as a program of Fuel's time reads it.
struct SplitRow {
  char split[16];
  char source[1200];
  std::int64_t start;
  std::int64_t stop;
  hobj_ref_t indices;
  std::int8_t available;
  char comment[4];
};

Hdf5Id TextOf(std::size_t size) {
  Hdf5Id type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), size);
  return type;
}

// Members are found by their names, whatever their places in the file.
Hdf5Id RowType() {
  Hdf5Id type(H5Tcreate(H5T_COMPOUND, sizeof(SplitRow)), H5Tclose);
  const Hdf5Id split = TextOf(sizeof(SplitRow::split));
  const Hdf5Id source = TextOf(sizeof(SplitRow::source));
  const Hdf5Id comment = TextOf(sizeof(SplitRow::comment));
  const Hdf5Id available(H5Tenum_create(H5T_NATIVE_INT8), H5Tclose);
  for (const std::int8_t value : {std::int8_t{0}, std::int8_t{1}}) {
    H5Tenum_insert(available.get(), value == 0 ? "FALSE" : "TRUE", &value);
  }
  H5Tinsert(type.get(), "split", HOFFSET(SplitRow, split), split.get());
  H5Tinsert(type.get(), "source", HOFFSET(SplitRow, source), source.get());
  H5Tinsert(type.get(), "start", HOFFSET(SplitRow, start), H5T_NATIVE_INT64);
  H5Tinsert(type.get(), "stop", HOFFSET(SplitRow, stop), H5T_NATIVE_INT64);
  H5Tinsert(type.get(), "indices", HOFFSET(SplitRow, indices), H5T_STD_REF_OBJ);
  H5Tinsert(type.get(), "available", HOFFSET(SplitRow, available),
            available.get());
  H5Tinsert(type.get(), "comment", HOFFSET(SplitRow, comment), comment.get());
  return type;
}

std::vector<SplitRow> Read(const std::string& bytes) {
  const LibraryFile file(bytes);
  const Hdf5Id attribute(H5Aopen(file.id(), "split", H5P_DEFAULT), H5Aclose);
  REQUIRE(attribute.valid());
  const Hdf5Id space(H5Aget_space(attribute.get()), H5Sclose);
  REQUIRE(H5Sget_simple_extent_ndims(space.get()) == 1);
  std::vector<SplitRow> rows(
      static_cast<std::size_t>(H5Sget_simple_extent_npoints(space.get())));
  REQUIRE(H5Aread(attribute.get(), RowType().get(), rows.data()) >= 0);
  return rows;
}

// Datasets that a file of many fields still names.
const std::vector<std::string> kAlways = {"encoded_images", "filenames",
                                          "targets"};

std::vector<SplitRow> Written(const std::vector<std::string>& sources,
                              std::uint64_t rows,
                              const std::string& split = "train") {
  std::vector<std::string> all = sources;
  all.insert(all.end(), {"targets", "filenames"});
  MemoryStorage storage;
  const auto output = Hdf5Output::Create(storage, "x.h5");
  REQUIRE(output.ok());
  {
    const Hdf5Lock lock;
    REQUIRE(WriteSplit(**output, all, kAlways, {split, rows}).ToString() ==
            "OK");
  }
  REQUIRE((*output)->Finish().ok());
  return Read(*storage.Get("x.h5"));
}

std::vector<std::string> SourcesOf(const std::vector<SplitRow>& rows) {
  std::vector<std::string> sources;
  for (const SplitRow& row : rows) sources.emplace_back(row.source);
  return sources;
}

const std::vector<std::string> kLeast = {"encoded_images", "filenames",
                                         "targets"};

TEST_CASE("The split gives all rows of each source to train", "[hdf5][fuel]") {
  for (const std::uint64_t count :
       {std::uint64_t{0}, std::uint64_t{1281167}, std::uint64_t{1} << 40}) {
    const auto rows = Written({"encoded_images", "points", "a"}, count);
    CHECK(SourcesOf(rows) == std::vector<std::string>{"a", "encoded_images",
                                                      "filenames", "points",
                                                      "targets"});
    for (const SplitRow& row : rows) {
      CHECK(std::string(row.split) == "train");
      CHECK(row.start == 0);
      CHECK(row.stop == static_cast<std::int64_t>(count));
      // No reference: the rows are those from start to stop.
      CHECK(row.indices == 0);
      CHECK(row.available == 1);
      CHECK(std::string(row.comment) == ".");
    }
  }
}

TEST_CASE("The split has the name it was given", "[hdf5][fuel]") {
  for (const std::string name : {"val", "a", "test-2012.real"}) {
    for (const SplitRow& row : Written({"encoded_images"}, 3, name)) {
      CHECK(std::string(row.split, strnlen(row.split, 16)) == name);
      CHECK(row.stop == 3);
    }
  }
}

TEST_CASE("The split names fields of any length up to the longest",
          "[hdf5][fuel]") {
  const std::string longest(1000, 'n');
  const auto rows = Written({"encoded_images", longest, "b"}, 7);
  CHECK(SourcesOf(rows) == std::vector<std::string>{"b", "encoded_images",
                                                    "filenames", longest,
                                                    "targets"});
  CHECK(rows[3].stop == 7);
}

// An attribute has to fit into an object header, of 64 KiB.
TEST_CASE("The split names all sources or, where they do not fit, Fuel's three",
          "[hdf5][fuel]") {
  for (const std::size_t length : {3U, 14U, 100U, 1000U}) {
    std::map<std::size_t, bool> named;
    // Around the 60,000 bytes that FuelWriter allows itself, where the header
    // is full, and far from both. Three sources are always there.
    const std::size_t row = std::max<std::size_t>(length, 14) + 31;
    std::vector<std::size_t> counts = {30'000 / row, 120'000 / row};
    for (const std::size_t bytes : {64'000U, 65'000U, 65'500U, 65'950U}) {
      counts.push_back(bytes / row - 3);
    }
    for (std::size_t i = 0; i < 5; ++i) counts.push_back(60'000 / row - 5 + i);
    for (const std::size_t count : counts) {
      std::vector<std::string> sources = {"encoded_images"};
      for (std::size_t i = 0; i < count; ++i) {
        std::string name = std::to_string(i);
        name.insert(0, length - std::min(length, name.size()), 'n');
        sources.push_back(name);
      }
      const auto found = SourcesOf(Written(sources, 1));
      named[count] = found.size() > 3;
      INFO(count << " names of " << length);
      if (named[count]) {
        sources.insert(sources.end(), {"filenames", "targets"});
        std::sort(sources.begin(), sources.end());
        REQUIRE((found == sources));
      } else {
        REQUIRE(found == kLeast);
      }
    }
    CHECK(named.begin()->second);
    CHECK_FALSE(named.rbegin()->second);
  }
}

TEST_CASE("A split that is there already is an error", "[hdf5][fuel]") {
  MemoryStorage storage;
  const auto output = Hdf5Output::Create(storage, "x.h5");
  REQUIRE(output.ok());
  const Hdf5Lock lock;
  REQUIRE(WriteSplit(**output, {"encoded_images"}, {}, {"train", 1}).ok());
  const Status status =
      WriteSplit(**output, {"encoded_images"}, {}, {"train", 1});
  CHECK(status.code() == Code::kFailed);
  CHECK(status.where().path == "x.h5");
  CHECK_THAT(status.message(), Catch::StartsWith("write the split: libhdf5: "));
}

}  // namespace
}  // namespace shardine::fuel_split_test
