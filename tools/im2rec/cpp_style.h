// The style of im2rec.cc: image.lst image_root_dir output.rec [key=value ...]
#ifndef SHARDINE_IM2REC_CPP_STYLE_H_
#define SHARDINE_IM2REC_CPP_STYLE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "im2rec/console.h"
#include "im2rec/pixel_options.h"
#include "io/storage.h"
#include "shardine/status.h"

namespace shardine {

struct CppArguments {
  std::string list;
  std::string root;  // put in front of each path as it is
  std::string rec;   // with ".partNNN" already, if nsplit > 1
  std::size_t label_width = 1;
  bool pack_label = false;
  std::uint64_t nsplit = 1;
  std::uint64_t part = 0;
  // Images are decoded and encoded again; nullopt: unchanged=1.
  std::optional<PixelOptions> pixels;
  OnBad on_bad = OnBad::kFail;
  // All of them that decide the bytes, as one text.
  std::string work;
  // Keys given that change nothing in this run.
  std::vector<std::string> without_effect;
};

// kInvalidArgument for a word that is not key=value, an unknown key, or a value
// that is out of range. A key given twice counts as the original has it: the
// last one. REQUIRES: arguments.size() >= 3.
Result<CppArguments> ParseCppArguments(std::span<const std::string> arguments);

// kRejected if lines of the list were left out, else kDone.
Result<ExitCode> RunCppStyle(Storage& storage, const CppArguments& arguments,
                             const Console& console);

}  // namespace shardine

#endif  // SHARDINE_IM2REC_CPP_STYLE_H_
