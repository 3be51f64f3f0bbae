// One option of a verb, described once. Command lines with their help, Python's
// arguments with their types, and the manifest's record of how a dataset was
// made all follow from the description.
#ifndef SHARDINE_OPTION_H_
#define SHARDINE_OPTION_H_

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardine/status.h"
#include "shardine/words.h"

namespace shardine {

// The type of an option's value. All have one text; Python takes others, too.
enum class OptionKind : std::uint8_t {
  kFlag,
  kText,
  kPath,
  kWord,      // one of `words`
  kNumber,    // of `range`
  kInteger,   // any int64
  kByteSize,  // 4096, 64K, 256M: powers of 1024
  kNames,     // one name or several
  kSizes,     // one number or word, or several
  kShares,    // "train=0.9,val=0.1"
  kSplits,    // names or shares
  kFiles,     // "caption=.txt,mask=_mask.png"
  kSources,   // a path, or "train=DIR,val=DIR"
};

// Both ends included.
struct NumberRange {
  std::uint64_t low = 0;
  std::uint64_t high = std::numeric_limits<std::uint64_t>::max();
};

// Access to the value that an option sets. The value must outlive it.
struct OptionValue {
  OptionKind kind = OptionKind::kText;
  // kInvalidArgument quotes the text and says why it is wrong.
  std::function<Status(const std::string& text)> set;
  // The one text of the value; empty: the option was not given. A flag that is
  // set has the text "yes".
  std::function<std::string()> get;
  std::vector<std::string> words = {};
  NumberRange range = {};
};

// `given`: the value that the option gives; "--no-shuffle" gives false.
OptionValue FlagValue(bool& value, bool given = true);
OptionValue TextValue(std::string& value);
OptionValue PathValue(std::string& value);
// A text of folders: "DIR", or "train=DIR,val=DIR".
OptionValue SourcesValue(std::string& value);
// A number below the range stands for none; its text is empty.
OptionValue NumberValue(std::uint64_t& value, NumberRange range = {});
OptionValue NumberValue(unsigned& value, NumberRange range);
OptionValue NumberValue(std::optional<std::uint64_t>& value);
OptionValue IntegerValue(std::int64_t& value);
OptionValue ByteSizeValue(std::uint64_t& value);
// A small size needs a unit, since 256 is mostly meant as 256M.
OptionValue ShardSizeValue(std::uint64_t& value);
// Names with commas between them, in the notation of shardine/escape.h: a comma
// in a name is \x2C.
OptionValue NamesValue(std::vector<std::string>& names);
// The text that NamesValue() reads.
std::string NamesText(const std::vector<std::string>& names);

// A value that `parse` reads, and whose text `text` gives.
template <typename T>
OptionValue ParsedValue(OptionKind kind, T& value,
                        Result<T> (*parse)(std::string_view),
                        std::string (*text)(const T&)) {
  return {.kind = kind,
          .set =
              [&value, parse](const std::string& given) {
                auto parsed = parse(given);
                if (!parsed.ok()) return parsed.status();
                value = *std::move(parsed);
                return Status();
              },
          .get = [&value, text] { return text(value); }};
}

using OptionWords = std::vector<std::string>;

// `set` gets the number of the word, `get` returns one; past the end: none.
OptionValue ChoiceValue(OptionWords words, std::function<void(std::size_t)> set,
                        std::function<std::size_t()> get);

template <typename T>
OptionValue ChoiceValue(const std::vector<std::pair<const char*, T>>& choices,
                        T& value) {
  OptionWords words;
  std::vector<T> values;
  for (const auto& [word, meaning] : choices) {
    words.emplace_back(word);
    values.push_back(meaning);
  }
  return ChoiceValue(
      std::move(words), [values, &value](std::size_t i) { value = values[i]; },
      [values, &value] {
        std::size_t i = 0;
        while (i < values.size() && values[i] != value) ++i;
        return i;
      });
}

// A value of an enum that has words (shardine/words.h).
template <typename E>
OptionValue WordValue(E& value) {
  std::vector<std::pair<const char*, E>> choices;
  for (const auto& [meaning, word] : EnumWords<E>::kWords) {
    choices.emplace_back(word, meaning);
  }
  return ChoiceValue(choices, value);
}

template <typename E>
OptionValue WordValue(std::optional<E>& value) {
  std::vector<std::pair<const char*, std::optional<E>>> choices;
  for (const auto& [meaning, word] : EnumWords<E>::kWords) {
    choices.emplace_back(word, meaning);
  }
  return ChoiceValue(choices, value);
}

// A rule between two options, as the values are now.
struct OptionRule {
  enum class Kind : std::uint8_t {
    kNeeds,   // no effect without `option`, or without its value `value`
    kBeside,  // no effect beside `option`
  };
  Kind kind = Kind::kNeeds;
  bool holds = true;
  std::string option;
  std::string value = {};
};

struct Option {
  std::string group;      // title in the help: "Shards"
  std::string name;       // "shard-size"
  std::string meta = {};  // stands for the value in the help: "FILE"
  OptionValue value;
  std::string help;  // names other options as `list-root`
  // The manifest's record of a command (shardine/provenance.h) has those that
  // decide the dataset's bytes: if it is not the default, or in any case.
  bool decides_bytes = true;
  bool is_always_recorded = false;
  std::vector<OptionRule> rules = {};
  bool is_needed = false;
  std::string letter = {};  // "j"
};

using OptionList = std::vector<Option>;

// Title of the options that decide nothing about a result.
inline constexpr char kRunGroup[] = "Run";
// --jobs; 0: this process's share of the processors.
Option JobsOption(unsigned& threads);

const Option* FindOption(const OptionList& options, const std::string& name);

// The first rule that does not hold: the option has no effect. Null if it has.
const OptionRule* BrokenRule(const Option& option);

// The first option in `given` that has no effect, as a user of it would expect
// one, with the rule.
struct UselessOption {
  const Option* option = nullptr;
  const OptionRule* rule = nullptr;
};
std::optional<UselessOption> FindUseless(const OptionList& options,
                                         const std::set<std::string>& given);

// The options that decide a dataset's bytes, by name, as
// Provenance::options has them; `defaults` describes a struct as it is made.
std::map<std::string, std::string> RecordedOptions(const OptionList& options,
                                                   const OptionList& defaults);

}  // namespace shardine

#endif  // SHARDINE_OPTION_H_
