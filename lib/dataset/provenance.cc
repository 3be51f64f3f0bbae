#include "shardine/provenance.h"

#include <algorithm>
#include <string_view>

#include "dataset/split_promises.h"
#include "shardine/escape.h"
#include "shardine/shell_quoted.h"

namespace shardine {
namespace {

bool IsPlain(char c) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
      "%+,-./:=@_";
  return kPlain.find(c) != kPlain.npos;
}

// One word of a shell's.
std::string Word(const std::string& text) {
  const std::string escaped = EscapeBytes(text);
  if (!escaped.empty() && std::ranges::all_of(escaped, IsPlain)) return escaped;
  return ShellQuoted(escaped);
}

}  // namespace

std::string ToString(const Provenance& provenance) {
  std::string text = EscapeBytes(provenance.command);
  for (const auto& [name, value] : provenance.options) {
    if (IsPromise(name)) continue;
    text += " --" + Word(name);
    if (!value.empty()) text += " " + Word(value);
  }
  for (const std::string& source : provenance.sources)
    text += " " + Word(source);
  return text;
}

}  // namespace shardine
