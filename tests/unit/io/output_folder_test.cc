#include "io/output_folder.h"

#include <catch2/catch.hpp>
#include <string>

#include "io/atomic_file.h"
#include "support/fault_storage.h"
#include "unit/io/storage_worlds.h"

namespace shardine::output_folder_test {
namespace {

TEST_CASE("An OutputFolder names what lies in it", "[output_folder]") {
  MemoryStorage storage;
  const OutputFolder out(storage, "a/out");
  CHECK(out.path() == "a/out");
  CHECK(out.PathOf("x.rec") == "a/out/x.rec");
  CHECK(out.PathOf("") == "a/out");
  CHECK(out.WorkPath("journal") == "a/out/.pack/journal");
  CHECK(out.Below("sz/160").PathOf("x.rec") == "a/out/sz/160/x.rec");
  CHECK(out.Below("").path() == "a/out");
  CHECK(&out.Below("sz/160").storage() == &storage);
}

TEMPLATE_TEST_CASE("An OutputFolder that is locked is nobody else's",
                   "[output_folder]", LocalWorld, MemoryWorld) {
  TestType world;
  const OutputFolder out(world.storage(), world / "out");
  {
    const auto lock = out.Lock();
    REQUIRE(lock.ok());
    CHECK(out.Lock().status().code() == Code::kAlreadyExists);
    CHECK(out.Below("sz/160").Lock().ok());
  }
  CHECK(out.Lock().ok());
}

TEMPLATE_TEST_CASE("An OutputFolder removes unfinished files and nothing else",
                   "[output_folder]", LocalWorld, MemoryWorld) {
  TestType world;
  Storage& storage = world.storage();
  const OutputFolder out(storage, world / "out");
  CHECK(out.RemoveTemporaries().code() == Code::kNotFound);
  REQUIRE(storage.CreateDirectories(out.PathOf("deep")).ok());
  const std::string unfinished = TemporaryName(out.PathOf("a.rec"));
  const std::string deeper = TemporaryName(out.PathOf("deep/a.rec"));
  const std::string link = TemporaryName(out.PathOf("b.rec"));
  const std::string folder = TemporaryName(out.PathOf("c.rec"));
  for (const std::string& path :
       {unfinished, deeper, out.PathOf("a.rec"), out.PathOf(".mine.tmp")}) {
    Write(storage, path, "x");
  }
  world.MakeLink("out/" + FileNameOf(link), "a.rec");
  REQUIRE(storage.CreateDirectories(folder).ok());
  CHECK(out.RemoveTemporaries().ToString() == "OK");
  CHECK(storage.Stat(unfinished).status().code() == Code::kNotFound);
  for (const std::string& path :
       {deeper, link, folder, out.PathOf("a.rec"), out.PathOf(".mine.tmp")}) {
    INFO(path);
    CHECK(storage.Stat(path).ok());
  }
}

TEST_CASE("An OutputFolder says what keeps it from removing a file",
          "[output_folder]") {
  MemoryStorage memory;
  memory.Put("out/x", "x");
  FaultStorage failing(memory, {.operation = Operation::kRemove, .call = 0});
  const OutputFolder out(failing, "out");
  CHECK(out.Remove(out.PathOf("x")).code() == Code::kIo);
  CHECK(out.Remove(out.PathOf("x")).ToString() == "OK");
  CHECK(out.Remove(out.PathOf("x")).ToString() == "OK");  // it is gone
  CHECK(memory.Get("out/x").status().code() == Code::kNotFound);
}

}  // namespace
}  // namespace shardine::output_folder_test
