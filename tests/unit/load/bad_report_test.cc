// Reports of bad samples, by the counts of batches alone.
#include "load/bad_report.h"

#include <catch2/catch.hpp>

namespace shardine::bad_report_test {
namespace {

const Status kCut = Status(Code::kCorrupt, "cut").At({.key = "a.jpg"});

BadSamples Bad(std::uint64_t count) {
  return {.count = count, .first = count > 0 ? kCut : Status()};
}

TEST_CASE("BadReport is silent while all samples are good", "[loader][bad]") {
  BadReport report(OnBadSample::kGray);
  const BadSamples none;
  CHECK(report
            .Add({.samples = 8,
                  .samples_of_epoch = 8,
                  .ends_epoch = true,
                  .bad = none})
            .empty());
}

TEST_CASE("BadReport warns once of more than one in a hundred",
          "[loader][bad]") {
  BadReport report(OnBadSample::kDrop);
  const BadSamples one = Bad(1);
  const auto add = [&] {
    return report.Add({.samples = 100, .samples_of_epoch = 200, .bad = one});
  };
  CHECK(add().empty());
  CHECK(add().empty());  // two of two hundred are 1 %
  const auto said = add();
  REQUIRE(said.size() == 1);
  CHECK(said[0].starts_with(
      "more than 1 % of epoch 0 is bad, 3 samples so far, on_bad \"drop\": "));
  CHECK(said[0].find("a.jpg") != std::string::npos);
  CHECK(add().empty());
}

TEST_CASE("BadReport counts each epoch alone", "[loader][bad]") {
  BadReport report(OnBadSample::kGray);
  const BadSamples two = Bad(2);
  const BadSamples none;
  const auto end = [&](std::uint64_t epoch, const BadSamples& bad) {
    return report.Add({.epoch = epoch,
                       .samples = 500,
                       .samples_of_epoch = 500,
                       .ends_epoch = true,
                       .bad = bad});
  };
  REQUIRE(end(0, two).size() == 1);
  CHECK(end(1, none).empty());
  const auto said = end(2, two);
  REQUIRE(said.size() == 1);
  CHECK(said[0].starts_with("epoch 2: 2 of 500 samples were bad, "));
}

TEST_CASE("BadReport takes a lone bad sample of a batch for no whole batch",
          "[loader][bad]") {
  BadReport report(OnBadSample::kGray);
  const BadSamples one = Bad(1);
  CHECK(
      report.Add({.samples = 1, .samples_of_epoch = 1000, .bad = one}).empty());
}

}  // namespace
}  // namespace shardine::bad_report_test
