#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdio>
#include <string>

#include "binding/bindings.h"
#include "binding/released_lock.h"
#include "shardine/loader_plot.h"
#include "shardine/loader_stats.h"

namespace shardine::binding {
namespace {

using namespace nb::literals;

std::string SecondsOf(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", seconds);
  return text;
}

// ", 40 bad"; nothing of none.
std::string Counted(std::uint64_t count, const char* what) {
  return count == 0 ? "" : ", " + std::to_string(count) + " " + what;
}

void RegisterStageStats(nb::module_& module) {
  nb::class_<StageStats>(module, "StageStats",
                         R"(Sums over the threads of a stage; in seconds.

name: "read", "decode" or "deliver". items, bytes: that went through it. busy,
waiting_for_input, waiting_for_output: what its threads did. p50, p95, p99: what an
item took at most, for that share of the items.

>>> import shardine
>>> loader = shardine.Loader("data", batch_size=8, raw=True)
>>> sum(1 for batch in loader)
3
>>> stage = loader.stats().stages[0]
>>> stage.name, stage.items >= 24, stage.bytes > 0, stage.p50 <= stage.p95 <= stage.p99
('read', True, True, True)
>>> min(stage.busy, stage.waiting_for_input, stage.waiting_for_output) >= 0
True
)")
      .def_ro("name", &StageStats::name)
      .def_ro("items", &StageStats::items)
      .def_ro("bytes", &StageStats::bytes)
      .def_ro("busy", &StageStats::busy)
      .def_ro("waiting_for_input", &StageStats::waiting_for_input)
      .def_ro("waiting_for_output", &StageStats::waiting_for_output)
      .def_ro("p50", &StageStats::p50)
      .def_ro("p95", &StageStats::p95)
      .def_ro("p99", &StageStats::p99)
      .def("__repr__", [](const StageStats& stage) {
        return "<shardine.StageStats " + stage.name + ": " +
               std::to_string(stage.items) + " items, " +
               SecondsOf(stage.busy) + " s busy>";
      });
}

void RegisterRemoteStats(nb::module_& module) {
  nb::class_<RemoteStats>(
      module, "RemoteStats",
      R"(What this process asked of servers, and what failed.

Of all that the process read since it began or was forked, by whatever loader: they
share connections and limits. All zero where nothing was read from a server.
requests, tries (with those sent twice), bytes, bytes_used (that were asked for; the
rest lay between). under_way, most_under_way: tries, now and at any time. first_byte_
and whole_, p50, p95 and p99: seconds that the last 4,096 good answers took.
failed_tries: how many by why ("503", "stalled", "wrong answer", "changed", "ended
early", "connection"). hedges, hedges_won: second requests for what was late.
asked_again: payloads that came wrong by their CRC. connections_made,
connections_reused, credentials_fetched. cache_hits, cache_hit_bytes, cache_misses:
reads of shards that a cache with a size answered, and those it could not.

>>> import shardine
>>> loader = shardine.Loader("data", batch_size=8, raw=True)
>>> remote = loader.stats().remote
>>> remote.requests <= remote.tries and remote.bytes_used <= remote.bytes
True
>>> remote.under_way <= remote.most_under_way, isinstance(remote.failed_tries, dict)
(True, True)
>>> remote.first_byte_p50 <= remote.first_byte_p95 <= remote.first_byte_p99
True
>>> remote.whole_p50 <= remote.whole_p95 <= remote.whole_p99
True
>>> remote.hedges_won <= remote.hedges, remote.asked_again, remote.credentials_fetched
(True, 0, 0)
>>> remote.connections_made + remote.connections_reused <= remote.tries
True
>>> remote.cache_hits, remote.cache_hit_bytes, remote.cache_misses  # of local files
(0, 0, 0)
)")
      .def_ro("requests", &RemoteStats::requests)
      .def_ro("tries", &RemoteStats::tries)
      .def_ro("bytes", &RemoteStats::bytes)
      .def_ro("bytes_used", &RemoteStats::bytes_used)
      .def_ro("under_way", &RemoteStats::under_way)
      .def_ro("most_under_way", &RemoteStats::most_under_way)
      .def_ro("first_byte_p50", &RemoteStats::first_byte_p50)
      .def_ro("first_byte_p95", &RemoteStats::first_byte_p95)
      .def_ro("first_byte_p99", &RemoteStats::first_byte_p99)
      .def_ro("whole_p50", &RemoteStats::whole_p50)
      .def_ro("whole_p95", &RemoteStats::whole_p95)
      .def_ro("whole_p99", &RemoteStats::whole_p99)
      .def_ro("failed_tries", &RemoteStats::failed_tries)
      .def_ro("hedges", &RemoteStats::hedges)
      .def_ro("hedges_won", &RemoteStats::hedges_won)
      .def_ro("asked_again", &RemoteStats::asked_again)
      .def_ro("connections_made", &RemoteStats::connections_made)
      .def_ro("connections_reused", &RemoteStats::connections_reused)
      .def_ro("credentials_fetched", &RemoteStats::credentials_fetched)
      .def_ro("cache_hits", &RemoteStats::cache_hits)
      .def_ro("cache_hit_bytes", &RemoteStats::cache_hit_bytes)
      .def_ro("cache_misses", &RemoteStats::cache_misses);
}

void RegisterLoaderStats(nb::module_& module) {
  nb::class_<LoaderStats>(module, "LoaderStats",
                          R"(What each stage did and waited for.

seconds: since the first batch was asked for; of `waiting_for_data` of them, 0 to 1,
the consumer waited. batches, images, bytes: delivered, and read. bad: gray or
dropped. unsupported: left out, as their kind is not decoded. refused_entry_points:
images that were decoded without theirs. bottleneck: in words, and what it waits
for. remote: a RemoteStats, of the whole process.

>>> import shardine
>>> loader = shardine.Loader("data", batch_size=8, transform=shardine.CenterCrop(64))
>>> sum(1 for batch in loader)
3
>>> stats = loader.stats()
>>> stats.batches, stats.images, stats.bad, stats.unsupported
(3, 24, 0, 0)
>>> stats.refused_entry_points
0
>>> [stage.name for stage in stats.stages]
['read', 'decode', 'deliver']
>>> stats.seconds > 0 and stats.bytes > 0 and 0 <= stats.waiting_for_data <= 1
True
>>> stats.images_per_second > 0 and stats.megabytes_per_second > 0
True
>>> "bottleneck" in stats.bottleneck
True
>>> stats.remote.asked_again  # of payloads, on servers
0
>>> stats.plot().svg.count("bottleneck")  # a notebook shows the image
1
)")
      .def_ro("seconds", &LoaderStats::seconds)
      .def_ro("batches", &LoaderStats::batches)
      .def_ro("images", &LoaderStats::images)
      .def_ro("bytes", &LoaderStats::bytes)
      .def_ro("bad", &LoaderStats::bad)
      .def_ro("unsupported", &LoaderStats::unsupported)
      .def_ro("refused_entry_points", &LoaderStats::refused_entry_points)
      .def_ro("waiting_for_data", &LoaderStats::waiting_for_data)
      .def_ro("stages", &LoaderStats::stages)
      .def_ro("remote", &LoaderStats::remote)
      .def_prop_ro("images_per_second", &LoaderStats::images_per_second)
      .def_prop_ro("megabytes_per_second", &LoaderStats::megabytes_per_second)
      .def_prop_ro("bottleneck", &LoaderStats::Bottleneck)
      .def("__repr__",
           [](const LoaderStats& stats) {
             return "<shardine.LoaderStats: " + std::to_string(stats.images) +
                    " images, " + std::to_string(stats.batches) + " batches" +
                    Counted(stats.bad, "bad") +
                    Counted(stats.unsupported, "unsupported") + "; " +
                    stats.Bottleneck() + ">";
           })
      .def(
          "_repr_html_",
          [](nb::handle self) {
            return nb::module_::import_("shardine.notebook")
                .attr("stats_page")(self);
          },
          nb::sig("def _repr_html_(self) -> str"),
          "For a notebook: what each stage did.")
      .def(
          "plot",
          // Python refuses arguments in its own words.
          [](nb::handle self, const nb::args& more, const nb::kwargs& named) {
            return nb::module_::import_("shardine.plots")
                .attr("Plot")(self, *more, **named);
          },
          nb::sig("def plot(self) -> shardine.plots.Plot"),
          "The rate, the work and the waits of each stage over time.");
}

void RegisterPlots(nb::module_& module) {
  module.def(
      "plot_svg",
      [](const LoaderStats& stats) {
        const PlottedLoader loader{"Loader", stats};
        return PlotLoaders({&loader, 1});
      },
      "stats"_a);
  module.def(
      "write_plot",
      [](const nb::bytes& path, const LoaderStats& stats) {
        const std::string text(path.c_str(), path.size());
        const PlottedLoader loader{"Loader", stats};
        const Status status = [&] {
          const ReleasedLock released;
          return WritePlot(text, {&loader, 1});
        }();
        if (!status.ok()) Raise(status);
      },
      "path"_a, "stats"_a);
}

}  // namespace

void RegisterStats(nb::module_& module) {
  RegisterStageStats(module);
  RegisterRemoteStats(module);
  RegisterLoaderStats(module);
  RegisterPlots(module);
}

}  // namespace shardine::binding
