#include "image/probe.h"

#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace shardine::probe_test {
namespace {

using namespace std::string_literals;

ProbeResult Probe(std::string_view bytes) { return ProbeImage(AsBytes(bytes)); }

TEST_CASE("ProbeImage calls zero bytes empty", "[probe]") {
  const ProbeResult result = Probe("");
  CHECK(result.problem == ImageProblem::kEmpty);
  CHECK(result.facts == ImageFacts{});
  CHECK(ToString(result.problem) == "empty"s);
}

TEST_CASE("ProbeImage tells what stands in an image's place", "[probe]") {
  using Row = std::tuple<std::string, ImageKind, std::string>;
  const std::vector<Row> rows = {
      {"<html><body>404 Not Found</body></html>", ImageKind::kHtml,
       "an HTML page"},
      {"<svg width='1'/>", ImageKind::kSvg, "an SVG drawing"},
      {"version https://git-lfs.github.com/spec/v1\n",
       ImageKind::kGitLfsPointer,
       "a git-LFS pointer: the file was never fetched"},
      {"\0\0\0\0"s, ImageKind::kUnknown,
       "the first bytes are of no known kind of image"},
  };
  for (const auto& [bytes, kind, detail] : rows) {
    const ProbeResult result = Probe(bytes);
    CHECK(result.problem == ImageProblem::kNotAnImage);
    CHECK(result.facts.kind == kind);
    CHECK(result.detail == detail);
    CHECK(result.offset == 0);
  }
}

TEST_CASE("ProbeImage names the kinds that are not decoded", "[probe]") {
  const ProbeResult result = Probe("\0\0\0\x18"s + "ftypheic\0\0\0\0"s);
  CHECK(result.problem == ImageProblem::kUnsupported);
  CHECK(result.facts.kind == ImageKind::kHeic);
  CHECK(result.facts.width == 0);
  CHECK(result.detail ==
        "heic images are not decoded: make jpeg or png images of them first");
  CHECK(Probe("\xFF\x0A").problem == ImageProblem::kUnsupported);
}

TEST_CASE("ToString gives every ImageProblem its stable word", "[probe]") {
  CHECK(ToString(ImageProblem::kNone) == ""s);
  CHECK(ToString(ImageProblem::kEmpty) == "empty"s);
  CHECK(ToString(ImageProblem::kNotAnImage) == "not-an-image"s);
  CHECK(ToString(ImageProblem::kUnsupported) == "unsupported-kind"s);
  CHECK(ToString(ImageProblem::kBadHeader) == "bad-header"s);
  CHECK(ToString(ImageProblem::kNoEndMarker) == "no-end-marker"s);
}

}  // namespace
}  // namespace shardine::probe_test
