#include "hdf5/hdf5_format.h"

#include <algorithm>
#include <limits>

#include "unit/hdf5/library_file.h"
#include "unit/hdf5/own_samples.h"

namespace shardine::hdf5_format_test {
namespace {

// A sample that the layout can hold, with `change` made to it, is taken.
template <typename Change>
bool Takes(const Layout& layout, const Change& change) {
  OwnSample sample = layout.limits.encoded_image
                         ? Encoded("jpeg")
                         : Pixels("|u1", {1, 2, 2}, std::string(4, 'x'));
  change(sample);
  MemoryStorage storage;
  const auto writer = NewWriter(storage, DefaultsOf(layout));
  REQUIRE(writer.ok());
  const Status status = AppendTo(**writer, sample);
  CHECK((status.ok() || status.code() == Code::kUnsupported));
  return status.ok();
}

TEST_CASE("What the limits of an HDF5 layout say, its writer does",
          "[hdf5][format]") {
  for (const Layout& layout : kHdf5Format.layouts) {
    INFO(layout.name);
    const Limits& limits = layout.limits;
    CHECK(Takes(layout, [](OwnSample&) {}));
    CHECK(Takes(layout, [](OwnSample& sample) {
            sample.fields[0] = {"image", "|S", {}, "jpeg"};
          }) == limits.encoded_image);
    CHECK(Takes(layout, [](OwnSample& sample) {
            sample.fields[0] = {"image", "|u1", {1, 1, 3}, "rgb"};
          }) == limits.array_image);
    CHECK(Takes(layout, [](OwnSample& sample) { sample.fields.clear(); }) ==
          !limits.needs_image);
    CHECK(Takes(layout, [](OwnSample& sample) {
            sample.fields.push_back({"points", "<f4", {1}, "1234"});
          }) == limits.fields);
    for (const std::uint64_t labels : {0U, 1U, 2U}) {
      CHECK(Takes(layout, [&](OwnSample& sample) {
              sample.labels.assign(labels, Label(5));
            }) == (labels <= limits.max_labels));
    }
  }
}

TEST_CASE("What the limits of an HDF5 layout say is kept comes back",
          "[hdf5][format]") {
  const std::int64_t large = (std::int64_t{1} << 60) + 1;
  const Label labels[] = {Label(0),      Label(-1),
                          Label(large),  Label::FromReal(0.1),
                          Label(-large), Label::FromReal(-2.5)};
  for (const Layout& layout : kHdf5Format.layouts) {
    INFO(layout.name);
    std::vector<OwnSample> samples;
    for (const Label& label : labels) {
      samples.push_back(layout.limits.encoded_image
                            ? Encoded("jpeg")
                            : Pixels("|u1", {1, 2, 2}, "rgba"));
      samples.back().labels = {label};
      samples.back().key = "a/" + label.ToString();
    }
    MemoryStorage storage;
    REQUIRE(WriteAll(storage, DefaultsOf(layout), samples).ok());
    Status status;
    const auto rows = ScanRows(storage, "x.h5", status);
    REQUIRE(rows.size() == samples.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      CHECK(rows[i].labels == std::vector<Label>{RoundToLabelType(
                                  labels[i], layout.limits.label_type)});
      CHECK(rows[i].key.has_value() == layout.limits.keys);
      if (layout.limits.keys) CHECK(*rows[i].key == samples[i].key);
    }
  }
}

TEST_CASE("An HDF5 file is known by its signature, after any user block",
          "[hdf5][format]") {
  for (const hsize_t block : {0U, 512U, 1024U, 2048U}) {
    INFO("user block of " << block);
    const Hdf5Lock lock;
    const Hdf5Id create(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
    const Hdf5Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    REQUIRE(H5Pset_fapl_core(access.get(), 1 << 16, false) >= 0);
    REQUIRE(H5Pset_userblock(create.get(), block) >= 0);
    const Hdf5Id file(
        H5Fcreate("probed", H5F_ACC_TRUNC, create.get(), access.get()),
        H5Fclose);
    // The image of a file begins after its user block.
    REQUIRE(H5Fflush(file.get(), H5F_SCOPE_GLOBAL) >= 0);
    const ssize_t size = H5Fget_file_image(file.get(), nullptr, 0);
    REQUIRE(size > 0);
    std::string bytes(static_cast<std::size_t>(size), '\0');
    REQUIRE(H5Fget_file_image(file.get(), bytes.data(), bytes.size()) > 0);
    const std::size_t at = bytes.find("\x89HDF\r\n\x1a\n");
    REQUIRE(at != bytes.npos);
    std::string head(block - at, 'u');
    head += bytes;
    head.resize(std::min<std::size_t>(head.size(), 4096));
    for (std::size_t cut = 0; cut <= head.size(); ++cut) {
      const bool known = kHdf5Format.probe(AsBytes(head).first(cut));
      if (known != (cut >= block + 8)) FAIL("cut at " << cut);
    }
    for (std::size_t byte = 0; byte < 8; ++byte) {
      std::string damaged = head;
      damaged[block + byte] = static_cast<char>(damaged[block + byte] ^ 1);
      CHECK_FALSE(kHdf5Format.probe(AsBytes(damaged)));
    }
    // A signature elsewhere makes no HDF5 file.
    for (const std::size_t other : {1U, 256U, 1536U, 2560U}) {
      std::string moved(other, 'u');
      moved += head.substr(block);
      CHECK_FALSE(kHdf5Format.probe(AsBytes(moved)));
    }
  }
}

TEST_CASE("The layout of a file that other programs chunk is told",
          "[hdf5][format]") {
  const auto told = [](const char* name, hid_t type, const Dims& dims,
                       const Dims& chunk) {
    LibraryFile file;
    file.Create(name, type, dims, {.chunk = chunk});
    MemoryStorage storage;
    storage.Put("x.h5", file.Bytes());
    const auto opened = storage.Open("x.h5");
    REQUIRE(opened.ok());
    const auto choice = kHdf5Format.detect_layout(**opened);
    REQUIRE(choice.status().ToString() == "OK");
    std::string text(choice->layout->name);
    CHECK(choice->value("split") == "*");
    if (text == "array") text += ":" + std::string(choice->value("chunk"));
    return text;
  };
  CHECK(told("imgs", H5T_STD_U8LE, {100, 3, 2, 2}, {7, 3, 2, 2}) == "array:7");
  CHECK(told("images", H5T_STD_U8LE, {100, 3, 2, 2}, {1, 1, 1, 1}) ==
        "array:1");
  // In one piece, and in chunks of more rows than the parameter takes.
  CHECK(told("imgs", H5T_STD_U8LE, {100, 3, 2, 2}, {}) == "array:500");
  CHECK(told("imgs", H5T_STD_U8LE, {2'000'000, 1}, {1'000'001, 1}) ==
        "array:500");
  CHECK(told("imgs", H5T_STD_U8LE, {2'000'000, 1}, {1'000'000, 1}) ==
        "array:1000000");
  CHECK(told("data", H5T_IEEE_F32LE, {100, 3, 2, 2}, {7, 3, 2, 2}) == "caffe");
  CHECK(told("a/b/data", H5T_STD_U8LE, {2, 2}, {}) == "fuel");
  const Hdf5Lock lock;
  const Hdf5Id rows(H5Tvlen_create(H5T_STD_U8LE), H5Tclose);
  CHECK(told("image_bytes", rows.get(), {3}, {}) == "fuel");
}

TEST_CASE("A file without images has no layout, and the error has its path",
          "[hdf5][format]") {
  LibraryFile file;
  file.Create("numbers", H5T_STD_U8LE, {4});
  MemoryStorage storage;
  storage.Put("x.h5", file.Bytes());
  const auto opened = storage.Open("x.h5");
  REQUIRE(opened.ok());
  const Status status = kHdf5Format.detect_layout(**opened).status();
  CHECK(status.code() == Code::kUnsupported);
  CHECK(status.where().path == "x.h5");
}

}  // namespace
}  // namespace shardine::hdf5_format_test
