#include "shardine/loader_plot.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/html_text.h"
#include "base/status_macros.h"
#include "io/atomic_file.h"
#include "io/attempt_storage.h"
#include "io/replaced_file.h"
#include "io/storage_for.h"

namespace shardine {
namespace {

// The beginning of each plot, and of no other file.
constexpr std::string_view kPlotBeginning =
    "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"shardine-plot\"";

// Lengths in pixels.
constexpr double kWidth = 760;
constexpr double kLeft = 76;
constexpr double kRight = 16;
constexpr double kRateHeight = 150;
constexpr double kStageHeight = 34;
constexpr double kLine = 18;

// Notebooks put the image into their page: each rule is about plots alone.
constexpr char kStyle[] =
    "<style>.shardine-plot{font:12px system-ui,sans-serif}"
    ".shardine-plot text{fill:#222}"
    ".shardine-plot .t{font-weight:600;font-size:14px}"
    ".shardine-plot .e{text-anchor:end}.shardine-plot .m{text-anchor:middle}"
    ".shardine-plot .g{stroke:#ccc}"
    ".shardine-plot .r{fill:#cfe0f5;stroke:#2563a8}"
    ".shardine-plot .b{fill:#2563a8}.shardine-plot .i{fill:#e9b44c}"
    ".shardine-plot .o{fill:#c9cdd3}</style>\n";

struct Interval {
  double begin = 0;
  double end = 0;
  double rate = 0;
};

std::string Fixed(double number, int digits) {
  std::array<char, 64> text;
  const auto made =
      std::to_chars(text.data(), text.data() + text.size(),
                    std::isfinite(number) ? std::clamp(number, -1e15, 1e15) : 0,
                    std::chars_format::fixed, digits);
  return {text.data(), made.ptr};
}

// 1, 2 or 5 times a power of ten, so that `most` is at most four steps.
double StepOf(double most) {
  if (!(most > 0)) return 1;
  const double power = std::pow(10, std::floor(std::log10(most / 4)));
  for (const double times : {1.0, 2.0, 5.0}) {
    if (power * times * 4 >= most) return power * times;
  }
  return power * 10;
}

std::string StepText(double value, double step) {
  const int digits =
      step >= 1 ? 0 : static_cast<int>(std::ceil(-std::log10(step) - 1e-9));
  return Fixed(value, std::min(digits, 6));
}

class LoaderChart {
 public:
  LoaderChart(const LoaderStats& stats, double top, std::string& to)
      : stats_(stats), top_(top), to_(to) {
    LoaderMoment last;
    for (const LoaderMoment& moment : stats.history) {
      const double time = moment.seconds - last.seconds;
      if (!(time > 0)) continue;
      const auto images = static_cast<double>(moment.images - last.images);
      intervals_.push_back({last.seconds, moment.seconds, images / time});
      most_rate_ = std::max(most_rate_, images / time);
      last = moment;
    }
    if (!intervals_.empty()) seconds_ = intervals_.back().end;
  }

  // Returns the height that was used.
  double Draw(const std::string& title) {
    double y = top_ + kLine;
    Text(kLeft, y, "t", title);
    for (const std::string& line : Facts()) Text(kLeft, y += kLine, "", line);
    y += kLine;
    if (intervals_.empty()) return y - top_;
    DrawRate(y);
    y += kRateHeight;
    DrawTimes(y);
    y += 2 * kLine;
    for (const StageStats& stage : stats_.stages) {
      DrawStage(stage.name, y);
      y += kStageHeight + 6;
    }
    DrawLegend(y + kLine - 4);
    return y + 2 * kLine - top_;
  }

 private:
  std::vector<std::string> Facts() const {
    const std::string rates = Fixed(stats_.images_per_second(), 0) +
                              " images/s, " +
                              Fixed(stats_.megabytes_per_second(), 1) +
                              " MB/s, " + std::to_string(stats_.images) +
                              " images in " + Fixed(stats_.seconds, 1) + " s";
    return {rates, stats_.Bottleneck()};
  }

  double X(double seconds) const {
    return kLeft + (kWidth - kLeft - kRight) * seconds / seconds_;
  }

  void Text(double x, double y, const char* kind, const std::string& text) {
    to_ += "<text x=\"" + Fixed(x, 1) + "\" y=\"" + Fixed(y, 1) +
           "\" class=\"" + kind + "\">" + HtmlText(text) + "</text>\n";
  }

  void Line(double x1, double y1, double x2, double y2) {
    to_ += "<path class=\"g\" d=\"M" + Fixed(x1, 1) + " " + Fixed(y1, 1) + "L" +
           Fixed(x2, 1) + " " + Fixed(y2, 1) + "\"/>\n";
  }

