// The words for the values of an enum, the same on the command line, in
// manifests and in Python: a table each, in the headers called *_words.h.
#ifndef SHARDINE_WORDS_H_
#define SHARDINE_WORDS_H_

#include <optional>
#include <string_view>

namespace shardine {

template <typename Enum>
struct EnumWord {
  Enum value;
  const char* word;
};

// Specialised for each enum that has words: `kWords`, in the order in which
// help lists them. Words are kept in manifests: never change one.
template <typename Enum>
struct EnumWords;

// "" for a value that has no word.
template <typename Enum>
constexpr const char* WordOf(Enum value) {
  for (const EnumWord<Enum>& known : EnumWords<Enum>::kWords) {
    if (known.value == value) return known.word;
  }
  return "";
}

// nullopt for other words.
template <typename Enum>
constexpr std::optional<Enum> EnumOf(std::string_view word) {
  for (const EnumWord<Enum>& known : EnumWords<Enum>::kWords) {
    if (word == known.word) return known.value;
  }
  return std::nullopt;
}

}  // namespace shardine

#endif  // SHARDINE_WORDS_H_
