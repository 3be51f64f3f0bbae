#include "webdataset/npy_header.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/check.h"
#include "base/status_macros.h"

namespace shardine {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
// NumPy fills the header so that data begin at a multiple of this.
constexpr std::size_t kAlignment = 64;
// The 16 bits that version 1.0 has for the length. Later versions have 32, for
// records with many fields, which are not read.
constexpr std::size_t kMaxHeader = std::size_t{64} << 10;

Status MalformedHeader() {
  return Status(Code::kCorrupt, "not a header of an .npy file");
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Cuts a decimal number off `text`.
bool TakeNumber(std::string_view& text, std::uint64_t& value) {
  if (text.empty() || !IsDigit(text[0])) return false;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || value > kMaxArrayBytes) return false;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return true;
}

// Reads the Python literal of a dict that NumPy writes.
class DictReader {
 public:
  explicit DictReader(std::string_view text) : rest_(text) {}

  bool Take(char c) {
    SkipBlanks();
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool Next(char c) {
    SkipBlanks();
    return !rest_.empty() && rest_[0] == c;
  }
  bool TakeString(std::string_view& text) {
    SkipBlanks();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) return false;
    const std::size_t end = rest_.find(rest_[0], 1);
    if (end == rest_.npos) return false;
    text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return true;
  }
  bool TakeBool(bool& value) {
    SkipBlanks();
    for (const bool each : {true, false}) {
      const std::string_view word = each ? "True" : "False";
      if (!rest_.starts_with(word)) continue;
      value = each;
      rest_.remove_prefix(word.size());
      return true;
    }
    return false;
  }
  // A shape is "(3, 4)", "(3,)" or "()". Python 2 wrote 3L for 3.
  bool TakeShape(std::vector<std::uint64_t>& shape) {
    if (!Take('(')) return false;
    while (!Take(')')) {
      std::uint64_t dimension = 0;
      SkipBlanks();
      // One dimension too many is let in, so that ParseNpyHeader can name the
      // limit.
      if (shape.size() > kMaxNpyRank || !TakeNumber(rest_, dimension)) {
        return false;
      }
      shape.push_back(dimension);
      if (!rest_.empty() && rest_[0] == 'L') rest_.remove_prefix(1);
      if (!Take(',') && !Next(')')) return false;
    }
    return true;
  }
  bool AtEnd() {
    SkipBlanks();
    return rest_.empty();
  }

 private:
  void SkipBlanks() {
    const std::size_t begin = rest_.find_first_not_of(" \t\n");
    rest_.remove_prefix(std::min(begin, rest_.size()));
  }

  std::string_view rest_;
};

Status ParseDict(std::string_view text, NpyHeader& header) {
  DictReader reader(text);
  if (!reader.Take('{')) return MalformedHeader();
  unsigned seen = 0;
  while (!reader.Take('}')) {
    std::string_view key;
    std::string_view descr;
    unsigned bit = 0;
    if (!reader.TakeString(key) || !reader.Take(':')) return MalformedHeader();
    if (key == "descr") {
      bit = 1;
      if (reader.Next('[')) {
        return Status(Code::kUnsupported, "an array of records");
      }
      if (!reader.TakeString(descr)) return MalformedHeader();
      header.dtype = descr;
    } else if (key == "fortran_order") {
      bit = 2;
      if (!reader.TakeBool(header.fortran_order)) return MalformedHeader();
    } else if (key == "shape") {
      bit = 4;
      if (!reader.TakeShape(header.shape)) return MalformedHeader();
    }
    // NumPy takes the three keys in any order, but no others.
    if (bit == 0 || (seen & bit) != 0) return MalformedHeader();
    seen |= bit;
    if (!reader.Take(',') && !reader.Next('}')) return MalformedHeader();
  }
  return seen == 7 && reader.AtEnd() ? Status() : MalformedHeader();
}

Status TakeType(NpyHeader& header) {
  const auto type = ParseNpyType(header.dtype);
  if (!type) {
    return Status(Code::kUnsupported,
                  header.dtype.find('O') != std::string::npos
                      ? "an array of pickled objects: no code is run to read it"
                      : "an array of an unknown element type");
  }
  header.type = *type;
  header.dtype[0] = type->swap_bytes == 1 ? '|' : '<';
  return Status();
}

void ToCOrder(const NpyHeader& header, ByteView data, std::byte* to) {
  const std::size_t rank = header.shape.size();
  const auto bytes = static_cast<std::size_t>(header.type.bytes);
  std::vector<std::uint64_t> index(rank);
  std::vector<std::size_t> strides(rank, bytes);
  for (std::size_t i = 1; i < rank; ++i) {
    strides[i] = strides[i - 1] * static_cast<std::size_t>(header.shape[i - 1]);
  }
  // Elements are written in sequence. The place to read from moves by one
  // stride at a time, the last dimension first.
  std::size_t from = 0;
  for (std::size_t at = 0; at < data.size(); at += bytes) {
    std::memcpy(to + at, data.data() + from, bytes);
    for (std::size_t i = rank; i-- > 0;) {
      from += strides[i];
      if (++index[i] < header.shape[i]) break;
      from -= strides[i] * static_cast<std::size_t>(index[i]);
      index[i] = 0;
    }
  }
}

}  // namespace

