// Pages of an LMDB tree, made by hand: right ones, and any that are not.
#ifndef SHARDINE_TESTS_UNIT_LMDB_PAGE_MAKER_H_
#define SHARDINE_TESTS_UNIT_LMDB_PAGE_MAKER_H_

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "lmdb/lmdb_meta.h"

namespace shardine {

template <typename T>
void Poke(std::string& bytes, std::size_t at, T value) {
  REQUIRE(at + sizeof(T) <= bytes.size());
  StoreLe(value, std::as_writable_bytes(std::span(bytes)).data() + at);
}

// Nodes go from the end of the page downwards, their offsets after its header.
class PageMaker {
 public:
  PageMaker(std::uint64_t number, std::uint16_t flags, std::size_t size = 4096)
      : bytes_(size, '\0'), upper_(size) {
    Poke(bytes_, 0, number);
    Poke(bytes_, 10, flags);
  }

  // A leaf's node with its value in the page; `size` may lie.
  PageMaker& Value(const std::string& key, const std::string& value) {
    return Node(key, value, static_cast<std::uint32_t>(value.size()), 0);
  }
  PageMaker& Overflow(const std::string& key, std::uint32_t size,
                      std::uint64_t page) {
    std::string number;
    AppendLe(page, number);
    return Node(key, number, size, 1);
  }
  PageMaker& Child(const std::string& key, std::uint64_t page) {
    return Node(key, "", static_cast<std::uint32_t>(page),
                static_cast<std::uint16_t>(page >> 32));
  }
  PageMaker& Node(const std::string& key, const std::string& rest,
                  std::uint32_t size, std::uint16_t flags) {
    const std::size_t taken = 8 + key.size() + rest.size();
    upper_ -= taken + taken % 2;
    Poke(bytes_, upper_, size);
    Poke(bytes_, upper_ + 4, flags);
    Poke(bytes_, upper_ + 6, static_cast<std::uint16_t>(key.size()));
    bytes_.replace(upper_ + 8, key.size() + rest.size(), key + rest);
    Poke(bytes_, lower_, static_cast<std::uint16_t>(upper_));
    lower_ += 2;
    return *this;
  }

  // Where the node made last begins.
  std::size_t last() const { return upper_; }

  std::string Make() const {
    std::string bytes = bytes_;
    Poke(bytes, 12, static_cast<std::uint16_t>(lower_));
    Poke(bytes, 14, static_cast<std::uint16_t>(upper_));
    return bytes;
  }

 private:
  std::string bytes_;
  std::size_t lower_ = kLmdbPageHeader;
  std::size_t upper_;
};

}  // namespace shardine

#endif  // SHARDINE_TESTS_UNIT_LMDB_PAGE_MAKER_H_
