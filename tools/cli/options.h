// Options: the options of one command's line, each bound to the variable it
// sets. Strict: a name is spelled out, an option is given once, a number is a
// number.
#ifndef SHARDINE_CLI_OPTIONS_H_
#define SHARDINE_CLI_OPTIONS_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "shardine/option.h"
#include "shardine/status.h"

namespace shardine {

// Thread-compatible. The bound variables must outlive it.
class Options {
 public:
  Options();
  ~Options();

  // The options declared from here on stand under `title` in the help.
  void BeginGroup(const std::string& title);

  // Declares the options of `described`, each in its group, except those for
  // which `leave` is true. The values are the defaults, which the help shows.
  void Declare(const OptionList& described,
               const std::function<bool(const Option&)>& leave = {});
  // After Parse(), with the list as the values are now. kInvalidArgument: an
  // option was given that has no effect beside the others, or a needed one was
  // not.
  Status Check(const OptionList& described) const;

  // Into the group that was begun last. `name` is "json" or, with a letter,
  // "jobs,j"; `meta` stands for the value.
  void Add(const std::string& name, const std::string& meta,
           const OptionValue& value, const std::string& help);
  void Flag(const std::string& name, bool& value, const std::string& help) {
    Add(name, "", FlagValue(value), help);
  }
  void Text(const std::string& name, const std::string& meta,
            std::string& value, const std::string& help) {
    Add(name, meta, TextValue(value), help);
  }
  void Number(const std::string& name, std::uint64_t& value, NumberRange range,
              const std::string& help) {
    Add(name, "N", NumberValue(value, range), help);
  }
  void ByteSize(const std::string& name, std::uint64_t& value,
                const std::string& help) {
    Add(name, "SIZE", ByteSizeValue(value), help);
  }
  // `set` says in its message which value is wrong, and why.
  void Parsed(const std::string& name, const std::string& meta,
              std::function<Status(const std::string&)> set,
              const std::string& help) {
    Add(name, meta, {.set = std::move(set), .get = {}}, help);
  }
  template <typename E>
  void Choice(const std::string& name,
              std::initializer_list<std::pair<const char*, E>> choices,
              E& value, const std::string& help) {
    Add(name, "", ChoiceValue<E>({choices.begin(), choices.end()}, value),
        help);
  }
  // One of all that have words (shardine/words.h).
  template <typename E>
  void Choice(const std::string& name, E& value, const std::string& help) {
    Add(name, "", WordValue(value), help);
  }

  // Sets the variables and returns the operands: the words that are no options,
  // and all after `--`. kInvalidArgument names the option.
  Result<std::vector<std::string>> Parse(
      const std::vector<std::string>& arguments);

  // Whether the last Parse() met the option.
  bool given(const std::string& name) const { return given_.contains(name); }

  // An option: "--jobs", whether it takes a value, and the words for it if it
  // takes one of them.
  struct Known {
    std::string name;
    bool has_value = false;
    OptionWords words;
  };
  std::vector<Known> known() const;

  // A line of the help.
  struct HelpLine {
    std::string option;  // "-j, --jobs N"
    std::string text;
  };
  struct Group {
    std::string title;
    std::vector<HelpLine> lines;
  };
  const std::vector<Group>& groups() const;

  // The groups, as text of 80 columns.
  std::string Help() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
  std::set<std::string> given_;
};

}  // namespace shardine

#endif  // SHARDINE_CLI_OPTIONS_H_
