// Plots of loaders: rates, work and waits over time as one SVG image.
#ifndef SHARDINE_LOADER_PLOT_H_
#define SHARDINE_LOADER_PLOT_H_

#include <span>
#include <string>

#include "shardine/loader_stats.h"
#include "shardine/status.h"

namespace shardine {

struct PlottedLoader {
  std::string title;
  LoaderStats stats;
};

// An SVG image, the loaders below each other: the rate in images a second, the
// shares of work and waits of each stage, and the bottleneck in words. Below
// 300 kB a loader; refers to no other file.
std::string PlotLoaders(std::span<const PlottedLoader> loaders);

// Replaces an earlier plot. kInvalidArgument: another file exists at `path`;
// CheckPlotPath() finds that before the work.
Status WritePlot(const std::string& path,
                 std::span<const PlottedLoader> loaders);
Status CheckPlotPath(const std::string& path);

}  // namespace shardine

#endif  // SHARDINE_LOADER_PLOT_H_
