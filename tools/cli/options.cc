#include "cli/options.h"

#include <algorithm>
#include <boost/program_options.hpp>
#include <map>

#include "cli/columns.h"
#include "shardine/did_you_mean.h"
#include "shardine/escape.h"

namespace shardine {
namespace po = boost::program_options;

struct Options::Parts {
  using Setter = std::function<Status(const std::string&)>;

  po::options_description all;
  std::map<std::string, Setter> setters;  // by name without its letter
  std::vector<Known> known;
  std::vector<Group> groups;
  std::size_t group = 0;  // that was begun last
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

// `list-root` as --list-root.
std::string WithDashes(const std::string& help) {
  std::string text;
  bool opens = true;
  for (const char c : help) {
    if (c != '`') {
      text += c;
      continue;
    }
    text += opens ? "--" : "";
    opens = !opens;
  }
  return text;
}

// " (default: 256M)" of an option whose help does not say it.
std::string DefaultText(const Option& option) {
  const std::string text = option.value.get();
  const bool is_said = option.help.find("(default") != std::string::npos;
  if (is_said || option.value.kind == OptionKind::kFlag || text.empty() ||
      text == "0") {
    return {};
  }
  return " (default: " + text + ")";
}

std::string Meta(const std::string& meta, const OptionValue& value) {
  if (value.kind == OptionKind::kFlag) return {};
  if (!meta.empty()) return " " + meta;
  std::string words;
  for (const std::string& word : value.words) {
    words += (words.empty() ? " " : "|") + word;
  }
  return words;
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

// PyTorch's name of --jobs.
std::vector<std::string> WithJobs(std::vector<std::string> arguments) {
  constexpr std::string_view kWorkers = "--workers";
  for (std::string& argument : arguments) {
    if (argument == "--") break;
    const std::string rest =
        argument.substr(std::min(kWorkers.size(), argument.size()));
    if (argument.starts_with(kWorkers) && (rest.empty() || rest[0] == '=')) {
      argument = "--jobs" + rest;
    }
  }
  return arguments;
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
    // change the meaning of scripts.
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
  auto& groups = parts_->groups;
  const auto begun = std::ranges::find(groups, title, &Group::title);
  parts_->group = static_cast<std::size_t>(begun - groups.begin());
  if (begun == groups.end()) groups.push_back({.title = title, .lines = {}});
}

void Options::Declare(const OptionList& described,
                      const std::function<bool(const Option&)>& leave) {
  for (const Option& option : described) {
    if (leave && leave(option)) continue;
    BeginGroup(option.group);
    const std::string letter = option.letter.empty() ? "" : "," + option.letter;
    Add(option.name + letter, option.meta, option.value,
        WithDashes(option.help) + DefaultText(option) +
            (option.is_needed ? " (needed)" : ""));
  }
}

Status Options::Check(const OptionList& described) const {
  for (const Option& option : described) {
    if (option.is_needed && !given(option.name)) {
      return Status(Code::kInvalidArgument, "--" + option.name + " is needed");
    }
  }
  const auto useless = FindUseless(described, given_);
  if (!useless) return Status();
  const OptionRule& rule = *useless->rule;
  const bool needs = rule.kind == OptionRule::Kind::kNeeds;
  return Status(Code::kInvalidArgument,
                "--" + useless->option->name + " has no effect " +
                    (needs ? "without" : "beside") + " --" + rule.option +
                    (rule.value.empty() ? "" : " " + rule.value));
}

void Options::Add(const std::string& name, const std::string& meta,
                  const OptionValue& value, const std::string& help) {
  if (value.kind == OptionKind::kFlag) {
    parts_->all.add_options()(name.c_str(), "");
  } else {
    // Boost sees texts alone. Its own conversions accept "-1" for an unsigned
    // number and name C++ types in their messages.
    parts_->all.add_options()(name.c_str(), po::value<std::string>(), "");
  }
  parts_->groups.at(parts_->group)
      .lines.push_back({HelpName(name) + Meta(meta, value), help});
  parts_->setters[LongName(name)] = value.set;
  parts_->known.push_back(
      {"--" + LongName(name), value.kind != OptionKind::kFlag, value.words});
}

Result<std::vector<std::string>> Options::Parse(
    const std::vector<std::string>& arguments) {
  const bool has_jobs = parts_->setters.contains("jobs");
  const auto tokens =
      Tokenize(has_jobs ? WithJobs(arguments) : arguments, parts_->all);
  if (!tokens.ok()) return tokens.status();

  given_.clear();
  std::vector<std::string> operands;
  for (const po::option& option : *tokens) {
    if (option.string_key.empty()) {
      operands.insert(operands.end(), option.value.begin(), option.value.end());
      continue;
    }
    // A letter comes with its dash; the long name is our key.
    const std::string name =
        LongName(parts_->all.find(option.string_key, false).long_name());
    // One of two values would be ignored without a message.
    if (!given_.insert(name).second) {
      return Status(Code::kInvalidArgument,
                    "--" + name + " is given more than once");
    }
    // A flag has no value of its own; any text sets it.
    const std::string value = option.value.empty() ? "yes" : option.value[0];
    if (const Status status = parts_->setters.at(name)(value); !status.ok()) {
      return Status(Code::kInvalidArgument,
                    "--" + name + ": " + status.message());
    }
  }
  return operands;
}

std::vector<Options::Known> Options::known() const { return parts_->known; }

const std::vector<Options::Group>& Options::groups() const {
  return parts_->groups;
}

std::string Options::Help() const {
  constexpr std::size_t kColumn = 26;
  std::string text;
  for (const Group& group : parts_->groups) {
    text += (text.empty() ? "" : "\n") + group.title + ":\n";
    for (const HelpLine& line : group.lines) {
      text += Hanging("  " + line.option, line.text, kColumn);
    }
  }
  return text;
}

}  // namespace shardine
