#include "im2rec/cpp_style.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "base/status_macros.h"
#include "im2rec/image_recoder.h"
#include "im2rec/input_check.h"
#include "im2rec/option_value.h"
#include "im2rec/pack_list.h"
#include "im2rec/python_path.h"

namespace shardine {

namespace {

struct Key {
  std::string_view name;
  IntegerRange range;
  bool of_pixels = false;
};

// Numbers beyond these are a slip of the finger and no job.
constexpr std::int64_t kMaxParts = 1000000;
constexpr std::int64_t kMaxLabels = 1 << 20;

// "encoding", "pixels" and "on_bad" are no numbers and not in the table.
constexpr Key kKeys[] = {
    {"label_width", {1, kMaxLabels}},
    {"pack_label", {0, 1}},
    {"nsplit", {1, kMaxParts}},
    {"part", {0, kMaxParts - 1}},
    {"unchanged", {0, 1}},
    {"color", {-1, 1}, true},
    {"resize", {.high = kMaxShortSide}, true},
    {"center_crop", {0, 1}, true},
    {"quality", {1, 100}, true},
    {"inter_method", {0, 10}, true},
};
constexpr std::string_view kEncoding = "encoding";
constexpr std::string_view kPixelRule = "pixels";
constexpr std::string_view kOnBad = "on_bad";

// The values of those three.
struct KeyWords {
  Encoding encoding = Encoding::kJpeg;
  PixelRule rule = PixelRule::kPillow;
  OnBad on_bad = OnBad::kFail;
};

using Values = std::map<std::string_view, std::int64_t>;

const Key* FindKey(std::string_view name) {
  const Key* found = std::find_if(std::begin(kKeys), std::end(kKeys),
                                  [&](const Key& k) { return k.name == name; });
  return found == std::end(kKeys) ? nullptr : found;
}

bool IsKey(std::string_view name) {
  return name == kEncoding || name == kPixelRule || name == kOnBad ||
         FindKey(name) != nullptr;
}

// Reads one key=value into `values` or `words`.
Status ReadKey(std::string_view word, Values& values, KeyWords& words,
               std::vector<std::string>& of_pixels) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos) {
    return BadOption("after output.rec", word, "is not of the form key=value");
  }
  const std::string_view name = word.substr(0, equals);
  const std::string_view value = word.substr(equals + 1);
  if (name == kOnBad) return ParseOnBadOption(name, value, words.on_bad);
  const Key* key = FindKey(name);
  if (!IsKey(name)) {
    return BadOption("after output.rec", name, "is not a known key");
  }
  if (key == nullptr || key->of_pixels) of_pixels.emplace_back(name);
  if (name == kEncoding) {
    return ParseEncodingOption(name, value, words.encoding);
  }
  if (name == kPixelRule) return ParsePixelsOption(name, value, words.rule);
  SHARDINE_ASSIGN_OR_RETURN(const std::int64_t number,
                            ParseIntegerOption(name, value, key->range));
  // 9 and 10 are the original's words for "by the size" and "at random";
  // between them and OpenCV's five methods there are none.
  if (name == "inter_method" && number > 4 && number < 9) {
    return BadOption(name, value, "is none of 0, 1, 2, 3, 4, 9, 10");
  }
  values[key->name] = number;
  return {};
}

std::string PartName(const std::string& rec, std::uint64_t part) {
  const std::string digits = std::to_string(part);
  return rec + ".part" +
         std::string(3 - std::min<std::size_t>(3, digits.size()), '0') + digits;
}

// Checks options that are wrong only in combination.
Status CheckTogether(const CppArguments& parsed) {
  if (parsed.pack_label && parsed.label_width == 1) {
    return {Code::kInvalidArgument, "pack_label=1 needs label_width > 1"};
  }
  if (parsed.part >= parsed.nsplit) {
    return {Code::kInvalidArgument,
            "part=" + std::to_string(parsed.part) +
                " is not below nsplit=" + std::to_string(parsed.nsplit)};
  }
  return {};
}

// As the original: a crop comes with a resize only, and a level of deflate is 3
// where it can be none.
PixelOptions PixelsOf(const Values& values, const KeyWords& words) {
  PixelOptions pixels;
  const std::int64_t resize = values.at("resize");
  pixels.short_side = resize > 0 ? static_cast<std::uint32_t>(resize) : 0;
  pixels.center_crop = values.at("center_crop") != 0 && resize > 0;
  pixels.color = static_cast<int>(values.at("color"));
  pixels.encoding = words.encoding;
  pixels.rule = words.rule;
  pixels.quality = static_cast<std::uint32_t>(values.at("quality"));
  pixels.png_level = pixels.quality > 9 ? 3 : pixels.quality;
  pixels.inter_method = static_cast<InterMethod>(values.at("inter_method"));
  return pixels;
}

