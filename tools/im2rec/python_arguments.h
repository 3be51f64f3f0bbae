// The arguments of im2rec.py.
#ifndef SHARDINE_IM2REC_PYTHON_ARGUMENTS_H_
#define SHARDINE_IM2REC_PYTHON_ARGUMENTS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "im2rec/list_maker.h"
#include "im2rec/pixel_options.h"
#include "shardine/image_check.h"
#include "shardine/status.h"

namespace shardine {

struct PythonArguments {
  bool list = false;    // write lists, do not pack
  std::string root;     // absolute
  ListOptions listing;  // listing.prefix, absolute, serves packing, too
  bool recursive = false;
  std::vector<std::string> suffixes;  // lower case, with the dot

  bool pack_label = false;
  std::size_t threads = 1;
  // Images are decoded and encoded again; nullopt: --pass-through, or --list.
  std::optional<PixelOptions> pixels;

  OnBad on_bad = OnBad::kFail;
  // All that decide the bytes, as one text.
  std::string work;

  // Options given that change nothing in this run.
  std::vector<std::string> without_effect;
};

// kInvalidArgument for an unknown option, a value that is out of range, and a
// number of positionals other than two. Options can be cut short as long as
// they stay unique; given twice, the last one counts.
Result<PythonArguments> ParsePythonArguments(
    const std::vector<std::string>& arguments);

// One line for each option.
std::string PythonOptionsHelp();

}  // namespace shardine

#endif  // SHARDINE_IM2REC_PYTHON_ARGUMENTS_H_
