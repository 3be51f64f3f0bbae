#include "im2rec/python_arguments.h"

#include <algorithm>
#include <boost/program_options.hpp>
#include <cstdint>
#include <exception>
#include <sstream>
#include <string_view>

#include "base/status_macros.h"
#include "im2rec/option_value.h"
#include "im2rec/python_path.h"

namespace shardine {

namespace {

namespace po = boost::program_options;

// Its values go on until the next option.
constexpr std::string_view kExtensions = "exts";
// The option that a run that failed at a bad image may add when it resumes.
constexpr std::string_view kOnBadOption = "on-bad";

// The purpose of an option; in a run for another one it has no effect.
enum class Purpose { kAny, kListing, kPacking, kPixels };

struct Option {
  const char* name;
  const char* value;  // its name in the help; null for a flag
  const char* help;
  Purpose purpose;
};

constexpr Option kOptions[] = {
    {"list", nullptr, "write PREFIX.lst from the images in ROOT; do not pack",
     Purpose::kAny},
    {"exts", "EXT...", "suffixes of images (.jpeg .jpg .png)",
     Purpose::kListing},
    {"chunks", "N", "number of lists (1)", Purpose::kListing},
    {"train-ratio", "R", "share of PREFIX_train.lst (1)", Purpose::kListing},
    {"test-ratio", "R", "share of PREFIX_test.lst (0)", Purpose::kListing},
    {"recursive", nullptr, "walk through subfolders, one label for each",
     Purpose::kListing},
    {"no-shuffle", nullptr, "keep the order of the walk", Purpose::kListing},
    {"pass-through", nullptr, "store the files as they are", Purpose::kPacking},
    {"num-thread", "N", "threads that read and recode files (1)",
     Purpose::kPacking},
    {"pack-label", nullptr, "store all labels of a line, not only the first",
     Purpose::kPacking},
    {"on-bad", "fail|skip",
     "an image that cannot be packed: fail, or leave it out (fail)",
     Purpose::kPacking},
    {"resize", "N", "short side in pixels (0: as it is)", Purpose::kPixels},
    {"center-crop", nullptr, "cut to the square in the middle",
     Purpose::kPixels},
    {"quality", "N", "of JPEG, 1 to 100; level of PNG, 1 to 9 (95)",
     Purpose::kPixels},
    {"color", "N", "1 color, 0 gray, -1 as it is (1)", Purpose::kPixels},
    {"encoding", "EXT", ".jpg or .png (.jpg)", Purpose::kPixels},
    {"pixels", "RULE",
     "whose filters and gray: pillow, or opencv as the original (pillow)",
     Purpose::kPixels},
    {"version,V", nullptr, "print which version this is", Purpose::kAny},
    {"help,h", nullptr, "print this", Purpose::kAny},
};

constexpr char kFlagsStandAlone[] =
    "; --list, --recursive and other flags stand alone, where the oldest "
    "im2rec.py had --list True or --list=1";

// Every value is a list of texts, so that an option can be given twice.
using Texts = std::vector<std::string>;

po::options_description VisibleOptions() {
  po::options_description options("Options of the style PREFIX ROOT");
  for (const Option& option : kOptions) {
    auto* value = po::value<Texts>();
    if (option.value == nullptr) {
      value->zero_tokens();
    } else {
      value->value_name(option.value);
    }
    if (option.name == kExtensions) value->multitoken();
    options.add_options()(option.name, value, option.help);
  }
  return options;
}

struct Words {
  po::variables_map options;
  Texts positionals;
};

Result<Words> ParseWords(const Texts& arguments) {
  Words words;
  try {
    const po::options_description known = VisibleOptions();
    const po::parsed_options parsed =
        // Boost's default style lets options be cut short, as argparse does.
        po::command_line_parser(arguments).options(known).run();
    po::store(parsed, words.options);
    words.positionals =
        po::collect_unrecognized(parsed.options, po::include_positional);
  } catch (const po::invalid_command_line_syntax& error) {
    const bool has_value =
        error.kind() == po::invalid_command_line_syntax::extra_parameter;
    return Status(
        Code::kInvalidArgument,
        error.what() + std::string(has_value ? kFlagsStandAlone : ""));
  } catch (const std::exception& error) {
    // Boost refuses with exceptions, which end here.
    return Status(Code::kInvalidArgument, error.what());
  }
  return words;
}

class Reader {
 public:
  explicit Reader(const po::variables_map& values) : values_(values) {}

