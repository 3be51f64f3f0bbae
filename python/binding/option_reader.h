// OptionReader: the options of one verb as Python gave them, by name, read into
// the library's structs. shardine/arguments.py states the requirements of a
// value, in the words of all other arguments.
#ifndef SHARDINE_BINDING_OPTION_READER_H_
#define SHARDINE_BINDING_OPTION_READER_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "binding/bindings.h"
#include "binding/word_value.h"
#include "shardine/option.h"

namespace shardine::binding {

// A path, and the split that it is given for: empty if it was given alone.
struct NamedPath {
  std::string name;
  std::string path;
};

// Each call but has() leaves `value` as it is where the option was not given:
// defaults are the library's. A value that is wrong is a TypeError or
// ValueError that begins with the option's name. REQUIRES: the GIL is held.
//
// Thread-compatible.
class OptionReader {
 public:
  explicit OptionReader(nb::dict given) : given_(std::move(given)) {}

  // None is as good as nothing.
  bool has(const char* name) const;

  // The options of `described`, "no-shuffle" as shuffle=False.
  void Read(const OptionList& described);
  // After Read(), with the list as the values are now: an option that has no
  // effect is a ValueError, one that lacks a TypeError.
  void Check(const OptionList& described) const;

  void Flag(const char* name, bool& value);
  void Text(const char* name, std::string& value);
  void Path(const char* name, std::string& value);
  void Texts(const char* name, std::vector<std::string>& value);
  // Bytes: an int, or "64K", "256M", "1G".
  void Size(const char* name, std::uint64_t& value);
  // One path, or several.
  void Paths(const char* name, std::vector<std::string>& value);
  // One path, several, or a mapping of splits to either.
  void NamedPaths(const char* name, std::vector<NamedPath>& value);

  template <typename Integer>
  void Number(const char* name, Integer& value, Integer low = 0,
              Integer high = std::numeric_limits<Integer>::max()) {
    const nb::object number = Checked("within", name, low, high);
    if (number.is_valid()) value = nb::cast<Integer>(number);
  }

  template <typename Enum>
  void Word(const char* name, Enum& value) {
    std::string word;
    if (!has(name)) return (void)read_.insert(name);
    Text(name, word);
    value = WordValue<Enum>(name, word);
  }

  // TypeError: an option was given for which no call above asked.
  void Finish() const;

 private:
  // The result of shardine.arguments.<function>(name, value, more...); null
  // where it was not given.
  template <typename... More>
  nb::object Checked(const char* function, const char* name, More... more) {
    read_.insert(name);
    if (!has(name)) return {};
    return nb::module_::import_("shardine.arguments")
        .attr(function)(name, nb::object(given_[name]), more...);
  }

  // The text that `value` takes; none where the option was not given.
  std::optional<std::string> TextOf(const char* name, const OptionValue& value);
  std::string SourcesText(const char* name);

  nb::dict given_;
  std::set<std::string> read_;
  std::set<std::string> described_;  // those given, by their described names
};

// "no-shuffle" is shuffle.
std::string PythonName(const std::string& option);

// ValueError if `status`, of the value of option `name`, is a failure.
void RefuseOption(const char* name, const Status& status);

}  // namespace shardine::binding

#endif  // SHARDINE_BINDING_OPTION_READER_H_
