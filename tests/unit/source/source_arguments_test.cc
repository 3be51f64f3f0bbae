#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "shardine/source.h"

namespace shardine::source_arguments_test {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs Folders(const std::vector<std::string>& arguments) {
  const auto folders = ParseSourceArguments(arguments);
  INFO(folders.status().ToString());
  REQUIRE(folders.ok());
  Pairs pairs;
  for (const auto& folder : *folders) {
    pairs.emplace_back(folder.split, folder.path);
  }
  return pairs;
}

std::string FoldersError(const std::vector<std::string>& arguments) {
  const auto folders = ParseSourceArguments(arguments);
  REQUIRE_FALSE(folders.ok());
  CHECK(folders.status().code() == Code::kInvalidArgument);
  return folders.status().message();
}

std::string SharesError(std::string_view text) {
  const auto shares = ParseSplitShares(text);
  INFO(text);
  REQUIRE_FALSE(shares.ok());
  CHECK(shares.status().code() == Code::kInvalidArgument);
  return shares.status().message();
}

TEST_CASE("ParseSourceArguments reads one folder as split train",
          "[source_arguments]") {
  CHECK(Folders({"a dir/b"}) == Pairs{{"train", "a dir/b"}});
  CHECK(Folders({"./a=b"}) == Pairs{{"train", "./a=b"}});
  CHECK(Folders({"/x/a=b"}) == Pairs{{"train", "/x/a=b"}});
  CHECK(Folders({"a b=c"}) == Pairs{{"train", "a b=c"}});
}

TEST_CASE("ParseSourceArguments reads named folders in their order",
          "[source_arguments]") {
  CHECK(Folders({"val=v", "train=t=1", "test-2_x.y=/z"}) ==
        Pairs{{"val", "v"}, {"train", "t=1"}, {"test-2_x.y", "/z"}});
  CHECK(Folders({"val=v"}) == Pairs{{"val", "v"}});
}

TEST_CASE("ParseSourceArguments quotes the argument that is wrong",
          "[source_arguments]") {
  CHECK(FoldersError({}) == "no source");
  CHECK(FoldersError({""}) == "\"\": no folder");
  CHECK(FoldersError({"a", "b"}) ==
        "\"a\": several sources are given as train=DIR val=DIR");
  CHECK(FoldersError({"train=a", "b"}) ==
        "\"b\": several sources are given as train=DIR val=DIR");
  CHECK(FoldersError({"train="}) == "\"train=\": no folder after the =");
  CHECK(FoldersError({"train=a", "train=b"}) ==
        "\"train=b\": this split was given before");
  CHECK(FoldersError({"train=a", "..=b"}).find("\"..=b\"") == 0);
}

TEST_CASE("ParseSplitShares reads names and shares in their order",
          "[source_arguments]") {
  const auto shares = ParseSplitShares("train=0.9,val=.1");
  REQUIRE(shares.ok());
  REQUIRE(shares->size() == 2);
  CHECK((*shares)[0].name == "train");
  CHECK((*shares)[0].share == 0.9);
  CHECK((*shares)[1].name == "val");
  CHECK((*shares)[1].share == 0.1);
  CHECK(ParseSplitShares("all=1").ok());
  CHECK(ParseSplitShares("a=0.333333333,b=0.333333333,c=0.333333334").ok());
}

TEST_CASE("ParseSplitShares quotes what is wrong", "[source_arguments]") {
  for (const char* bad : {"", "train", "=1", "train=0.5,", ",train=1",
                          "tr ain=1", "train=0.5,,val=0.5", "-x=1"}) {
    CHECK(SharesError(bad) ==
          "\"" + std::string(bad) + "\": write train=0.9,val=0.1");
  }
  for (const char* bad : {"", "0", "-0.5", "1.5", "nan", "inf", "1e-1", "0,5x",
                          "+1", " 1", "0x1"}) {
    const std::string message = SharesError("train=" + std::string(bad));
    INFO(message);
    CHECK((message.find("a share is a decimal number in (0, 1]") !=
               std::string::npos ||
           message.find("write train=0.9") != std::string::npos));
  }
  CHECK(SharesError("a=0.5,a=0.5") == "\"a=0.5\": this split was given before");
  CHECK(SharesError("a=0.5,b=0.4") ==
        "\"a=0.5,b=0.4\": the shares do not sum to 1");
  CHECK(SharesError("a=0.5,b=0.50000001").find("sum to 1") !=
        std::string::npos);
}

}  // namespace
}  // namespace shardine::source_arguments_test
