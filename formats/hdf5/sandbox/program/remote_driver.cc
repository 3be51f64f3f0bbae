#include "hdf5/sandbox/program/remote_driver.h"

#include <cstring>
#include <optional>

namespace shardine {
namespace {

// One per process: libhdf5's functions have no other way to it.
Parent* the_parent = nullptr;
std::optional<ReadTrap::Place> the_trap;

// H5FD_t must come first: the library takes it for the whole.
struct RemoteFile {
  H5FD_t base;
  haddr_t eoa;  // where allocated space ends
};

RemoteFile* Of(H5FD_t* file) { return reinterpret_cast<RemoteFile*>(file); }
const RemoteFile* Of(const H5FD_t* file) {
  return reinterpret_cast<const RemoteFile*>(file);
}

H5FD_t* Open(const char*, unsigned flags, hid_t, haddr_t) {
  if ((flags & H5F_ACC_RDWR) != 0) return nullptr;
  auto* file = new RemoteFile;
  std::memset(file, 0, sizeof(*file));
  return &file->base;
}

herr_t Close(H5FD_t* file) {
  delete Of(file);
  return 0;
}

herr_t Query(const H5FD_t*, unsigned long* flags) {
  if (flags != nullptr) *flags = 0;
  return 0;
}

haddr_t GetEoa(const H5FD_t* file, H5FD_mem_t) { return Of(file)->eoa; }

herr_t SetEoa(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  Of(file)->eoa = address;
  return 0;
}

haddr_t GetEof(const H5FD_t*, H5FD_mem_t) { return the_parent->file_size(); }

herr_t Read(H5FD_t*, H5FD_mem_t type, hid_t, haddr_t address, std::size_t size,
            void* buffer) {
  if (the_trap && type == H5FD_MEM_DRAW) {
    the_trap = ReadTrap::Place{address, size};
    return 0;
  }
  const std::span<std::byte> out(static_cast<std::byte*>(buffer), size);
  return the_parent->ReadAt(address, out) ? 0 : -1;
}

herr_t Write(H5FD_t*, H5FD_mem_t, hid_t, haddr_t, std::size_t, const void*) {
  return -1;
}

}  // namespace

hid_t MakeRemoteAccess(Parent& parent) {
  static H5FD_class_t driver = {};
  the_parent = &parent;
  driver.name = "shardine-remote";
  driver.maxaddr = (~haddr_t{0}) >> 1;
  driver.fc_degree = H5F_CLOSE_STRONG;
  driver.open = Open;
  driver.close = Close;
  driver.query = Query;
  driver.get_eoa = GetEoa;
  driver.set_eoa = SetEoa;
  driver.get_eof = GetEof;
  driver.read = Read;
  driver.write = Write;
  const H5FD_mem_t map[] = H5FD_FLMAP_DICHOTOMY;
  std::memcpy(driver.fl_map, map, sizeof(map));
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_driver(access, H5FDregister(&driver), nullptr);
  return access;
}

ReadTrap::ReadTrap() { the_trap.emplace(); }
ReadTrap::~ReadTrap() { the_trap.reset(); }
ReadTrap::Place ReadTrap::place() const { return *the_trap; }

}  // namespace shardine
