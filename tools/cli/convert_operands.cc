#include "cli/convert_operands.h"

#include <utility>

#include "cli/number_text.h"
#include "cli/shard_arguments.h"
#include "shardine/escape.h"

namespace shardine {

Status TakeInputsAndOutput(const std::vector<std::string>& operands,
                           ConvertOptions& convert) {
  auto files = ParseShardArguments({operands.begin(), operands.end() - 1});
  if (!files.ok()) return std::move(files).status();
  convert.output = operands.back();
  if (files->files.size() == 1 && files->splits.empty()) {
    convert.input = files->files[0];
    return Status();
  }
  convert.files = std::move(files->files);
  convert.file_splits = std::move(files->splits);
  return Status();
}

std::string ReadingText(const ConvertOptions& convert) {
  return convert.files.empty()
             ? "reading the index of " + EscapeBytes(convert.input) + " ..."
             : "reading " + FormatCount(convert.files.size(), "file") + " ...";
}

std::string ConvertAdvice(const Status& status) {
  // The library's code is the same for all refusals; which way out there is
  // shows in its sentence alone.
  const std::string& message = status.message();
  if (message.ends_with("; the sample has no label besides")) {
    return "if that field is the label, shardine index --list FILE gives "
           "labels; --fields none leaves all fields out";
  }
  if (message.find("\" beside the image; ") != message.npos) {
    return "--fields none leaves all such fields out, --fields NAME those "
           "others than NAME";
  }
  if (message.find(", and a shard is of one: ") != message.npos) {
    return "--split NAME reads one";
  }
  if (message.starts_with("strict: ")) {
    return "without --strict the sidecar index keeps what is lost";
  }
  if (message.ends_with("convert them in that order first")) {
    return "that is shardine convert without --reshuffle";
  }
  if (!message.ends_with("arrays are of one size")) return {};
  return "shardine resize IN SIZES --short-side S --center-crop --to shards "
         "makes images of one size";
}

}  // namespace shardine
