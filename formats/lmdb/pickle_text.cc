// Protocol 0 of pickle, whose arguments are lines of text, and its opcodes that
// protocol 1 kept.
#include <charconv>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "lmdb/pickle_opcodes.h"
#include "lmdb/pickle_reader.h"

namespace shardine {
namespace {

// `form`: a base, or nothing for a real number.
template <typename T, typename... Form>
bool ParseWhole(std::string_view text, T& value, Form... form) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, form...);
  return error == std::errc() && stop == end;
}

void AppendUtf8(std::uint32_t letter, std::string& to) {
  const auto continued = [&](unsigned shift) {
    to += static_cast<char>(0x80U | (letter >> shift & 0x3fU));
  };
  if (letter < 0x80) {
    to += static_cast<char>(letter);
  } else if (letter < 0x800) {
    to += static_cast<char>(0xc0U | letter >> 6);
    continued(0);
  } else if (letter < 0x10000) {
    to += static_cast<char>(0xe0U | letter >> 12);
    continued(6);
    continued(0);
  } else {
    to += static_cast<char>(0xf0U | letter >> 18);
    continued(12);
    continued(6);
    continued(0);
  }
}

// \u000a and \U0001f600, the only escapes of Python's raw-unicode-escape. A
// byte outside of them is a letter of Latin-1.
bool UnescapeUnicode(std::string_view line, std::string& to) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    std::uint32_t letter = static_cast<unsigned char>(line[i]);
    const char next = i + 1 < line.size() ? line[i + 1] : '\0';
    if (letter == '\\' && (next == 'u' || next == 'U')) {
      const std::size_t digits = next == 'u' ? 4 : 8;
      const std::string_view number = line.substr(i + 2, digits);
      if (number.size() < digits || !ParseWhole(number, letter, 16) ||
          letter > 0x10ffff) {
        return false;
      }
      i += 1 + digits;
    }
    AppendUtf8(letter, to);
  }
  return true;
}

// Undoes the escapes of a Python 2 string's repr().
bool UnescapeString(std::string_view quoted, std::string& to) {
  constexpr std::string_view kLetters = "\\'\"nrt";
  constexpr std::string_view kMeant = "\\'\"\n\r\t";
  for (std::size_t i = 0; i < quoted.size(); ++i) {
    if (quoted[i] != '\\') {
      to += quoted[i];
      continue;
    }
    if (++i == quoted.size()) return false;
    if (quoted[i] == 'x') {
      std::uint8_t byte = 0;
      const std::string_view digits = quoted.substr(i + 1, 2);
      if (digits.size() < 2 || !ParseWhole(digits, byte, 16)) return false;
      to += static_cast<char>(byte);
      i += 2;
      continue;
    }
    const std::size_t known = kLetters.find(quoted[i]);
    if (known == kLetters.npos) return false;
    to += kMeant[known];
  }
  return true;
}

ByteBuffer BufferOf(std::string_view text) {
  ByteBuffer buffer;
  buffer.Append(AsBytes(text));
  return buffer;
}

}  // namespace

Status PickleReader::ExecuteText(std::uint8_t opcode) {
  switch (opcode) {
    case kOpTextList:
      return PushList(PickleKind::kList);
    case kOpTextDict:
      return PushList(PickleKind::kDict);
    case kOpTextInt:
    case kOpTextLong:
    case kOpTextFloat:
    case kOpTextString:
    case kOpTextUnicode:
    case kOpTextPut:
    case kOpTextGet:
      break;
    default:
      return Unsupported(
          "opcode " + PickleOpcodeName(opcode) +
          " of a pickle is not read; values are bytes, numbers, texts, "
          "tuples, lists, dicts and NumPy arrays");
  }
  std::string_view line;
  SHARDINE_RETURN_IF_ERROR(ReadLine(line));
  std::uint64_t index = 0;
  switch (opcode) {
    case kOpTextInt:
    case kOpTextLong:
      return PushTextInt(line);
    case kOpTextFloat:
      return PushTextFloat(line);
    case kOpTextString:
      return PushString(line);
    case kOpTextUnicode:
      return PushUnicode(line);
    default:
      if (!ParseWhole(line, index))
        return Corrupt("a memo number that is none");
      return opcode == kOpTextPut ? Memoize(index) : Recall(index);
  }
}

Status PickleReader::ReadLine(std::string_view& line) {
  const std::string_view rest = AsText(input_.subspan(cursor_.position()));
  line = rest.substr(0, rest.find('\n'));
  return cursor_.Skip(line.size() + 1) ? Status() : Cut();
}

// The opcode GLOBAL is followed by two lines, module and name.
Status PickleReader::ReadGlobalLines() {
  std::string_view module;
  std::string_view name;
  SHARDINE_RETURN_IF_ERROR(ReadLine(module));
  SHARDINE_RETURN_IF_ERROR(ReadLine(name));
  return PushGlobal(module, name);
}

// "00" and "01" are False and True. Python 2 writes an L after a long.
Status PickleReader::PushTextInt(std::string_view line) {
  if (line == "00" || line == "01") {
    return PushNode(
        {.kind = PickleKind::kBool, .first = line == "01" ? 1U : 0U});
  }
  if (line.ends_with('L')) line.remove_suffix(1);
  std::int64_t value = 0;
  if (ParseWhole(line, value)) return PushInt(value);
  return Unsupported("an integer that is none of 64 bits");
}

Status PickleReader::PushTextFloat(std::string_view line) {
  double value = 0;
  if (ParseWhole(line, value)) return PushFloat(value);
  return Corrupt("a real number that is none");
}

Status PickleReader::PushString(std::string_view line) {
  const bool quoted = line.size() >= 2 && line.front() == line.back() &&
                      (line.front() == '\'' || line.front() == '"');
  std::string text;
  SHARDINE_RETURN_IF_ERROR(ChargeCopy(2 * line.size()));
  if (!quoted || !UnescapeString(line.substr(1, line.size() - 2), text)) {
    return Corrupt("a string that is not as repr() writes it");
  }
  return PushOwned(PickleKind::kBytes, BufferOf(text));
}

// Latin-1 takes up to two bytes a letter in UTF-8, and copying holds the text
// two times.
Status PickleReader::PushUnicode(std::string_view line) {
  SHARDINE_RETURN_IF_ERROR(ChargeCopy(4 * line.size()));
  std::string text;
  if (!UnescapeUnicode(line, text)) return Corrupt("a text with a bad escape");
  return PushOwned(PickleKind::kText, BufferOf(text));
}

// LIST and DICT take the items above the last MARK.
Status PickleReader::PushList(PickleKind kind) {
  SHARDINE_ASSIGN_OR_RETURN(const std::size_t mark, PopMark());
  if (kind == PickleKind::kDict && (stack_.size() - mark) % 2 != 0) {
    return Corrupt("a dict with a key that has no value");
  }
  const auto list = AddItems(kind, std::span(stack_).subspan(mark));
  stack_.resize(mark);
  return Push(list);
}

}  // namespace shardine
