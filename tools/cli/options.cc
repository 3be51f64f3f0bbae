#include "cli/options.h"

#include <boost/program_options.hpp>
#include <map>
#include <sstream>

#include "cli/number.h"
#include "shardine/did_you_mean.h"
#include "shardine/escape.h"
#include "shardine/making.h"

namespace shardine {
namespace po = boost::program_options;

struct Options::Parts {
  using Setter = std::function<Status(const std::string&)>;

  struct HelpLine {
    std::string option;  // "-j, --jobs N"
    std::string text;
  };
  struct Group {
    std::string title;
    std::vector<HelpLine> lines;
  };

  po::options_description all;
  std::map<std::string, Setter> setters;  // by name without its letter
  std::vector<Group> groups;
};

namespace {

std::string LongName(const std::string& name) {
  return name.substr(0, name.find(','));
}

// "jobs,j" -> "-j, --jobs".
std::string HelpName(const std::string& name) {
  const std::string dashed = "--" + LongName(name);
  const std::size_t comma = name.find(',');
  if (comma == std::string::npos) return dashed;
  return "-" + name.substr(comma + 1) + ", " + dashed;
}

// The option on the left, its text in a column on the right.
std::string HelpEntry(const std::string& option, const std::string& text) {
  constexpr std::size_t kColumn = 26;
  // A terminal of 80 columns wraps a line that fills the last one.
  constexpr std::size_t kWidth = 79;
  std::string entry;
  std::string line = "  " + option;
  const auto fill = [&line] { line.resize(kColumn, ' '); };
  const auto end_line = [&entry, &line] {
    entry += line + "\n";
    line.clear();
  };
  if (line.size() + 2 > kColumn) end_line();
  fill();
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (line.size() > kColumn && line.size() + 1 + word.size() > kWidth) {
      end_line();
      fill();
    }
    line += (line.size() > kColumn ? " " : "") + word;
  }
  end_line();
  return entry;
}

Status BadValue(const std::string& value, const std::string& why) {
  return Status(Code::kInvalidArgument,
                "\"" + EscapeBytes(value) + "\" " + why);
}

Status ReadByteSize(const std::string& text, std::uint64_t& value) {
  const auto size = ParseByteSize(text);
  if (!size || *size == 0) {
    return BadValue(text, "is not a size like 4096, 64K, 256M or 1G");
  }
  value = *size;
  return Status();
}

std::string RangeText(const NumberRange& range) {
  if (range.high == std::numeric_limits<std::uint64_t>::max()) {
    return range.low == 0 ? "is not a whole number"
                          : "is not a whole number of at least " +
                                std::to_string(range.low);
  }
  return "is not a whole number from " + std::to_string(range.low) + " to " +
         std::to_string(range.high);
}

Status Unknown(const std::string& option, const po::options_description& all) {
  std::vector<std::string> names;
  for (const auto& known : all.options()) {
    names.push_back("--" + known->long_name());
  }
  return Status(
      Code::kInvalidArgument,
      "unknown option " + EscapeBytes(option) + DidYouMean(option, names));
}

// Boost refuses with exceptions; they end here.
Result<std::vector<po::option>> Tokenize(
    const std::vector<std::string>& arguments,
    const po::options_description& all) {
  namespace style = po::command_line_style;
  try {
    po::command_line_parser parser(arguments);
    parser.options(all);
    // A prefix of a name is refused: a later option of the same beginning would
    // change what scripts mean.
    parser.style(style::unix_style & ~style::allow_guessing);
    return parser.run().options;
  } catch (const po::unknown_option& error) {
    return Unknown(error.get_option_name(), all);
  } catch (const po::error& error) {
    return Status(Code::kInvalidArgument, EscapeBytes(error.what()));
  }
}

}  // namespace

Options::Options() : parts_(std::make_unique<Parts>()) {}
Options::~Options() = default;

void Options::BeginGroup(const std::string& title) {
  parts_->groups.push_back({.title = title, .lines = {}});
}

