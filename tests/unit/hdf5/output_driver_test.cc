#include "hdf5/output_driver.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>

#include "support/draws.h"
#include "support/temp_directory.h"
#include "unit/hdf5/file_size_limit.h"
#include "unit/hdf5/library_file.h"

namespace shardine::output_driver_test {
namespace {

// Anonymous memory.
class Descriptor {
 public:
  Descriptor() : number_(memfd_create("test", MFD_CLOEXEC)) {
    REQUIRE(number_ >= 0);
  }
  explicit Descriptor(const std::string& path, int flags)
      : number_(open(path.c_str(), flags | O_CLOEXEC)) {
    REQUIRE(number_ >= 0);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(number_); }

  int number() const { return number_; }
  std::string Contents() const {
    struct stat info = {};
    REQUIRE(fstat(number_, &info) == 0);
    std::string bytes(static_cast<std::size_t>(info.st_size), '\0');
    REQUIRE(pread(number_, bytes.data(), bytes.size(), 0) == info.st_size);
    return bytes;
  }

 private:
  const int number_;
};

// The driver alone, called as libhdf5 calls it.
class DrivenFile {
 public:
  explicit DrivenFile(OutputTarget& target) {
    const Hdf5Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    REQUIRE(SetOutputDriver(access.get(), target));
    file_ = H5FDopen("any name", H5F_ACC_RDWR | H5F_ACC_CREAT, access.get(),
                     HADDR_UNDEF);
    REQUIRE(file_ != nullptr);
  }
  DrivenFile(const DrivenFile&) = delete;
  DrivenFile& operator=(const DrivenFile&) = delete;
  ~DrivenFile() { H5FDclose(file_); }

  void Allocate(haddr_t end) {
    REQUIRE(H5FDset_eoa(file_, H5FD_MEM_DRAW, end) >= 0);
  }
  bool Write(haddr_t at, const std::string& bytes) {
    return H5FDwrite(file_, H5FD_MEM_DRAW, H5P_DEFAULT, at, bytes.size(),
                     bytes.data()) >= 0;
  }
  bool Read(haddr_t at, std::string& bytes) {
    return H5FDread(file_, H5FD_MEM_DRAW, H5P_DEFAULT, at, bytes.size(),
                    bytes.data()) >= 0;
  }
  bool Truncate() { return H5FDtruncate(file_, H5P_DEFAULT, false) >= 0; }
  haddr_t end() const { return H5FDget_eof(file_, H5FD_MEM_DRAW); }

