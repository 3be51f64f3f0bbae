#include "shardine/loader_plot.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "load/loader_history.h"

namespace shardine::loader_plot_test {
namespace {

LoaderStats StatsOf(std::size_t moments) {
  LoaderStats stats;
  stats.images = 64 * moments;
  stats.seconds = static_cast<double>(moments);
  stats.waiting_for_data = 0.9;
  for (const char* stage : {"read", "decode", "deliver"}) {
    stats.stages.push_back({.name = stage});
  }
  stats.stages[1].busy = 1;
  for (std::size_t i = 1; i <= moments; ++i) {
    LoaderMoment moment{.seconds = static_cast<double>(i), .images = 64 * i};
    moment.read = {.busy = 0.25 * static_cast<double>(i),
                   .waiting_for_output = 0.75 * static_cast<double>(i)};
    moment.decode = {.busy = 2 * static_cast<double>(i)};
    moment.deliver = {.waiting_for_input = static_cast<double>(i)};
    stats.history.push_back(moment);
  }
  return stats;
}

std::string PlotOf(const LoaderStats& stats, const std::string& title = "t") {
  const PlottedLoader loader{title, stats};
  return PlotLoaders({&loader, 1});
}

std::size_t CountOf(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos;
       at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST_CASE("A plot has the rate, each stage and the bottleneck in words",
          "[load][plot]") {
  const std::string plot = PlotOf(StatsOf(4));
  CHECK(plot.starts_with("<svg xmlns="));
  CHECK(plot.ends_with("</svg>\n"));
  CHECK_THAT(plot, Catch::Contains("decode is the bottleneck"));
  CHECK_THAT(plot, Catch::Contains("64 images/s"));
  for (const char* stage : {">read<", ">decode<", ">deliver<"}) {
    CHECK(CountOf(plot, stage) == 1);
  }
  // Four intervals of `read`: a quarter of the height is work.
  const std::size_t busy = plot.find("class=\"b\" d=");
  REQUIRE(busy != plot.npos);
  const std::string path = plot.substr(busy, plot.find("/>", busy) - busy);
  CHECK(CountOf(path, "Z") == 4);
  CHECK(CountOf(plot, "class=\"o\" d=") == 1);
  CHECK(CountOf(plot, "class=\"i\" d=") == 1);
}

TEST_CASE("A plot of a loader that delivered nothing says so", "[load][plot]") {
  const std::string plot = PlotOf({});
  CHECK_THAT(plot, Catch::Contains("nothing was read yet"));
  CHECK(CountOf(plot, "<path") == 0);
}

TEST_CASE("A plot shows titles as text and odd numbers as numbers",
          "[load][plot]") {
  LoaderStats stats = StatsOf(3);
  stats.history[1].seconds = stats.history[0].seconds;
  stats.history[2].images = std::numeric_limits<std::uint64_t>::max();
  stats.history[2].read.busy = std::numeric_limits<double>::infinity();
  const std::string plot = PlotOf(stats, "<script>\"&'");
  CHECK(plot.find("<script") == plot.npos);
  CHECK_THAT(plot, Catch::Contains("&lt;script&gt;&quot;&amp;&#39;"));
  CHECK(plot.find("nan") == plot.npos);
  CHECK(plot.find("inf") == plot.npos);
}

TEST_CASE("A plot of a full history stays small", "[load][plot]") {
  CHECK(PlotOf(StatsOf(LoaderHistory::kMost)).size() < 300'000);
}

TEST_CASE("A plot replaces a plot alone", "[load][plot]") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "shardine_loader_plot_test";
  std::filesystem::create_directories(folder);
  const std::string path = (folder / "rates.svg").string();
  std::filesystem::remove(path);
  const PlottedLoader loader{"t", StatsOf(2)};
  CHECK(WritePlot(path, {&loader, 1}).ok());
  CHECK(WritePlot(path, {&loader, 1}).ok());
  std::ofstream(path) << "<svg xmlns=\"http://www.w3.org/2000/svg\"/>";
  CHECK(CheckPlotPath(path).code() == Code::kInvalidArgument);
  const Status refused = WritePlot(path, {&loader, 1});
  CHECK_THAT(refused.message(), Catch::Contains("is no plot"));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace shardine::loader_plot_test