void Options::Flag(const std::string& name, bool& value,
                   const std::string& help) {
  parts_->all.add_options()(name.c_str(), "");
  parts_->groups.back().lines.push_back({HelpName(name), help});
  parts_->setters[LongName(name)] = [&value](const std::string&) {
    value = true;
    return Status();
  };
}

void Options::Parsed(const std::string& name, const std::string& meta,
                     std::function<Status(const std::string&)> set,
                     const std::string& help) {
  // Boost sees texts alone. Its own conversions accept "-1" for an unsigned
  // number and name C++ types in their messages.
  parts_->all.add_options()(name.c_str(), po::value<std::string>(), "");
  parts_->groups.back().lines.push_back({HelpName(name) + " " + meta, help});
  parts_->setters[LongName(name)] = std::move(set);
}

void Options::Text(const std::string& name, const std::string& meta,
                   std::string& value, const std::string& help) {
  Parsed(
      name, meta,
      [&value](const std::string& text) {
        // An empty text is what a script passes with a variable that was not
        // set.
        if (text.empty()) return BadValue(text, "is empty");
        value = text;
        return Status();
      },
      help);
}

void Options::Number(const std::string& name, std::uint64_t& value,
                     NumberRange range, const std::string& help) {
  Parsed(
      name, "N",
      [&value, range](const std::string& text) {
        const auto number = ParseUnsigned(text);
        if (!number || *number < range.low || *number > range.high) {
          return BadValue(text, RangeText(range));
        }
        value = *number;
        return Status();
      },
      help);
}

void Options::Integer(const std::string& name, std::int64_t& value,
                      const std::string& help) {
  Parsed(
      name, "N",
      [&value](const std::string& text) {
        const auto number = ParseSigned(text);
        if (!number) return BadValue(text, "is not a whole number");
        value = *number;
        return Status();
      },
      help);
}

void Options::ByteSize(const std::string& name, std::uint64_t& value,
                       const std::string& help) {
  Parsed(
      name, "SIZE",
      [&value](const std::string& text) { return ReadByteSize(text, value); },
      help);
}

void Options::ShardSize(std::uint64_t& value, const std::string& help) {
  Parsed(
      "shard-size", "SIZE",
      [&value](const std::string& text) {
        const auto plain = ParseUnsigned(text);
        if (plain && *plain > 0 && *plain < kLeastSizeWithoutUnit) {
          return BadValue(text, "has no unit: " + text + "M is in mebibytes, " +
                                    text + "B in bytes");
        }
        return ReadByteSize(text, value);
      },
      help);
}

Result<std::vector<std::string>> Options::Parse(
    const std::vector<std::string>& arguments) {
  const auto tokens = Tokenize(arguments, parts_->all);
  if (!tokens.ok()) return tokens.status();

  given_.clear();
  std::vector<std::string> operands;
  for (const po::option& option : *tokens) {
    if (option.string_key.empty()) {
      operands.insert(operands.end(), option.value.begin(), option.value.end());
      continue;
    }
    // A letter comes with its dash; the long name is what we know it by.
    const std::string name =
        LongName(parts_->all.find(option.string_key, false).long_name());
    // Of two values one would be passed over in silence.
    if (!given_.insert(name).second) {
      return Status(Code::kInvalidArgument,
                    "--" + name + " is given more than once");
    }
    const std::string value = option.value.empty() ? "" : option.value[0];
    if (const Status status = parts_->setters.at(name)(value); !status.ok()) {
      return Status(Code::kInvalidArgument,
                    "--" + name + ": " + status.message());
    }
  }
  return operands;
}

std::string Options::Help() const {
  std::string text;
  for (const Parts::Group& group : parts_->groups) {
    text += (text.empty() ? "" : "\n") + group.title + ":\n";
    for (const Parts::HelpLine& line : group.lines) {
      text += HelpEntry(line.option, line.text);
    }
  }
  return text;
}

}  // namespace shardine