 private:
  const Hdf5Lock lock_;
  H5FD_t* file_ = nullptr;
};

void PutSome(hid_t file) {
  Draws draws(1);
  for (int i = 0; i < 20; ++i) {
    const hsize_t size = 1 + draws.Below(3001);
    const Hdf5Id space(H5Screate_simple(1, &size, nullptr), H5Sclose);
    const Hdf5Id list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_obj_track_times(list.get(), false);
    if (i % 3 == 0) {
      const hsize_t chunk = std::min<hsize_t>(size, 1 + draws.Below(501));
      H5Pset_chunk(list.get(), 1, &chunk);
    }
    const Hdf5Id dataset(
        H5Dcreate2(file, std::to_string(i).c_str(), H5T_STD_U8LE, space.get(),
                   H5P_DEFAULT, list.get(), H5P_DEFAULT),
        H5Dclose);
    REQUIRE(H5Dwrite(dataset.get(), H5T_STD_U8LE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                     draws.Bytes(size).data()) >= 0);
  }
}

TEST_CASE("The output driver makes the file that the library's own makes",
          "[hdf5][driver]") {
  const Hdf5Lock lock;
  const TempDirectory folder;
  const std::string path = folder / "own.h5";
  {
    const Hdf5Id file(
        H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
        H5Fclose);
    PutSome(file.get());
  }
  std::ifstream stream(path, std::ios::binary);
  const std::string own{std::istreambuf_iterator<char>(stream), {}};
  const Descriptor memory;
  OutputTarget target{.descriptor = memory.number()};
  {
    const Hdf5Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    REQUIRE(SetOutputDriver(access.get(), target));
    const Hdf5Id file(H5Fcreate("elsewhere/no such folder/x", H5F_ACC_TRUNC,
                                H5P_DEFAULT, access.get()),
                      H5Fclose);
    PutSome(file.get());
  }
  CHECK(target.error == 0);
  CHECK(own.size() > 20'000);
  CHECK((memory.Contents() == own));
}

TEST_CASE("The output driver reads what was written, and zeros after it",
          "[hdf5][driver]") {
  const Descriptor memory;
  OutputTarget target{.descriptor = memory.number()};
  DrivenFile file(target);
  file.Allocate(1000);
  CHECK(file.end() == 0);
  REQUIRE(file.Write(100, "abcdef"));
  CHECK(file.end() == 106);
  REQUIRE(file.Write(10, "xy"));
  // An earlier place does not make it shorter.
  CHECK(file.end() == 106);
  std::string bytes(40, '\x7f');
  REQUIRE(file.Read(90, bytes));
  CHECK(bytes == std::string(10, '\0') + "abcdef" + std::string(24, '\0'));
  bytes.assign(8, '\x7f');
  REQUIRE(file.Read(500, bytes));
  CHECK(bytes == std::string(8, '\0'));
  CHECK(target.error == 0);
}

TEST_CASE("The output driver makes a file as long as the space allocated",
          "[hdf5][driver]") {
  const Descriptor memory;
  OutputTarget target{.descriptor = memory.number()};
  DrivenFile file(target);
  file.Allocate(1000);
  REQUIRE(file.Write(0, "abc"));
  REQUIRE(file.Truncate());
  CHECK(memory.Contents() == "abc" + std::string(997, '\0'));
  CHECK(file.end() == 1000);
  file.Allocate(2);
  REQUIRE(file.Truncate());
  CHECK(memory.Contents() == "ab");
}

TEST_CASE("The output driver says why it could not write, read or truncate",
          "[hdf5][driver]") {
  {
    const Descriptor full("/dev/full", O_RDWR);
    OutputTarget target{.descriptor = full.number()};
    DrivenFile file(target);
    file.Allocate(100);
    CHECK_FALSE(file.Write(0, "x"));
    CHECK(target.error == ENOSPC);
    // A later failure is a consequence, not the cause.
    target.descriptor = -1;
    CHECK_FALSE(file.Write(0, "x"));
    CHECK(target.error == ENOSPC);
  }
  const auto fails = [](auto call) {
    OutputTarget target;
    DrivenFile file(target);
    file.Allocate(100);
    CHECK_FALSE(call(file));
    CHECK(target.error == EBADF);
  };
  std::string bytes(8, '\0');
  fails([&](DrivenFile& file) { return file.Write(0, bytes); });
  fails([&](DrivenFile& file) { return file.Read(0, bytes); });
  fails([&](DrivenFile& file) { return file.Truncate(); });
}

TEST_CASE("The output driver writes what fits, then fails with the cause",
          "[hdf5][driver]") {
  for (const std::size_t fits : {0U, 1U, 999U, 1000U}) {
    const Descriptor memory;
    OutputTarget target{.descriptor = memory.number()};
    DrivenFile file(target);
    file.Allocate(1000);
    const std::string bytes = Draws(2).Bytes(1000);
    {
      const FileSizeLimit limit(fits);
      CHECK(file.Write(0, bytes) == (fits == 1000));
    }
    CHECK(target.error == (fits == 1000 ? 0 : EFBIG));
    CHECK(memory.Contents() == bytes.substr(0, fits));
    // The library is told the end of the bytes that it wrote whole.
    CHECK(file.end() == (fits == 1000 ? 1000 : 0));
  }
}

}  // namespace
}  // namespace shardine::output_driver_test
