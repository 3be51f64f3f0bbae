// Options: what one command takes on its command line, each bound to the
// variable it sets. Strict: a name is spelled out, an option is given once, a
// number is a number.
#ifndef SHARDINE_CLI_OPTIONS_H_
#define SHARDINE_CLI_OPTIONS_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "shardine/did_you_mean.h"
#include "shardine/escape.h"
#include "shardine/status.h"
#include "shardine/words.h"

namespace shardine {

// Both ends included.
struct NumberRange {
  std::uint64_t low = 0;
  std::uint64_t high = std::numeric_limits<std::uint64_t>::max();
};

// Thread-compatible. The bound variables must outlive it.
class Options {
 public:
  Options();
  ~Options();

  // The options declared from here on stand under `title` in the help.
  void BeginGroup(const std::string& title);

  // `name` is "json" or, with a letter, "jobs,j". `meta` stands for the value.
  void Flag(const std::string& name, bool& value, const std::string& help);
  void Text(const std::string& name, const std::string& meta,
            std::string& value, const std::string& help);
  void Number(const std::string& name, std::uint64_t& value, NumberRange range,
              const std::string& help);
  void Integer(const std::string& name, std::int64_t& value,
               const std::string& help);
  void ByteSize(const std::string& name, std::uint64_t& value,
                const std::string& help);
  // --shard-size. Small numbers need a unit: 256 is mostly meant as 256M.
  void ShardSize(std::uint64_t& value, const std::string& help);
  // `set` says in its message which value is wrong, and why.
  void Parsed(const std::string& name, const std::string& meta,
              std::function<Status(const std::string&)> set,
              const std::string& help);
  template <typename E>
  void Choice(const std::string& name,
              std::initializer_list<std::pair<const char*, E>> choices,
              E& value, const std::string& help) {
    ChoiceOf<E>(name, {choices.begin(), choices.end()}, value, help);
  }
  // One of all that have words (shardine/words.h).
  template <typename E>
  void Choice(const std::string& name, E& value, const std::string& help) {
    std::vector<std::pair<std::string, E>> words;
    for (const auto& [meaning, word] : EnumWords<E>::kWords) {
      words.emplace_back(word, meaning);
    }
    ChoiceOf<E>(name, std::move(words), value, help);
  }

  // Sets the variables and returns the operands: what is no option, and all
  // after `--`. kInvalidArgument names the option.
  Result<std::vector<std::string>> Parse(
      const std::vector<std::string>& arguments);

  // Whether the last Parse() met the option.
  bool given(const std::string& name) const { return given_.contains(name); }

  // The groups, as text of 80 columns.
  std::string Help() const;

 private:
  template <typename E>
  void ChoiceOf(const std::string& name,
                std::vector<std::pair<std::string, E>> words, E& value,
                const std::string& help) {
    std::string meta;
    for (const auto& [word, meaning] : words) {
      meta += (meta.empty() ? "" : "|") + word;
    }
    Parsed(
        name, meta,
        [words, meta, &value](const std::string& text) {
          for (const auto& [word, meaning] : words) {
            if (word != text) continue;
            value = meaning;
            return Status();
          }
          std::vector<std::string> names;
          for (const auto& [word, meaning] : words) names.push_back(word);
          return Status(Code::kInvalidArgument, "\"" + EscapeBytes(text) +
                                                    "\" is not one of " + meta +
                                                    DidYouMean(text, names));
        },
        help);
  }

  struct Parts;
  std::unique_ptr<Parts> parts_;
  std::set<std::string> given_;
};

}  // namespace shardine

#endif  // SHARDINE_CLI_OPTIONS_H_
