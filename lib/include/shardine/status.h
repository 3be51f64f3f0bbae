// Status and Result: how every failure that data, disk, network or user can
// cause travels. Our own bugs are SHARDINE_CHECKs (base/check.h) instead.
#ifndef SHARDINE_STATUS_H_
#define SHARDINE_STATUS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace shardine {

enum class Code : std::uint8_t {
  kOk,
  kFailed,           // any other failure
  kInvalidArgument,  // the caller or the command line asked for nonsense
  kNotFound,
  kAlreadyExists,
  kUnsupported,  // well formed, but beyond our limits or a format's
  kCorrupt,      // damaged data: framing, checksum, digest, image
  kIo,           // the operating system said no; system_error() has errno
  kRemote,
  kChanged,    // inputs differ from those the plan was made of
  kCancelled,  // a stop was requested; the work can be resumed
};

// The place of a failure. Each layer fills in the members that it alone knows.
struct Where {
  std::string path = {};
  std::optional<std::uint64_t> offset = {};  // byte in the file
  std::optional<std::uint64_t> record = {};  // number of the record in the file
  std::optional<std::string> key = {};       // raw bytes of the sample's key
};

// Thread-compatible; copies are deep. An ok Status holds no memory.
class [[nodiscard]] Status {
 public:
  Status() = default;
  // REQUIRES: code != kOk.
  Status(Code code, std::string message);
  Status(const Status& other);
  Status& operator=(const Status& other);
  Status(Status&&) noexcept = default;
  Status& operator=(Status&&) noexcept = default;
  ~Status() = default;

  // kIo with "<action>: <errno in words>"; ENOENT gives kNotFound, EEXIST
  // gives kAlreadyExists. `action` is a verb: "open", "write", "rename".
  static Status FromErrno(int error, std::string_view action, std::string path);

  bool ok() const { return rep_ == nullptr; }
  Code code() const { return rep_ ? rep_->code : Code::kOk; }
  const std::string& message() const;
  const Where& where() const;
  int system_error() const { return rep_ ? rep_->system_error : 0; }

  // Fills in those parts of `where` that are still unknown. No-op when ok.
  Status& Annotate(const Where& where);
  Status&& At(const Where& where) && { return std::move(Annotate(where)); }
  // Goes on with `text` after the message. No-op when ok.
  Status& AddToMessage(std::string_view text);

  // "PATH: record 3 (key n01/a.jpg), byte 120: MESSAGE", unknown parts left
  // out, "OK" when ok. Keys are escaped as in shardine/escape.h.
  std::string ToString() const;

 private:
  struct Rep {
    Code code;
    int system_error = 0;
    std::string message;
    Where where;
  };
  std::unique_ptr<Rep> rep_;
};

// A T or the Status that says why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  // REQUIRES: !status.ok().
  Result(Status status) : value_(std::move(status)) {}  // NOLINT
  Result(T value) : value_(std::move(value)) {}         // NOLINT

  bool ok() const { return value_.index() == 1; }
  // The failure, or an ok Status.
  Status status() const& { return ok() ? Status() : std::get<0>(value_); }
  Status status() && {
    return ok() ? Status() : std::get<0>(std::move(value_));
  }

  // REQUIRES: ok().
  T& operator*() & { return std::get<1>(value_); }
  const T& operator*() const& { return std::get<1>(value_); }
  T&& operator*() && { return std::get<1>(std::move(value_)); }
  T* operator->() { return &std::get<1>(value_); }
  const T* operator->() const { return &std::get<1>(value_); }

 private:
  std::variant<Status, T> value_;
};

}  // namespace shardine

#endif  // SHARDINE_STATUS_H_
