#include "source/split_name.h"

#include <algorithm>

namespace shardine {
namespace {

bool IsLetterOrDigit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
         (c >= 'a' && c <= 'z');
}

}  // namespace

bool IsSplitName(std::string_view name) {
  return !name.empty() && IsLetterOrDigit(name.front()) &&
         std::ranges::all_of(name, [](char c) {
           return IsLetterOrDigit(c) || c == '_' || c == '.' || c == '-';
         });
}

}  // namespace shardine
