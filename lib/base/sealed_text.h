// Sealed text: a small file of text that ends with a line of its own digest,
// the XXH3-128 of all before as 32 hex digits. The digest finds damage, and
// proves nothing about the file's writer.
#ifndef SHARDINE_BASE_SEALED_TEXT_H_
#define SHARDINE_BASE_SEALED_TEXT_H_

#include <optional>
#include <string>
#include <string_view>

namespace shardine {

// The text and the line.
std::string SealText(std::string text);

// The text between `magic`, which such a file begins with, and the line;
// nullopt if either is absent or the digest is another. A view of `text`.
std::optional<std::string_view> UnsealText(std::string_view text,
                                           std::string_view magic);

}  // namespace shardine

#endif  // SHARDINE_BASE_SEALED_TEXT_H_
