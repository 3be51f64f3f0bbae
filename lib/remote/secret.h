// Keys and tokens of users: their memory is wiped before it is free, so that a
// later core dump holds no secret, and they print as ***.
#ifndef SHARDINE_REMOTE_SECRET_H_
#define SHARDINE_REMOTE_SECRET_H_

#include <concepts>
#include <cstddef>
#include <cstring>
#include <new>
#include <ostream>
#include <string>
#include <string_view>

namespace shardine {

template <typename T>
struct WipingAllocator {
  using value_type = T;

  WipingAllocator() = default;
  template <typename U>
  // NOLINTNEXTLINE(google-explicit-constructor): as allocators are.
  WipingAllocator(const WipingAllocator<U>& /*other*/) {}

  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T)));
  }
  void deallocate(T* memory, std::size_t count) {
    explicit_bzero(memory, count * sizeof(T));
    ::operator delete(memory);
  }
  friend bool operator==(const WipingAllocator&, const WipingAllocator&) {
    return true;
  }
};

// Text that has secrets among other things: a file, an answer. Up to 15 bytes
// lie in the object itself, and are not wiped.
using SecretText =
    std::basic_string<char, std::char_traits<char>, WipingAllocator<char>>;

// Wipes text that other code made: no byte of it is left.
inline void Wipe(std::string& text) {
  explicit_bzero(text.data(), text.size());
  text.clear();
}

class Secret {
 public:
  Secret() = default;
  template <typename Text>
  requires std::convertible_to<const Text&, std::string_view>
  // NOLINTNEXTLINE(google-explicit-constructor): it hides, that is all.
  Secret(const Text& text) : text_(std::string_view(text)) {}

  // For signing and sending; not for logs.
  std::string_view reveal() const { return text_; }
  bool empty() const { return text_.empty(); }

  friend bool operator==(const Secret&, const Secret&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Secret&) {
    return out << "***";
  }

 private:
  SecretText text_;
};

}  // namespace shardine

#endif  // SHARDINE_REMOTE_SECRET_H_
