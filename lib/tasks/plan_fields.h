// The fields of a plan file, written and read by one list of them: a function
// template that calls `fields(member)` for each. Layout: tasks/FORMAT.md,
// "Fields".
#ifndef SHARDINE_TASKS_PLAN_FIELDS_H_
#define SHARDINE_TASKS_PLAN_FIELDS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "shardine/digest.h"

namespace shardine {

// Appends to a text. Thread-compatible.
class FieldWriter {
 public:
  explicit FieldWriter(std::string& to) : to_(to) {}

  template <Scalar T>
  void operator()(const T& number) {
    AppendLe(number, to_);
  }
  void operator()(const std::string& text) {
    AppendLe(static_cast<std::uint32_t>(text.size()), to_);
    to_ += text;
  }
  void operator()(const Digest128& digest) {
    (*this)(digest.low);
    (*this)(digest.high);
  }
  // An enum whose last value is `last`.
  template <typename E>
  void Choice(const E& value, E /*last*/) {
    AppendLe(static_cast<std::uint8_t>(value), to_);
  }
  void Flag(const bool& value) {
    AppendLe(static_cast<std::uint8_t>(value ? 1 : 0), to_);
  }
  void Maybe(const std::optional<std::uint64_t>& number) {
    Flag(number.has_value());
    (*this)(number.value_or(0));
  }
  // `each` gets every element.
  template <typename T, typename Each>
  void List(const std::vector<T>& list, const Each& each) {
    AppendLe(static_cast<std::uint64_t>(list.size()), to_);
    for (const T& element : list) each(element);
  }
  void Map(const std::map<std::string, std::string>& map) {
    AppendLe(static_cast<std::uint64_t>(map.size()), to_);
    for (const auto& [name, value] : map) {
      (*this)(name);
      (*this)(value);
    }
  }

 private:
  std::string& to_;
};

// Reads bytes that may be anything: after a field that is cut or impossible,
// all others are left alone. Thread-compatible.
class FieldReader {
 public:
  explicit FieldReader(ByteView bytes) : cursor_(bytes) {}

  // Whether all was read, and nothing is left.
  bool done() const { return ok_ && cursor_.done(); }

  template <Scalar T>
  void operator()(T& number) {
    ok_ = ok_ && cursor_.Read(number);
  }
  void operator()(std::string& text) {
    std::uint32_t size = 0;
    ByteView bytes;
    ok_ = ok_ && cursor_.Read(size) && cursor_.ReadBytes(size, bytes);
    if (ok_) text = AsText(bytes);
  }
  void operator()(Digest128& digest) {
    (*this)(digest.low);
    (*this)(digest.high);
  }
  template <typename E>
  void Choice(E& value, E last) {
    std::uint8_t number = 0;
    (*this)(number);
    ok_ = ok_ && number <= static_cast<std::uint8_t>(last);
    if (ok_) value = static_cast<E>(number);
  }
  void Flag(bool& value) {
    std::uint8_t number = 0;
    (*this)(number);
    ok_ = ok_ && number <= 1;
    value = number == 1;
  }
  void Maybe(std::optional<std::uint64_t>& number) {
    bool is_there = false;
    std::uint64_t value = 0;
    Flag(is_there);
    (*this)(value);
    if (is_there) number = value;
  }
  // No element is empty, so that their number is bounded by the bytes.
  template <typename T, typename Each>
  void List(std::vector<T>& list, const Each& each) {
    std::uint64_t count = 0;
    (*this)(count);
    ok_ = ok_ && count <= cursor_.remaining();
    for (std::uint64_t i = 0; ok_ && i < count; ++i) each(list.emplace_back());
  }
  void Map(std::map<std::string, std::string>& map) {
    std::uint64_t count = 0;
    (*this)(count);
    for (std::uint64_t i = 0; ok_ && i < count; ++i) {
      std::string name;
      (*this)(name);
      // Sorted: there is one way to write a map.
      ok_ = ok_ && (map.empty() || map.rbegin()->first < name);
      if (ok_) (*this)(map[name]);
    }
  }

 private:
  ByteCursor cursor_;
  bool ok_ = true;
};

}  // namespace shardine

#endif  // SHARDINE_TASKS_PLAN_FIELDS_H_
