#include "shardine/status.h"

#include <cerrno>

#include "base/check.h"
#include "base/errno_words.h"
#include "base/made_once.h"
#include "base/shown_name.h"
#include "shardine/escape.h"
#include "shardine/printable.h"

namespace shardine {
namespace {

Code CodeOfErrno(int error) {
  switch (error) {
    case ENOENT:
      return Code::kNotFound;
    case EEXIST:
      return Code::kAlreadyExists;
    default:
      return Code::kIo;
  }
}

}  // namespace

Status::Status(Code code, std::string message) : rep_(std::make_unique<Rep>()) {
  SHARDINE_CHECK(code != Code::kOk);
  rep_->code = code;
  rep_->message = std::move(message);
}

Status::Status(const Status& other)
    : rep_(other.rep_ ? std::make_unique<Rep>(*other.rep_) : nullptr) {}

Status& Status::operator=(const Status& other) {
  if (this != &other) {
    rep_ = other.rep_ ? std::make_unique<Rep>(*other.rep_) : nullptr;
  }
  return *this;
}

Status Status::FromErrno(int error, std::string_view action, std::string path) {
  Status status(CodeOfErrno(error),
                std::string(action) + ": " + ErrnoWords(error));
  status.rep_->system_error = error;
  status.rep_->where.path = std::move(path);
  return status;
}

const std::string& Status::message() const {
  static constinit MadeOnce<std::string> none;
  return rep_ ? rep_->message : none.Get();
}

const Where& Status::where() const {
  static constinit MadeOnce<Where> nowhere;
  return rep_ ? rep_->where : nowhere.Get();
}

Status& Status::AddToMessage(std::string_view text) {
  if (rep_) rep_->message += text;
  return *this;
}

Status& Status::Annotate(const Where& where) {
  if (ok()) return *this;
  Where& known = rep_->where;
  if (known.path.empty()) known.path = where.path;
  if (!known.offset) known.offset = where.offset;
  if (!known.record) known.record = where.record;
  if (!known.key) known.key = where.key;
  return *this;
}

std::string Status::ToString() const {
  if (ok()) return "OK";
  const Where& where = rep_->where;
  std::string place;
  if (where.record) place = "record " + std::to_string(*where.record);
  if (where.key) {
    // A key is the file's own word, as names in the message are.
    const std::string shown = ShowName(*where.key);
    std::string key = "key " + shown.substr(1, shown.size() - 2);
    place += place.empty() ? key : " (" + key + ")";
  }
  if (where.offset) {
    if (!place.empty()) place += ", ";
    place += "byte " + std::to_string(*where.offset);
  }
  std::string text;
  if (!where.path.empty()) text = EscapeBytes(where.path) + ": ";
  if (!place.empty()) text += place + ": ";
  // Messages quote text of files, and here the message leaves the process.
  return PrintableLine(text + ShortenNames(rep_->message));
}

}  // namespace shardine
