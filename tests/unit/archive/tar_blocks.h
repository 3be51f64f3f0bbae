// Archives block by block, whether they are right or not.
#ifndef SHARDINE_TESTS_UNIT_ARCHIVE_TAR_BLOCKS_H_
#define SHARDINE_TESTS_UNIT_ARCHIVE_TAR_BLOCKS_H_

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdio>
#include <string>

#include "io/memory_storage.h"

namespace shardine {

inline const std::string kTarEnd(1024, '\0');

// A header's fields in the order of the block; `checksum` and empty fields are
// filled in.
struct HeaderFields {
  std::string name;
  std::string size;  // as it stands in the field
  char type = '0';
  std::string magic = std::string("ustar\0", 6) + "00";
  std::string prefix = {};
  std::string checksum = {};
  bool signed_sum = false;
};

inline std::string Octal(std::uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%011llo",
                static_cast<unsigned long long>(value));
  return text;
}

inline std::string HeaderBlock(const HeaderFields& fields) {
  std::string block(512, '\0');
  const auto put = [&](std::size_t at, const std::string& text) {
    block.replace(at, text.size(), text);
  };
  put(0, fields.name);
  put(100, "0000644");
  put(124, fields.size);
  put(136, Octal(0));
  put(148, "        ");
  block[156] = fields.type;
  put(257, fields.magic);
  put(345, fields.prefix);
  long sum = 0;
  for (const char c : block) {
    sum += fields.signed_sum ? static_cast<signed char>(c)
                             : static_cast<unsigned char>(c);
  }
  char text[16];
  std::snprintf(text, sizeof(text), "%06lo", sum);
  put(148, fields.checksum.empty() ? std::string(text) + '\0' + ' '
                                   : fields.checksum);
  return block;
}

inline std::string Padded(std::string data) {
  data.resize((data.size() + 511) / 512 * 512);
  return data;
}

// A file of an archive, as ustar.
inline std::string TarFile(const std::string& name, const std::string& data,
                           char type = '0') {
  return HeaderBlock({.name = name, .size = Octal(data.size()), .type = type}) +
         Padded(data);
}

inline std::string PaxRecord(const std::string& keyword,
                             const std::string& value) {
  const std::string rest = " " + keyword + "=" + value + "\n";
  std::size_t length = rest.size() + 1;
  while (std::to_string(length).size() + rest.size() != length) ++length;
  return std::to_string(length) + rest;
}

}  // namespace shardine

#endif  // SHARDINE_TESTS_UNIT_ARCHIVE_TAR_BLOCKS_H_
