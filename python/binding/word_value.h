// WordValue: the value of a word that a caller gave.
#ifndef SHARDINE_BINDING_WORD_VALUE_H_
#define SHARDINE_BINDING_WORD_VALUE_H_

#include <string>
#include <vector>

#include "binding/bindings.h"
#include "shardine/did_you_mean.h"
#include "shardine/words.h"

namespace shardine::binding {

// The value that the word given for `option` stands for; for others Python's
// ValueError, since the word is the caller's argument and no fault of data.
template <typename Enum>
Enum WordValue(const char* option, const std::string& given) {
  if (const auto value = EnumOf<Enum>(given)) return *value;
  std::string listed;
  std::vector<std::string> words;
  for (const auto& [value, word] : EnumWords<Enum>::kWords) {
    listed += (words.empty() ? "" : ", ") + std::string(word);
    words.emplace_back(word);
  }
  const std::string message = std::string(option) + ": \"" + given +
                              "\" is none of " + listed +
                              DidYouMean(given, words);
  throw nb::value_error(message.c_str());
}

}  // namespace shardine::binding

#endif  // SHARDINE_BINDING_WORD_VALUE_H_
