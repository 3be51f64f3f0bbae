#include "hdf5/hdf5_library.h"

#include <catch2/catch.hpp>
#include <thread>
#include <vector>

namespace shardine::hdf5_library_test {
namespace {

bool IsOpen(hid_t id) { return H5Iis_valid(id) > 0; }

Hdf5Id NewType() { return {H5Tcopy(H5T_STD_I32LE), H5Tclose}; }

TEST_CASE("An Hdf5Id closes what it holds, once", "[hdf5][library]") {
  const Hdf5Lock lock;
  hid_t raw = H5I_INVALID_HID;
  {
    Hdf5Id id = NewType();
    REQUIRE(id.valid());
    raw = id.get();
    CHECK(IsOpen(raw));
  }
  CHECK_FALSE(IsOpen(raw));

  Hdf5Id id = NewType();
  raw = id.get();
  CHECK(id.Reset());
  CHECK_FALSE(IsOpen(raw));
  CHECK_FALSE(id.valid());
  // The number may be another's by now.
  CHECK(id.Reset());
  CHECK(Hdf5Id().Reset());
}

TEST_CASE("A moved Hdf5Id leaves nothing to close behind", "[hdf5][library]") {
  const Hdf5Lock lock;
  Hdf5Id first = NewType();
  const hid_t raw = first.get();
  {
    Hdf5Id second(std::move(first));
    CHECK(second.get() == raw);
    CHECK_FALSE(first.valid());
    first.Reset();
    CHECK(IsOpen(raw));
    // An object replaced by an assignment is closed with the source.
    Hdf5Id third = NewType();
    const hid_t replaced = third.get();
    third = std::move(second);
    CHECK(third.get() == raw);
    second.Reset();
    CHECK_FALSE(IsOpen(replaced));
    CHECK(IsOpen(raw));
  }
  CHECK_FALSE(IsOpen(raw));
}

TEST_CASE("An Hdf5Id tells if the library would not close it",
          "[hdf5][library]") {
  const Hdf5Lock lock;
  // A type of the library's own.
  Hdf5Id id(H5T_NATIVE_INT, H5Tclose);
  CHECK_FALSE(id.Reset());
  CHECK_FALSE(id.valid());
  CHECK(H5Tget_size(H5T_NATIVE_INT) == sizeof(int));
}

TEST_CASE("An error of libhdf5 has the innermost words, action and path",
          "[hdf5][library]") {
  const Hdf5Lock lock;
  REQUIRE(H5Fopen("/no such folder/x.h5", H5F_ACC_RDONLY, H5P_DEFAULT) < 0);
  const Status status = Hdf5Error("open", "a/x.h5");
  CHECK(status.code() == Code::kFailed);
  CHECK(status.where().path == "a/x.h5");
  // The outermost would be "unable to open file" alone.
  CHECK_THAT(status.message(),
             Catch::StartsWith("open: libhdf5: ") &&
                 Catch::Contains("No such file or directory"));
}

TEST_CASE("An error of libhdf5 is of the last call alone", "[hdf5][library]") {
  const Hdf5Lock lock;
  REQUIRE(H5Fopen("/no such folder/x.h5", H5F_ACC_RDONLY, H5P_DEFAULT) < 0);
  REQUIRE(H5Tclose(H5T_NATIVE_INT) < 0);
  CHECK_THAT(Hdf5Error("close", "x").message(),
             !Catch::Contains("No such file"));
  NewType();
  CHECK(Hdf5Error("write", "x").message() == "write: libhdf5: failed");
}

TEST_CASE("libhdf5 prints no errors of its own in any thread",
          "[hdf5][library]") {
  // The library calls this when it would print.
  static bool printed = false;
  const auto expect_quiet = [] {
    const Hdf5Lock lock;
    H5E_auto2_t print = [](hid_t, void*) -> herr_t {
      printed = true;
      return 0;
    };
    H5Eget_auto2(H5E_DEFAULT, &print, nullptr);
    printed = print != nullptr;
  };
  expect_quiet();
  CHECK_FALSE(printed);
  printed = true;
  std::thread(expect_quiet).join();
  CHECK_FALSE(printed);
}

TEST_CASE("Hdf5Lock lets in one thread at a time, as often as it likes",
          "[hdf5][library]") {
  int inside = 0;
  int most = 0;
  int turns = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int turn = 0; turn < 200; ++turn) {
          const Hdf5Lock lock;
          const Hdf5Lock again;
          most = std::max(most, ++inside);
          const Hdf5Id type = NewType();
          std::this_thread::yield();
          turns += type.valid() ? 1 : 0;
          --inside;
        }
      });
    }
  }
  CHECK(most == 1);
  CHECK(turns == 800);
}

}  // namespace
}  // namespace shardine::hdf5_library_test