bool NpyHeader::in_place() const {
  if (data_bytes == 0) return true;
  if (type.big_endian) return false;
  return !fortran_order ||
         std::ranges::count_if(shape, [](auto d) { return d > 1; }) < 2;
}

Result<NpyHeader> ParseNpyHeader(ByteView file) {
  ByteCursor cursor(file);
  ByteView magic;
  std::uint8_t major = 0;
  std::uint8_t minor = 0;
  if (!cursor.ReadBytes(kMagic.size(), magic) || AsText(magic) != kMagic ||
      !cursor.Read(major) || !cursor.Read(minor)) {
    return MalformedHeader();
  }
  if (major < 1 || major > 3 || minor != 0) {
    return Status(Code::kUnsupported, "an .npy file of version " +
                                          std::to_string(major) + "." +
                                          std::to_string(minor));
  }
  std::uint16_t short_length = 0;
  std::uint32_t length = 0;
  const bool read =
      major == 1 ? cursor.Read(short_length) : cursor.Read(length);
  if (major == 1) length = short_length;
  ByteView text;
  if (!read || !cursor.ReadBytes(length, text)) return MalformedHeader();
  if (length > kMaxHeader) {
    return Status(Code::kUnsupported, "an .npy header of more than 64 KiB");
  }
  NpyHeader header;
  SHARDINE_RETURN_IF_ERROR(ParseDict(AsText(text), header));
  SHARDINE_RETURN_IF_ERROR(TakeType(header));
  if (header.shape.size() > kMaxNpyRank) {
    return Status(Code::kUnsupported, "an array of more than 64 dimensions");
  }
  header.header_bytes = cursor.position();
  const auto bytes = ArrayBytes(header.shape, header.type.bytes);
  // The data are the rest of the file. This bounds the shape before anything is
  // allocated for it.
  if (!bytes || *bytes != cursor.remaining()) {
    return Status(Code::kCorrupt,
                  "an .npy file of another length than its header says");
  }
  header.data_bytes = *bytes;
  return header;
}

void AppendNpyHeader(std::string_view dtype,
                     std::span<const std::uint64_t> shape, std::string& to) {
  std::string dict = "{'descr': '";
  dict += dtype;
  dict += "', 'fortran_order': False, 'shape': (";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) dict += ", ";
    dict += std::to_string(shape[i]);
  }
  dict += shape.size() == 1 ? ",), }" : "), }";
  const std::size_t fixed = kMagic.size() + 4;
  const std::size_t used = fixed + dict.size() + 1;
  dict.append((kAlignment - used % kAlignment) % kAlignment, ' ');
  dict += '\n';
  SHARDINE_CHECK(dict.size() < kMaxHeader);
  to += kMagic;
  AppendLe(std::uint8_t{1}, to);
  AppendLe(std::uint8_t{0}, to);
  AppendLe(static_cast<std::uint16_t>(dict.size()), to);
  to += dict;
}

void ConvertNpyData(const NpyHeader& header, ByteView data, ByteBuffer& to) {
  to.Resize(data.size());
  if (data.empty()) return;
  if (header.fortran_order) {
    ToCOrder(header, data, to.data());
  } else {
    std::memcpy(to.data(), data.data(), data.size());
  }
  const auto unit = static_cast<std::size_t>(header.type.swap_bytes);
  if (!header.type.big_endian) return;
  for (std::byte* at = to.data(); at < to.data() + to.size(); at += unit) {
    std::reverse(at, at + unit);
  }
}

}  // namespace shardine
