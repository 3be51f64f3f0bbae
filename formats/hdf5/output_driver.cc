#include "hdf5/output_driver.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace shardine {
namespace {

// H5FD_t must come first: the library takes it for the whole.
struct OutputFile {
  H5FD_t base;
  OutputTarget* target;
  haddr_t eoa;  // where allocated space ends
  haddr_t eof;
};

OutputFile* Of(H5FD_t* file) { return reinterpret_cast<OutputFile*>(file); }
const OutputFile* Of(const H5FD_t* file) {
  return reinterpret_cast<const OutputFile*>(file);
}

// After a failure the library still tries to write its buffers when it closes
// the file. The first error is the cause.
herr_t Fail(H5FD_t* file) {
  int& error = Of(file)->target->error;
  if (error == 0) error = errno;
  return -1;
}

H5FD_t* Open(const char*, unsigned, hid_t access, haddr_t) {
  const void* info = H5Pget_driver_info(access);
  if (info == nullptr) return nullptr;
  auto* file = new OutputFile;
  std::memset(file, 0, sizeof(*file));
  std::memcpy(&file->target, info, sizeof(file->target));
  return &file->base;
}

herr_t Close(H5FD_t* file) {
  delete Of(file);
  return 0;
}

herr_t Query(const H5FD_t*, unsigned long* flags) {
  if (flags != nullptr) {
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA |
             H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA;
  }
  return 0;
}

haddr_t GetEoa(const H5FD_t* file, H5FD_mem_t) { return Of(file)->eoa; }

herr_t SetEoa(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  Of(file)->eoa = address;
  return 0;
}

haddr_t GetEof(const H5FD_t* file, H5FD_mem_t) { return Of(file)->eof; }

herr_t Read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size,
            void* buffer) {
  auto* to = static_cast<char*>(buffer);
  while (size > 0) {
    const ssize_t count = pread(Of(file)->target->descriptor, to, size,
                                static_cast<off_t>(address));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Fail(file);
    // The library reads space that it allocated and has not written.
    if (count == 0) {
      std::memset(to, 0, size);
      return 0;
    }
    to += count;
    address += static_cast<haddr_t>(count);
    size -= static_cast<std::size_t>(count);
  }
  return 0;
}

herr_t Write(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size,
             const void* buffer) {
  const auto* from = static_cast<const char*>(buffer);
  while (size > 0) {
    const ssize_t count = pwrite(Of(file)->target->descriptor, from, size,
                                 static_cast<off_t>(address));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Fail(file);
    from += count;
    address += static_cast<haddr_t>(count);
    size -= static_cast<std::size_t>(count);
  }
  Of(file)->eof = std::max(Of(file)->eof, address);
  return 0;
}

// When it closes a file, the library wants it as long as the space that was
// allocated. Readers refuse a shorter one as truncated.
herr_t Truncate(H5FD_t* file, hid_t, hbool_t) {
  OutputFile& output = *Of(file);
  if (output.eoa == output.eof) return 0;
  while (ftruncate(output.target->descriptor, static_cast<off_t>(output.eoa)) !=
         0) {
    if (errno != EINTR) return Fail(file);
  }
  output.eof = output.eoa;
  return 0;
}

hid_t RegisterDriver() {
  static H5FD_class_t driver = {};
  driver.name = "shardine-output";
  // The largest offset that off_t holds.
  driver.maxaddr = (~haddr_t{0}) >> 1;
  driver.fc_degree = H5F_CLOSE_STRONG;
  // The property is the pointer itself, which the library copies.
  driver.fapl_size = sizeof(OutputTarget*);
  driver.open = Open;
  driver.close = Close;
  driver.query = Query;
  driver.get_eoa = GetEoa;
  driver.set_eoa = SetEoa;
  driver.get_eof = GetEof;
  driver.read = Read;
  driver.write = Write;
  driver.truncate = Truncate;
  const H5FD_mem_t map[] = H5FD_FLMAP_DICHOTOMY;
  std::memcpy(driver.fl_map, map, sizeof(map));
  return H5FDregister(&driver);
}

}  // namespace

bool SetOutputDriver(hid_t access, OutputTarget& target) {
  static constinit hid_t driver = H5I_INVALID_HID;  // guarded by Hdf5Lock
  if (driver < 0) driver = RegisterDriver();
  OutputTarget* const pointer = &target;
  return driver >= 0 && H5Pset_driver(access, driver, &pointer) >= 0;
}

}  // namespace shardine
