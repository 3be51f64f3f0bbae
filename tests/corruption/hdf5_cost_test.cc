// Forms of HDF5 that stand for more than the file has, doubled (parsers review
// 4, 5). The sandbox's process has limits of its own.
#include "corruption/doubling.h"
#include "unit/hdf5/library_file.h"

namespace shardine::hdf5_cost_test {
namespace {

const std::string kJpeg = "\xff\xd8\xff\xe0";
constexpr std::size_t kReference = 16;  // length, collection, object

std::string Number(std::uint64_t number, std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i) {
    text += static_cast<char>(number >> (8 * i));
  }
  return text;
}

void Link(LibraryFile& file, std::size_t names) {
  for (std::size_t i = 0; i < names; ++i) {
    REQUIRE(H5Lcreate_hard(file.id(), "images", file.id(),
                           ("x" + Name(i)).c_str(), H5P_DEFAULT,
                           H5P_DEFAULT) >= 0);
  }
}

TEST_CASE("Rows of one object of a heap cost what the file has", "[cost]") {
  CheckDoubling("hdf5/fuel", 8, "shares its bytes", [](std::size_t rows) {
    LibraryFile file;
    std::vector<std::string> images(rows, "x");
    images[0] = kJpeg + std::string(40'000, 'j');
    file.PutRows("images", H5T_STD_U8LE, images);
    const haddr_t at = H5Dget_offset(file.Open("images").get());
    std::string bytes = file.Bytes();
    const std::string first = bytes.substr(at, kReference);
    for (std::size_t row = 1; row < rows; ++row) {
      bytes.replace(at + kReference * row, kReference, first);
    }
    return bytes;
  });
}

// More collections than are kept, in turns, and of each the last object.
TEST_CASE("The last objects of heaps cost what the file has", "[cost]") {
  constexpr std::size_t kCollections = 5;
  constexpr std::size_t kObject = 24;
  CheckDoubling("hdf5/fuel", 32, "OK", [](std::size_t rows) {
    const std::size_t size = 16 + rows * kObject;
    LibraryFile file;
    file.PutRows("images", H5T_STD_U8LE, std::vector(rows, kJpeg));
    file.Put("pad", H5T_STD_U8LE, {kCollections * size + 8},
             std::string(kCollections * size + 8, '\0'));
    const haddr_t at = H5Dget_offset(file.Open("images").get());
    const haddr_t pad = (H5Dget_offset(file.Open("pad").get()) + 7) / 8 * 8;
    std::string bytes = file.Bytes();
    for (std::size_t i = 0; i < kCollections; ++i) {
      const std::string collection =
          std::string("GCOL\1\0\0\0", 8) + Number(size, 8) +
          Each(rows, [](std::size_t object) {
            return Number(object + 1, 2) + Number(1, 2) + Number(0, 4) +
                   Number(8, 8) + kJpeg + "abcd";
          });
      bytes.replace(pad + i * size, size, collection);
    }
    const std::string references = Each(rows, [&](std::size_t row) {
      return Number(8, 4) + Number(pad + row % kCollections * size, 8) +
             Number(rows, 4);
    });
    bytes.replace(at, references.size(), references);
    return bytes;
  });
}

TEST_CASE("One dataset under many names costs what the file has", "[cost]") {
  CheckDoubling("hdf5/fuel", 2, "may be links to one", [](std::size_t names) {
    constexpr hsize_t kRow = hsize_t{1} << 20;
    LibraryFile file;
    file.Put("images", H5T_STD_U8LE, {1, kRow}, std::string(kRow, 'i'),
             {.chunk = {1, kRow}, .deflate = true});
    Link(file, names);
    return file.Bytes();
  });
}

TEST_CASE("Many classes cost what the file has", "[cost]") {
  CheckDoubling("hdf5/fuel", 4, "OK", [](std::size_t classes) {
    LibraryFile file;
    for (std::size_t i = 0; i < classes; ++i) {
      file.PutRows("train/c" + Name(i), H5T_STD_U8LE, {kJpeg});
    }
    return file.Bytes();
  });
}

TEST_CASE("Rows that were never written cost what the file has", "[cost]") {
  for (const hsize_t chunk : {1, 1 << 10}) {
    CheckDoubling("hdf5/array", 1 << 10, "most of it was never written",
                  [&](std::size_t rows) {
                    LibraryFile file;
                    const Hdf5Id dataset = file.Create(
                        "images", H5T_STD_U8LE, {rows * rows, 8, 8, 3},
                        {.chunk = {chunk, 8, 8, 3}, .deflate = true});
                    return file.Bytes();
                  });
  }
}

TEST_CASE("Rows that are packed well cost what limits say", "[cost]") {
  CheckDoubling("hdf5/array", 2, "OK", [&](std::size_t rows) {
    constexpr hsize_t kSide = 256;
    LibraryFile file;
    file.Put("images", H5T_STD_U8LE, {rows, kSide, kSide, 3},
             std::string(rows * kSide * kSide * 3, '\0'),
             {.chunk = {1, kSide, kSide, 3}, .deflate = true});
    return file.Bytes();
  });
}

TEST_CASE("Groups in groups cost what the file has", "[cost]") {
  CheckDoubling(
      "hdf5/fuel", 4, "no images in this HDF5 file", [&](std::size_t depth) {
        LibraryFile file;
        file.PutRows(Times(depth, "g/") + "images", H5T_STD_U8LE, {kJpeg});
        return file.Bytes();
      });
}

}  // namespace
}  // namespace shardine::hdf5_cost_test