  bool Has(const char* name) const { return values_.count(name) != 0; }
  Texts All(const char* name) const {
    return Has(name) ? values_[name].as<Texts>() : Texts();
  }
  // The last value of `name`, or `otherwise`.
  Result<std::int64_t> Integer(const char* name, std::int64_t otherwise,
                               IntegerRange range) const {
    if (!Has(name)) return otherwise;
    return ParseIntegerOption(Dashed(name), All(name).back(), range);
  }
  Result<double> Ratio(const char* name, double otherwise) const {
    if (!Has(name)) return otherwise;
    return ParseRatioOption(Dashed(name), All(name).back());
  }
  void AddGiven(Purpose purpose, Texts& given) const {
    for (const Option& option : kOptions) {
      if (option.purpose == purpose && Has(option.name)) {
        given.push_back(Dashed(option.name));
      }
    }
  }
  // Every option with its values, except options that decide no byte.
  std::string WorkText() const {
    std::string text;
    for (const Option& option : kOptions) {
      const std::string_view name = option.name;
      if (!Has(option.name) || name == "num-thread" || name == kOnBadOption)
        continue;
      text += Dashed(option.name);
      for (const std::string& value : All(option.name)) text += " " + value;
      text += '\n';
    }
    return text;
  }
  static std::string Dashed(const char* name) {
    return std::string("--") + name;
  }

