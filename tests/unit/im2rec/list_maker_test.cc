#include "im2rec/list_maker.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "io/memory_storage.h"
#include "support/fault_storage.h"

namespace shardine::list_maker_test {
namespace {

std::vector<ListedImage> Images(std::size_t count) {
  std::vector<ListedImage> images;
  for (std::size_t i = 0; i < count; ++i) {
    images.push_back({i, i % 3, "i" + std::to_string(i) + ".jpg"});
  }
  return images;
}

class Lists {
 public:
  Lists() { storage_.Put("/out/keep", ""); }

  WrittenLists Write(const ListOptions& options, std::size_t count) {
    Result<WrittenLists> written = WriteLists(storage_, options, Images(count));
    REQUIRE(written.ok());
    return *std::move(written);
  }
  // The ids of the list, in order.
  std::vector<int> Ids(const std::string& name) const {
    const Result<std::string> text = storage_.Get("/out/" + name);
    REQUIRE(text.ok());
    std::vector<int> ids;
    for (std::size_t at = 0; at < text->size(); at = text->find('\n', at) + 1) {
      ids.push_back(std::stoi(text->substr(at)));
    }
    return ids;
  }
  MemoryStorage& storage() { return storage_; }

 private:
  MemoryStorage storage_;
};

using Names = std::vector<std::string>;
using Ids = std::vector<int>;

TEST_CASE("WriteLists writes id, label and path as the original does",
          "[im2rec]") {
  Lists lists;
  const WrittenLists written =
      lists.Write({.prefix = "/out/a", .shuffle = false}, 3);
  CHECK(written.paths == Names{"/out/a.lst"});
  CHECK(*lists.storage().Get("/out/a.lst") ==
        "0\t0.000000\ti0.jpg\n1\t1.000000\ti1.jpg\n2\t2.000000\ti2.jpg\n");
}

TEST_CASE("WriteLists shuffles with Python's order for seed 100", "[im2rec]") {
  Lists lists;
  lists.Write({.prefix = "/out/a"}, 10);
  CHECK(lists.Ids("a.lst") == Ids{4, 0, 5, 9, 3, 1, 6, 8, 7, 2});
}

TEST_CASE("WriteLists cuts chunks of equal size, the last may be shorter",
          "[im2rec]") {
  Lists lists;
  const WrittenLists written =
      lists.Write({.prefix = "/out/a", .chunks = 3, .shuffle = false}, 7);
  CHECK(written.paths == Names{"/out/a_0.lst", "/out/a_1.lst", "/out/a_2.lst"});
  CHECK(lists.Ids("a_0.lst") == Ids{0, 1, 2});
  CHECK(lists.Ids("a_1.lst") == Ids{3, 4, 5});
  CHECK(lists.Ids("a_2.lst") == Ids{6});
}

TEST_CASE(
    "WriteLists writes empty lists when there are more chunks than "
    "images",
    "[im2rec]") {
  Lists lists;
  lists.Write({.prefix = "/out/a", .chunks = 5, .shuffle = false}, 4);
  CHECK(lists.Ids("a_3.lst") == Ids{3});
  CHECK(*lists.storage().Get("/out/a_4.lst") == "");
}

TEST_CASE("WriteLists gives a chunk to test, train and val in this order",
          "[im2rec]") {
  Lists lists;
  const WrittenLists written = lists.Write({.prefix = "/out/a",
                                            .train_ratio = 0.5,
                                            .test_ratio = 0.25,
                                            .shuffle = false},
                                           9);
  CHECK(written.paths ==
        Names{"/out/a_test.lst", "/out/a_val.lst", "/out/a_train.lst"});
  CHECK(lists.Ids("a_test.lst") == Ids{0, 1});
  CHECK(lists.Ids("a_train.lst") == Ids{2, 3, 4, 5});
  CHECK(lists.Ids("a_val.lst") == Ids{6, 7, 8});
  CHECK(written.left_over == 0);
}

TEST_CASE("WriteLists writes no test list without a test ratio", "[im2rec]") {
  Lists lists;
  const WrittenLists written = lists.Write(
      {.prefix = "/out/a", .train_ratio = 0.7, .shuffle = false}, 10);
  CHECK(written.paths == Names{"/out/a_val.lst", "/out/a_train.lst"});
  // int(10 * 0.7) is 7: the product is rounded before it is cut.
  CHECK(lists.Ids("a_train.lst") == Ids{0, 1, 2, 3, 4, 5, 6});
}

TEST_CASE("WriteLists counts the images that rounding leaves in no list",
          "[im2rec]") {
  Lists lists;
  const WrittenLists written = lists.Write({.prefix = "/out/a",
                                            .chunks = 2,
                                            .train_ratio = 0.5,
                                            .test_ratio = 0.5,
                                            .shuffle = false},
                                           10);
  CHECK(written.paths == Names{"/out/a_0_test.lst", "/out/a_0_train.lst",
                               "/out/a_1_test.lst", "/out/a_1_train.lst"});
  CHECK(lists.Ids("a_0_train.lst") == Ids{2, 3});
  CHECK(written.left_over == 2);
}

TEST_CASE(
    "WriteLists takes shares of the full chunk size in a short last "
    "chunk",
    "[im2rec]") {
  Lists lists;
  lists.Write({.prefix = "/out/a",
               .chunks = 2,
               .train_ratio = 0.6,
               .test_ratio = 0.2,
               .shuffle = false},
              8 + 1);
  // Chunks of 5 and 4: test int(5 * 0.2) = 1, train int(5 * 0.6) = 3.
  CHECK(lists.Ids("a_1_test.lst") == Ids{5});
  CHECK(lists.Ids("a_1_train.lst") == Ids{6, 7, 8});
  CHECK(lists.Ids("a_1_val.lst").empty());
}

TEST_CASE("WriteLists leaves no list under its name when the disk fails",
          "[im2rec]") {
  for (std::uint64_t call = 0;; ++call) {
    MemoryStorage memory;
    memory.Put("/out/keep", "");
    FaultStorage storage(memory, {.call = call, .error = 28});
    const Result<WrittenLists> written =
        WriteLists(storage, {.prefix = "/out/a"}, Images(4));
    if (!storage.struck()) {
      CHECK(call >= 3);
      CHECK(written.ok());
      break;
    }
    INFO("call " << call);
    const Result<std::string> list = memory.Get("/out/a.lst");
    // After the rename only the sync of the directory can fail.
    if (list.ok()) CHECK(list->size() == 4 * 18);
    if (!written.ok()) CHECK(written.status().system_error() == 28);
  }
}

}  // namespace
}  // namespace shardine::list_maker_test