  void DrawRate(double y) {
    const double step = StepOf(most_rate_);
    const double most = step * std::max(1.0, std::ceil(most_rate_ / step));
    const double bottom = y + kRateHeight;
    for (double rate = 0; rate <= most * 1.001; rate += step) {
      const double at = bottom - kRateHeight * rate / most;
      Line(kLeft, at, kWidth - kRight, at);
      Text(kLeft - 6, at + 4, "e", StepText(rate, step));
    }
    to_ += "<path class=\"r\" d=\"M" + Fixed(kLeft, 1) + " " + Fixed(bottom, 1);
    for (const Interval& interval : intervals_) {
      to_ += "V" + Fixed(bottom - kRateHeight * interval.rate / most, 1) + "H" +
             Fixed(X(interval.end), 1);
    }
    to_ += "V" + Fixed(bottom, 1) + "Z\"><title>images a second</title>";
    to_ += "</path>\n";
  }

  void DrawTimes(double y) {
    const double step = StepOf(seconds_);
    for (double time = 0; time <= seconds_ * 1.001; time += step) {
      Line(X(time), y, X(time), y + 4);
      Text(X(time), y + kLine, "m", StepText(time, step) + " s");
    }
  }

  StageSeconds SumsOf(const std::string& stage,
                      const LoaderMoment& moment) const {
    return stage == "read"     ? moment.read
           : stage == "decode" ? moment.decode
                               : moment.deliver;
  }

  // The shares of a stage's time, stacked from the bottom.
  void DrawStage(const std::string& stage, double y) {
    Text(kLeft - 6, y + kStageHeight / 2 + 4, "e", stage);
    std::array<std::string, 3> paths;
    StageSeconds last;
    double begin = 0;
    for (const LoaderMoment& moment : stats_.history) {
      if (!(moment.seconds > begin)) continue;
      const StageSeconds sums = SumsOf(stage, moment);
      const std::array<double, 3> times = {
          std::max(sums.busy - last.busy, 0.0),
          std::max(sums.waiting_for_input - last.waiting_for_input, 0.0),
          std::max(sums.waiting_for_output - last.waiting_for_output, 0.0)};
      const double all = times[0] + times[1] + times[2];
      double bottom = y + kStageHeight;
      for (std::size_t i = 0; i < times.size(); ++i) {
        if (!(times[i] > 0)) continue;
        const double height = kStageHeight * times[i] / all;
        paths[i] += "M" + Fixed(X(begin), 1) + " " + Fixed(bottom, 1) + "H" +
                    Fixed(X(moment.seconds), 1) + "V" +
                    Fixed(bottom - height, 1) + "H" + Fixed(X(begin), 1) + "Z";
        bottom -= height;
      }
      last = sums;
      begin = moment.seconds;
    }
    constexpr std::array kKinds = {"b", "i", "o"};
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if (paths[i].empty()) continue;
      to_.append("<path class=\"").append(kKinds[i]);
      to_.append("\" d=\"").append(paths[i]).append("\"/>\n");
    }
  }

  void DrawLegend(double y) {
    constexpr std::array<std::array<const char*, 2>, 3> kWords = {
        {{"b", "at work"},
         {"i", "waits for input"},
         {"o", "waits for output"}}};
    double x = kLeft;
    for (const auto& [kind, words] : kWords) {
      to_ += "<rect class=\"" + std::string(kind) + "\" x=\"" + Fixed(x, 1) +
             "\" y=\"" + Fixed(y - 10, 1) + "\" width=\"11\" height=\"11\"/>\n";
      Text(x + 16, y, "", words);
      x += 150;
    }
  }

  const LoaderStats& stats_;
  const double top_;
  std::string& to_;
  std::vector<Interval> intervals_;
  double most_rate_ = 0;
  double seconds_ = 0;
};

}  // namespace

std::string PlotLoaders(std::span<const PlottedLoader> loaders) {
  std::string charts;
  double y = 0;
  for (const PlottedLoader& loader : loaders) {
    y += LoaderChart(loader.stats, y, charts).Draw(loader.title);
  }
  const std::string height = Fixed(y + kLine / 2, 0);
  const std::string width = Fixed(kWidth, 0);
  std::string plot(kPlotBeginning);
  plot += " role=\"img\" width=\"" + width + "\" height=\"" + height;
  plot += "\" viewBox=\"0 0 " + width + " " + height + "\">\n";
  plot.append(kStyle).append("<rect width=\"100%\" height=\"100%\" ");
  return plot + "fill=\"#fff\"/>\n" + charts + "</svg>\n";
}

Status CheckPlotPath(const std::string& path) {
  SHARDINE_ASSIGN_OR_RETURN(Storage* const storage, OutputStorageFor(path));
  return CheckReplacesKind(*storage, path, kPlotBeginning, "plot");
}

Status WritePlot(const std::string& path,
                 std::span<const PlottedLoader> loaders) {
  SHARDINE_RETURN_IF_ERROR(CheckPlotPath(path));
  SHARDINE_ASSIGN_OR_RETURN(Storage* const storage, OutputStorageFor(path));
  OwnAttempt own(*storage, path);  // each rank may have this path
  SHARDINE_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::Create(own, path));
  SHARDINE_RETURN_IF_ERROR(file.Append(AsBytes(PlotLoaders(loaders))));
  return file.Publish();
}

}  // namespace shardine