// Every key but the one that selects the handling of a bad image: a run that
// failed at one can be told to go on without it.
Result<std::string> WorkText(const std::string& root,
                             std::span<const std::string> arguments) {
  // The same words mean other files in another working directory.
  SHARDINE_ASSIGN_OR_RETURN(const std::string here, PythonAbsPath("."));
  std::string text =
      "im2rec.cc\n" + (root.starts_with('/') ? "" : here) + "\n" + root + "\n";
  for (const std::string& word : arguments.subspan(3)) {
    const bool decides = word.substr(0, word.find('=')) != kOnBad;
    if (decides) text += word + "\n";
  }
  return text;
}

// The given keys that change nothing.
std::vector<std::string> WithoutEffect(std::vector<std::string> of_pixels,
                                       const CppArguments& parsed) {
  if (!parsed.pixels) return of_pixels;
  if (parsed.pixels->short_side > 0) return {};
  std::erase_if(of_pixels, [](const std::string& name) {
    return name != "center_crop" && name != "inter_method";
  });
  return of_pixels;
}

}  // namespace

Result<CppArguments> ParseCppArguments(std::span<const std::string> arguments) {
  Values values = {{"label_width", 1}, {"pack_label", 0},  {"nsplit", 1},
                   {"part", 0},        {"unchanged", 0},   {"color", 1},
                   {"resize", -1},     {"center_crop", 0}, {"quality", 95},
                   {"inter_method", 1}};
  KeyWords words;
  std::vector<std::string> of_pixels;
  CppArguments parsed;
  parsed.list = arguments[0];
  parsed.root = arguments[1];
  parsed.rec = arguments[2];
  const std::string_view rec = parsed.rec;
  // With the output forgotten, a key would be taken for its name, and the
  // result lie in a file called "resize=256".
  const std::string_view third = rec.substr(0, rec.find('='));
  if (third.size() < rec.size() && IsKey(third)) {
    return BadOption("output.rec", rec, "is a key: the output is missing");
  }
  // Publishing the output would replace the list.
  if (parsed.rec == parsed.list) {
    return BadOption("output.rec", rec, "is the list itself");
  }
  for (const std::string& word : arguments.subspan(3)) {
    SHARDINE_RETURN_IF_ERROR(ReadKey(word, values, words, of_pixels));
  }
  parsed.on_bad = words.on_bad;
  SHARDINE_ASSIGN_OR_RETURN(parsed.work, WorkText(parsed.root, arguments));
  parsed.label_width = static_cast<std::size_t>(values["label_width"]);
  parsed.pack_label = values["pack_label"] != 0;
  parsed.nsplit = static_cast<std::uint64_t>(values["nsplit"]);
  parsed.part = static_cast<std::uint64_t>(values["part"]);
  SHARDINE_RETURN_IF_ERROR(CheckTogether(parsed));
  if (values["unchanged"] == 0) parsed.pixels = PixelsOf(values, words);
  parsed.without_effect = WithoutEffect(std::move(of_pixels), parsed);
  if (parsed.nsplit > 1) parsed.rec = PartName(parsed.rec, parsed.part);
  return parsed;
}

Result<ExitCode> RunCppStyle(Storage& storage, const CppArguments& arguments,
                             const Console& console) {
  SHARDINE_RETURN_IF_ERROR(
      CheckInput(storage, arguments.list, FileKind::kRegular));
  console.NoteWithoutEffect(arguments.without_effect, arguments.pixels
                                                          ? "without resize"
                                                          : "with unchanged=1");
  const auto parse = [&](std::string_view line) {
    return ParseCppLine(line, arguments.label_width, arguments.pack_label);
  };
  // As the original: the root is put in front as text, and its slash is the
  // user's to write.
  const auto locate = [&](const std::string& path) {
    return arguments.root + path;
  };
  return console.Pack(storage, {.list = arguments.list,
                                .part = arguments.part,
                                .nsplit = arguments.nsplit,
                                .parse = parse,
                                .locate = locate,
                                .rec = arguments.rec,
                                .idx = std::nullopt,
                                .work = RecoderWork(arguments.pixels),
                                .arguments = arguments.work,
                                .on_bad = arguments.on_bad});
}

}  // namespace shardine