 private:
  const po::variables_map& values_;
};

Status ReadPaths(const Texts& paths, PythonArguments& parsed) {
  if (paths.size() != 2) {
    const bool is_old = std::ranges::any_of(paths, [](std::string_view path) {
      return path == "True" || path == "False" || path == "1" || path == "0";
    });
    return {Code::kInvalidArgument, "PREFIX and ROOT are needed, " +
                                        std::to_string(paths.size()) +
                                        " positional arguments are given" +
                                        (is_old ? kFlagsStandAlone : "")};
  }
  SHARDINE_ASSIGN_OR_RETURN(parsed.listing.prefix, PythonAbsPath(paths[0]));
  SHARDINE_ASSIGN_OR_RETURN(parsed.root, PythonAbsPath(paths[1]));
  return {};
}

Status ReadSuffixes(const Reader& reader, Texts& suffixes) {
  suffixes = {".jpeg", ".jpg", ".png"};
  if (!reader.Has("exts")) return {};
  suffixes = reader.All("exts");
  for (std::string& suffix : suffixes) {
    // A suffix is compared with os.path.splitext of a name, which never has two
    // dots or none: such a suffix would match no file, in silence.
    const std::string lower = PythonSuffix("x" + suffix);
    if (lower.size() < 2 || lower.size() != suffix.size()) {
      return BadOption("--exts", suffix, "is not a suffix with one dot: .jpg");
    }
    suffix = lower;
  }
  return {};
}

Status ReadListing(const Reader& reader, PythonArguments& parsed) {
  ListOptions& listing = parsed.listing;
  SHARDINE_RETURN_IF_ERROR(ReadSuffixes(reader, parsed.suffixes));
  SHARDINE_ASSIGN_OR_RETURN(const std::int64_t chunks,
                            reader.Integer("chunks", 1, {1, 1000000}));
  listing.chunks = static_cast<std::uint64_t>(chunks);
  SHARDINE_ASSIGN_OR_RETURN(listing.train_ratio,
                            reader.Ratio("train-ratio", 1.0));
  SHARDINE_ASSIGN_OR_RETURN(listing.test_ratio,
                            reader.Ratio("test-ratio", 0.0));
  // 0.9 + 0.1 and the like may come out a little above 1.
  constexpr double kRounding = 1e-9;
  // The original ignores the test ratio where the train ratio is 1, so the two
  // may exceed 1 there.
  if (listing.train_ratio != 1.0 &&
      listing.train_ratio + listing.test_ratio > 1.0 + kRounding) {
    return {Code::kInvalidArgument,
            "--train-ratio and --test-ratio are more than 1 together"};
  }
  listing.shuffle = !reader.Has("no-shuffle");
  parsed.recursive = reader.Has("recursive");
  return {};
}

Status ReadPacking(const Reader& reader, PythonArguments& parsed) {
  SHARDINE_ASSIGN_OR_RETURN(const std::int64_t threads,
                            reader.Integer("num-thread", 1, {1, 1024}));
  parsed.threads = static_cast<std::size_t>(threads);
  parsed.pack_label = reader.Has("pack-label");
  parsed.work = "im2rec.py\n" + parsed.root + "\n" + reader.WorkText();
  const Texts on_bad = reader.All(kOnBadOption.data());
  if (on_bad.empty()) return {};
  SHARDINE_RETURN_IF_ERROR(
      ParseOnBadOption("--on-bad", on_bad.back(), parsed.on_bad));
  return {};
}

Result<PixelOptions> ReadPixels(const Reader& reader) {
  PixelOptions pixels;
  SHARDINE_ASSIGN_OR_RETURN(const std::int64_t resize,
                            reader.Integer("resize", 0, {0, kMaxShortSide}));
  SHARDINE_ASSIGN_OR_RETURN(const std::int64_t quality,
                            reader.Integer("quality", 95, {1, 100}));
  SHARDINE_ASSIGN_OR_RETURN(const std::int64_t color,
                            reader.Integer("color", 1, {-1, 1}));
  pixels.short_side = static_cast<std::uint32_t>(resize);
  pixels.center_crop = reader.Has("center-crop");
  pixels.color = static_cast<int>(color);
  pixels.quality = static_cast<std::uint32_t>(quality);
  // OpenCV takes the nearest level that there is.
  pixels.png_level = std::min(pixels.quality, 9u);
  const Texts encoding = reader.All("encoding");
  if (!encoding.empty()) {
    SHARDINE_RETURN_IF_ERROR(
        ParseEncodingOption("--encoding", encoding.back(), pixels.encoding));
  }
  const Texts rule = reader.All("pixels");
  if (!rule.empty()) {
    SHARDINE_RETURN_IF_ERROR(
        ParsePixelsOption("--pixels", rule.back(), pixels.rule));
  }
  return pixels;
}

}  // namespace

Result<PythonArguments> ParsePythonArguments(
    const std::vector<std::string>& arguments) {
  SHARDINE_ASSIGN_OR_RETURN(const Words words, ParseWords(arguments));
  const Reader reader(words.options);
  PythonArguments parsed;
  parsed.list = reader.Has("list");
  SHARDINE_RETURN_IF_ERROR(ReadPaths(words.positionals, parsed));
  SHARDINE_RETURN_IF_ERROR(ReadListing(reader, parsed));
  SHARDINE_RETURN_IF_ERROR(ReadPacking(reader, parsed));
  // Nonsense is refused even where it would have no effect.
  SHARDINE_ASSIGN_OR_RETURN(const PixelOptions pixels, ReadPixels(reader));
  if (parsed.list) {
    reader.AddGiven(Purpose::kPacking, parsed.without_effect);
  } else {
    reader.AddGiven(Purpose::kListing, parsed.without_effect);
  }
  if (parsed.list || reader.Has("pass-through")) {
    reader.AddGiven(Purpose::kPixels, parsed.without_effect);
  } else {
    parsed.pixels = pixels;
  }
  return parsed;
}

std::string PythonOptionsHelp() {
  std::ostringstream text;
  text << VisibleOptions();
  return text.str();
}

}  // namespace shardine
