#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "shardine/select.h"
#include "unit/load/memory_dataset.h"

namespace shardine::select_where_test {
namespace {

using Positions = std::vector<std::uint64_t>;

Positions Selected(const Dataset& dataset, const std::string& where) {
  const auto selected = SelectWhere(dataset, where);
  REQUIRE(selected.status().ToString() == "OK");
  return *selected;
}

TEST_CASE("Samples are selected by what the indexes say of them",
          "[select_where]") {
  MemoryDataset memory(30);
  const auto dataset = memory.Open();
  const auto expected = [&](const auto& holds) {
    Positions positions;
    for (std::uint64_t i = 0; i < dataset->size(); ++i) {
      const auto sample = dataset->Read(i);
      REQUIRE(sample.ok());
      if (holds(*sample)) positions.push_back(i);
    }
    REQUIRE(!positions.empty());
    REQUIRE(positions.size() < 30);
    return positions;
  };
  CHECK(Selected(*dataset, "class = class2") ==
        expected(
            [](const Sample& each) { return each.labels[0].integer() == 2; }));
  CHECK(Selected(*dataset, "label >= 2 and id < 20") ==
        expected([](const Sample& each) {
          return each.labels[0].integer() >= 2 && each.id < 20;
        }));
  CHECK(Selected(*dataset, "not key ~ \"*/101?.jpg\"") ==
        expected([](const Sample& each) {
          return each.key.find("/101") == std::string::npos;
        }));
  const std::uint64_t bytes = dataset->Read(3)->image().size();
  CHECK(Selected(*dataset, "bytes > " + std::to_string(bytes)) ==
        expected(
            [&](const Sample& each) { return each.image().size() > bytes; }));
  CHECK(Selected(*dataset, "width >= 12").size() == 15);
  CHECK(Selected(*dataset, "split = train").size() == 30);
  CHECK(Selected(*dataset, "width > 1000").empty());
}

TEST_CASE("What is no condition is refused", "[select_where]") {
  MemoryDataset memory(3);
  const Status status = SelectWhere(*memory.Open(), "widht > 3").status();
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK(status.message().find("width") != std::string::npos);
  std::stop_source stop;
  stop.request_stop();
  CHECK(
      SelectWhere(*memory.Open(), "id > 3", stop.get_token()).status().code() ==
      Code::kCancelled);
}

}  // namespace
}  // namespace shardine::select_where_test
