#include "cli/resize_report.h"

#include "cli/number_text.h"
#include "cli/pack_report.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

// The rate of the files that this run made: existing files took no time.
double Rate(const ResizeResult& result, double seconds) {
  const std::uint64_t files = result.made + result.reused;
  if (seconds <= 0 || files == 0) return 0;
  return static_cast<double>(result.samples) *
         static_cast<double>(result.made) / static_cast<double>(files) /
         seconds;
}

}  // namespace

std::string ResizeText(const ResizeResult& result, double seconds) {
  const std::string files = FormatCount(result.made + result.reused, "file");
  const std::string images = FormatCount(result.samples, "image");
  const std::string output = EscapeBytes(result.output);
  std::string text;
  if (result.nothing_to_do) {
    text = "nothing to do: " + output + " is complete with " + files + " of " +
           images + "\n";
  } else {
    text = "resized " + images + " into " + files + ": " + output + "\n  " +
           FormatBytes(result.bytes) + " of images in " +
           FormatFixed(seconds, 2) +
           " s: " + FormatFixed(Rate(result, seconds), 0) + " img/s\n";
    if (result.reused > 0) {
      text += "  " + FormatCount(result.reused, "file") +
              " of an earlier run kept\n";
    }
  }
  if (result.upscaled > 0) {
    text +=
        "  larger than their source: " + FormatCount(result.upscaled, "file") +
        "\n";
  }
  if (result.kept > 0) {
    text += "  small enough and left as they are: " +
            FormatCount(result.kept, "file") + "\n";
  }
  return text + RejectedText(result.rejected) + IgnoredText(result.ignored) +
         WarningText(result.warnings);
}

Json ResizeJson(const ResizeResult& result, double seconds) {
  return {{"output", JsonText(result.output)},
          {"samples", result.samples},
          {"files", result.made + result.reused},
          {"files_reused", result.reused},
          {"bytes", result.bytes},
          {"upscaled", result.upscaled},
          {"kept", result.kept},
          {"nothing_to_do", result.nothing_to_do},
          {"seconds", seconds},
          {"samples_per_second", Rate(result, seconds)},
          {"rejected", RejectedJson(result.rejected)},
          {"ignored", RejectedJson(result.ignored)},
          {"warnings", result.warnings}};
}

}  // namespace shardine
