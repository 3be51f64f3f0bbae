// The same small world on the local and on the in-memory storage, so that one
// suite of behaviours runs over both.
#ifndef SHARDINE_UNIT_IO_STORAGE_WORLDS_H_
#define SHARDINE_UNIT_IO_STORAGE_WORLDS_H_

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "io/local_storage.h"
#include "io/memory_storage.h"
#include "support/temp_directory.h"

namespace shardine {

class LocalWorld {
 public:
  Storage& storage() { return LocalStorage(); }
  std::string operator/(const std::string& name) const { return root_ / name; }
  void MakeLink(const std::string& name, const std::string& target) {
    std::filesystem::create_symlink(target, root_ / name);
  }
  void MakeFifo(const std::string& name) {
    REQUIRE(::mkfifo((root_ / name).c_str(), 0666) == 0);
  }

 private:
  TempDirectory root_;
};

class MemoryWorld {
 public:
  MemoryWorld() { REQUIRE(storage_.CreateDirectories("/world").ok()); }
  Storage& storage() { return storage_; }
  std::string operator/(const std::string& name) const {
    return "/world/" + name;
  }
  void MakeLink(const std::string& name, const std::string& target) {
    storage_.PutSymlink(*this / name, target);
  }
  void MakeFifo(const std::string& name) { storage_.PutFifo(*this / name); }

 private:
  MemoryStorage storage_;
};

inline void Write(Storage& storage, const std::string& path,
                  std::string_view contents) {
  auto file = storage.Create(path);
  REQUIRE(file.ok());
  REQUIRE((*file)->Append(AsBytes(contents)).ok());
  REQUIRE((*file)->Close().ok());
}

// The contents, or "(why not)".
inline std::string Read(Storage& storage, const std::string& path) {
  const Result<std::string> contents = ReadFile(storage, path, 1 << 20);
  return contents.ok() ? *contents : "(" + contents.status().message() + ")";
}

}  // namespace shardine

#endif  // SHARDINE_UNIT_IO_STORAGE_WORLDS_H_
