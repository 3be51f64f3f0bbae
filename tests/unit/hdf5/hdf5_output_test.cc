#include "hdf5/hdf5_output.h"

#include <cerrno>
#include <thread>

#include "io/local_storage.h"
#include "io/memory_storage.h"
#include "support/draws.h"
#include "support/fault_storage.h"
#include "support/temp_directory.h"
#include "unit/hdf5/file_size_limit.h"
#include "unit/hdf5/library_file.h"

namespace shardine::hdf5_output_test {
namespace {

// Makes a file of some datasets; its size.
Result<std::uint64_t> Make(Storage& storage, const std::string& path) {
  auto output = Hdf5Output::Create(storage, path);
  if (!output.ok()) return std::move(output).status();
  {
    const Hdf5Lock lock;
    Draws draws(3);
    for (int i = 0; i < 5; ++i) {
      const hsize_t size = 1000;
      const Hdf5Id space(H5Screate_simple(1, &size, nullptr), H5Sclose);
      const Hdf5Id list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
      H5Pset_obj_track_times(list.get(), false);
      const std::string name = std::to_string(i);
      const Hdf5Id dataset(
          H5Dcreate2((*output)->id(), name.c_str(), H5T_STD_U8LE, space.get(),
                     H5P_DEFAULT, list.get(), H5P_DEFAULT),
          H5Dclose);
      if (!dataset.valid() ||
          H5Dwrite(dataset.get(), H5T_STD_U8LE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                   draws.Bytes(size).data()) < 0) {
        return (*output)->Error("write " + name);
      }
    }
  }
  return (*output)->Finish();
}

std::string Contents(ReadableStorage& storage, const std::string& path) {
  const auto file = storage.Open(path);
  REQUIRE(file.ok());
  std::string bytes((*file)->size(), '\0');
  REQUIRE(
      (*file)->ReadExactly(0, std::as_writable_bytes(std::span(bytes))).ok());
  return bytes;
}

TEST_CASE("An HDF5 file is the same in any storage, and as long as it says",
          "[hdf5][output]") {
  const TempDirectory folder;
  MemoryStorage memory;
  const auto local_size = Make(LocalStorage(), folder / "x.h5");
  const auto memory_size = Make(memory, "x.h5");
  REQUIRE(local_size.ok());
  REQUIRE(memory_size.ok());
  const std::string bytes = *memory.Get("x.h5");
  CHECK(bytes.size() == *memory_size);
  CHECK(*local_size == *memory_size);
  CHECK((Contents(LocalStorage(), folder / "x.h5") == bytes));

  const LibraryFile read(bytes);
  Draws draws(3);
  for (int i = 0; i < 5; ++i) {
    const auto found = ElementsOf(read.Open(std::to_string(i)), H5T_STD_U8LE);
    CHECK((found == draws.Bytes(1000)));
  }
}

TEST_CASE("An HDF5 file has a superblock that every reader knows",
          "[hdf5][output]") {
  MemoryStorage storage;
  REQUIRE(Make(storage, "x.h5").ok());
  const LibraryFile read(*storage.Get("x.h5"));
  H5F_info2_t info = {};
  REQUIRE(H5Fget_info2(read.id(), &info) >= 0);
  CHECK(info.super.version == 0);
  H5O_info_t root = {};
  REQUIRE(H5Oget_info_by_name2(read.id(), "/", &root,
                               H5O_INFO_TIME | H5O_INFO_HDR, H5P_DEFAULT) >= 0);
  CHECK(root.hdr.version == 1);
  CHECK(root.mtime == 0);
}

TEST_CASE("An HDF5 file without a dataset is one that can be opened",
          "[hdf5][output]") {
  MemoryStorage storage;
  auto output = Hdf5Output::Create(storage, "x.h5");
  REQUIRE(output.ok());
  CHECK((*output)->path() == "x.h5");
  const auto size = (*output)->Finish();
  REQUIRE(size.ok());
  CHECK(storage.Get("x.h5")->size() == *size);
  const LibraryFile read(*storage.Get("x.h5"));
  H5G_info_t group = {};
  REQUIRE(H5Gget_info(read.id(), &group) >= 0);
  CHECK(group.nlinks == 0);
}

TEST_CASE("An HDF5 file that is not finished is in no storage",
          "[hdf5][output]") {
  MemoryStorage storage;
  {
    const auto output = Hdf5Output::Create(storage, "x.h5");
    REQUIRE(output.ok());
  }
  CHECK(storage.Get("x.h5").status().code() == Code::kNotFound);
}

TEST_CASE("An HDF5 file replaces what a killed run left under its name",
          "[hdf5][output]") {
  const TempDirectory folder;
  MemoryStorage memory;
  REQUIRE(Make(memory, "x.h5").ok());
  const std::string bytes = *memory.Get("x.h5");
  auto file = LocalStorage().Create(folder / "x.h5");
  REQUIRE(file.ok());
  REQUIRE((*file)->Append(AsBytes(std::string(100'000, 'x'))).ok());
  REQUIRE((*file)->Close().ok());
  REQUIRE(Make(LocalStorage(), folder / "x.h5").ok());
  CHECK((Contents(LocalStorage(), folder / "x.h5") == bytes));
}

TEST_CASE("An HDF5 file in a folder that is not there is an error with path",
          "[hdf5][output]") {
  const TempDirectory folder;
  const std::string path = folder / "none/x.h5";
  const auto output = Hdf5Output::Create(LocalStorage(), path);
  CHECK(output.status().code() == Code::kNotFound);
  CHECK(output.status().where().path == path);
}

TEST_CASE("A failure at any call of the storage is one of the HDF5 file",
          "[hdf5][output][fault]") {
  MemoryStorage good;
  REQUIRE(Make(good, "x.h5").ok());
  std::uint64_t calls = 0;
  for (;; ++calls) {
    REQUIRE(calls < 100);
    MemoryStorage memory;
    FaultStorage storage(memory, {.call = calls, .error = ENOSPC});
    const auto size = Make(storage, "x.h5");
    if (!storage.struck()) {
      CHECK(size.ok());
      CHECK((*memory.Get("x.h5") == *good.Get("x.h5")));
      break;
    }
    INFO("call " << calls << ": " << size.status().ToString());
    CHECK(size.status().code() == Code::kIo);
    CHECK(size.status().system_error() == ENOSPC);
    CHECK(size.status().where().path == "x.h5");
  }
  // Create, write, sync and close.
  CHECK(calls >= 4);
}

// Every write that the library makes, and the truncation at the end, fails at
// some of these lengths.
TEST_CASE("A disk that is full at any byte fails the HDF5 file with the cause",
          "[hdf5][output][fault]") {
  const LossesOfLibrary aside;
  const TempDirectory folder;
  const std::string path = folder / "x.h5";
  const auto whole = Make(LocalStorage(), path);
  REQUIRE(whole.ok());
  for (std::uint64_t bytes = 0; bytes < *whole; bytes += 97) {
    Status status;
    {
      const FileSizeLimit limit(bytes);
      status = Make(LocalStorage(), path).status();
    }
    INFO("full at " << bytes << ": " << status.ToString());
    CHECK(status.code() == Code::kIo);
    CHECK(status.system_error() == EFBIG);
    CHECK(status.where().path == path);
    CHECK_THAT(status.message(), Catch::StartsWith("write"));
  }
  {
    const FileSizeLimit limit(*whole - 1);
    CHECK(Make(LocalStorage(), path).status().system_error() == EFBIG);
  }
  const FileSizeLimit limit(*whole);
  CHECK(Make(LocalStorage(), path).ok());
}

TEST_CASE("What the library refuses is an error in its words, with path",
          "[hdf5][output]") {
  MemoryStorage storage;
  const auto output = Hdf5Output::Create(storage, "x.h5");
  REQUIRE(output.ok());
  const Hdf5Lock lock;
  REQUIRE(H5Dopen2((*output)->id(), "none", H5P_DEFAULT) < 0);
  const Status status = (*output)->Error("open none");
  CHECK(status.code() == Code::kFailed);
  CHECK(status.system_error() == 0);
  CHECK(status.where().path == "x.h5");
  CHECK_THAT(status.message(), Catch::StartsWith("open none: libhdf5: ") &&
                                   Catch::Contains("object 'none'"));
}

TEST_CASE("Several HDF5 files can be written at once", "[hdf5][output]") {
  MemoryStorage good;
  REQUIRE(Make(good, "x.h5").ok());
  MemoryStorage storages[4];
  {
    std::vector<std::jthread> threads;
    for (MemoryStorage& storage : storages) {
      threads.emplace_back([&storage] {
        const auto size = Make(storage, "x.h5");
        static_cast<void>(size);
      });
    }
  }
  for (const MemoryStorage& storage : storages) {
    const auto bytes = storage.Get("x.h5");
    REQUIRE(bytes.ok());
    CHECK((*bytes == *good.Get("x.h5")));
  }
}

}  // namespace
}  // namespace shardine::hdf5_output_test
