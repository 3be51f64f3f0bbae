#include "shardine/option.h"

#include <algorithm>

#include "base/number.h"
#include "shardine/did_you_mean.h"
#include "shardine/escape.h"
#include "shardine/provenance.h"

namespace shardine {
namespace {

Status BadValue(const std::string& value, const std::string& why) {
  return Status(Code::kInvalidArgument,
                "\"" + EscapeBytes(value) + "\" " + why);
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

Status ReadByteSize(const std::string& text, std::uint64_t& value) {
  const auto size = ParseByteSize(text);
  if (!size || *size == 0) {
    return BadValue(text, "is not a size like 4096, 64K, 256M or 1G");
  }
  value = *size;
  return Status();
}

std::string ShardSizeText(std::uint64_t bytes) {
  if (bytes == 0) return {};
  const bool small = bytes < kLeastSizeWithoutUnit && bytes % 1024 != 0;
  return ByteSizeText(bytes) + (small ? "B" : "");
}

template <typename T>
OptionValue NumberOf(T& value, NumberRange range) {
  return {.kind = OptionKind::kNumber,
          .set =
              [&value, range](const std::string& text) {
                const auto number = ParseUnsigned(text);
                if (!number || *number < range.low || *number > range.high) {
                  return BadValue(text, RangeText(range));
                }
                value = static_cast<T>(*number);
                return Status();
              },
          // The number below the range stands for none.
          .get =
              [&value, range] {
                return value < range.low ? std::string()
                                         : std::to_string(value);
              },
          .range = range};
}

OptionValue TextOf(OptionKind kind, std::string& value) {
  return {.kind = kind,
          .set =
              [&value](const std::string& text) {
                // A script passes an empty text with a variable that was not
                // set.
                if (text.empty()) return BadValue(text, "is empty");
                value = text;
                return Status();
              },
          .get = [&value] { return value; }};
}

std::string JoinedWords(const OptionWords& words) {
  std::string joined;
  for (const std::string& word : words) {
    joined += (joined.empty() ? "" : "|") + word;
  }
  return joined;
}

Result<std::vector<std::string>> ParseNames(std::string_view given) {
  const std::string text(given);
  std::vector<std::string> names;
  for (std::size_t next = 0; next <= text.size();) {
    const std::size_t end = std::min(text.find(',', next), text.size());
    std::optional<std::string> name =
        UnescapeBytes(text.substr(next, end - next));
    if (!name) return BadValue(text, "has a \\ that is not \\xHH");
    if (name->empty()) return BadValue(text, "has an empty name");
    if (std::ranges::find(names, *name) != names.end()) {
      return BadValue(text, "has a name twice");
    }
    names.push_back(*std::move(name));
    next = end + 1;
  }
  return names;
}

}  // namespace

OptionValue FlagValue(bool& value, bool given) {
  return {.kind = OptionKind::kFlag,
          .set =
              [&value, given](const std::string& text) {
                value = text.empty() ? !given : given;
                return Status();
              },
          .get = [&value, given] { return value == given ? "yes" : ""; }};
}

OptionValue TextValue(std::string& value) {
  return TextOf(OptionKind::kText, value);
}

OptionValue PathValue(std::string& value) {
  return TextOf(OptionKind::kPath, value);
}

OptionValue SourcesValue(std::string& value) {
  return TextOf(OptionKind::kSources, value);
}

OptionValue NumberValue(std::uint64_t& value, NumberRange range) {
  return NumberOf(value, range);
}

OptionValue NumberValue(unsigned& value, NumberRange range) {
  return NumberOf(value, range);
}

OptionValue NumberValue(std::optional<std::uint64_t>& value) {
  return {
      .kind = OptionKind::kNumber,
      .set =
          [&value](const std::string& text) {
            value = ParseUnsigned(text);
            return value ? Status() : BadValue(text, RangeText({}));
          },
      .get =
          [&value] { return value ? std::to_string(*value) : std::string(); }};
}

OptionValue IntegerValue(std::int64_t& value) {
  return {.kind = OptionKind::kInteger,
          .set =
              [&value](const std::string& text) {
                const auto number = ParseSigned(text);
                if (!number) return BadValue(text, "is not a whole number");
                value = *number;
                return Status();
              },
          .get = [&value] { return std::to_string(value); }};
}

OptionValue ByteSizeValue(std::uint64_t& value) {
  return {
      .kind = OptionKind::kByteSize,
      .set = [&value](
                 const std::string& text) { return ReadByteSize(text, value); },
      .get = [&value] { return value == 0 ? "" : ByteSizeText(value); }};
}

OptionValue ShardSizeValue(std::uint64_t& value) {
  OptionValue size = ByteSizeValue(value);
  size.set = [&value](const std::string& text) {
    const auto plain = ParseUnsigned(text);
    if (plain && *plain > 0 && *plain < kLeastSizeWithoutUnit) {
      return BadValue(text, "has no unit: " + text + "M is in mebibytes, " +
                                text + "B in bytes");
    }
    return ReadByteSize(text, value);
  };
  size.get = [&value] { return ShardSizeText(value); };
  return size;
}

OptionValue NamesValue(std::vector<std::string>& names) {
  return ParsedValue(OptionKind::kNames, names, &ParseNames, &NamesText);
}

OptionValue ChoiceValue(OptionWords words, std::function<void(std::size_t)> set,
                        std::function<std::size_t()> get) {
  return {.kind = OptionKind::kWord,
          .set =
              [words, set](const std::string& text) {
                const auto found = std::ranges::find(words, text);
                if (found == words.end()) {
                  return BadValue(text, "is not one of " + JoinedWords(words) +
                                            DidYouMean(text, words));
                }
                set(static_cast<std::size_t>(found - words.begin()));
                return Status();
              },
          .get =
              [words, get] {
                const std::size_t i = get();
                return i < words.size() ? words[i] : std::string();
              },
          .words = words};
}

std::string NamesText(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    if (!text.empty()) text += ',';
    for (const char c : EscapeBytes(name)) {
      if (c == ',') {
        text += "\\x2C";
      } else {
        text += c;
      }
    }
  }
  return text;
}

Option JobsOption(unsigned& threads) {
  return {.group = kRunGroup,
          .name = "jobs",
          .meta = "N",
          .value = NumberValue(threads, {0, 1024}),
          .help =
              "worker threads, also `workers` (default: what this process may "
              "use); the result is the same for any",
          .decides_bytes = false,
          .letter = "j"};
}

const Option* FindOption(const OptionList& options, const std::string& name) {
  const auto found = std::ranges::find(options, name, &Option::name);
  return found == options.end() ? nullptr : &*found;
}

const OptionRule* BrokenRule(const Option& option) {
  const auto broken =
      std::ranges::find(option.rules, false, &OptionRule::holds);
  return broken == option.rules.end() ? nullptr : &*broken;
}

std::optional<UselessOption> FindUseless(const OptionList& options,
                                         const std::set<std::string>& given) {
  for (const Option& option : options) {
    const OptionRule* const rule = BrokenRule(option);
    if (rule != nullptr && given.contains(option.name)) {
      return UselessOption{&option, rule};
    }
  }
  return std::nullopt;
}

std::map<std::string, std::string> RecordedOptions(const OptionList& options,
                                                   const OptionList& defaults) {
  std::map<std::string, std::string> recorded;
  for (const Option& option : options) {
    if (!option.decides_bytes || BrokenRule(option)) continue;
    const std::string text = option.value.get();
    const Option* const plain = FindOption(defaults, option.name);
    const bool is_default = plain != nullptr && plain->value.get() == text;
    if (is_default && !option.is_always_recorded) continue;
    const bool is_flag = option.value.kind == OptionKind::kFlag;
    if (!text.empty()) recorded[option.name] = is_flag ? "" : text;
  }
  return recorded;
}

}  // namespace shardine
