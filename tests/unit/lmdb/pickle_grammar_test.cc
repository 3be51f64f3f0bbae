// PickleReader on values of any shape, drawn and written in any of the opcodes
// that mean the same, and on opcodes in any order.
#include <set>

#include "unit/lmdb/lmdb_oracle.h"
#include "unit/lmdb/pickle_bytes.h"

namespace shardine::pickle_grammar_test {
namespace {

constexpr std::uint64_t kMemory = std::uint64_t{1} << 20;

// A pickle, and its expected value as text: "[1, b'6a', None]".
struct Drawn {
  std::string pickle;
  std::string text;
};

std::string Hex(std::string_view bytes) {
  std::string hex;
  for (const char byte : bytes) {
    char digits[3];
    std::snprintf(digits, sizeof(digits), "%02x",
                  static_cast<unsigned>(static_cast<unsigned char>(byte)));
    hex += digits;
  }
  return hex;
}

template <Scalar T>
std::string Raw(char opcode, T argument) {
  std::string raw(1, opcode);
  AppendLe(argument, raw);
  return raw;
}

Drawn DrawInt(OracleDraws& draws) {
  switch (draws.Below(5)) {
    case 0: {
      const auto value = static_cast<std::uint8_t>(draws.Below(256));
      return {Raw('K', value), std::to_string(value)};
    }
    case 1: {
      const auto value = static_cast<std::uint16_t>(draws.Below(65536));
      return {Raw('M', value), std::to_string(value)};
    }
    case 2: {
      const auto value = static_cast<std::int32_t>(draws.Below(~0U));
      return {Raw('J', value), std::to_string(value)};
    }
    case 3: {
      // LONG1 of any size, longer than the number needs.
      const auto value = static_cast<std::int64_t>(draws.Below(128)) - 64;
      std::string bytes;
      AppendLe(value, bytes);
      bytes.resize(1 + draws.Below(8));
      return {Raw('\x8a', static_cast<std::uint8_t>(bytes.size())) + bytes,
              std::to_string(value)};
    }
    default:
      return draws.Below(2) == 0 ? Drawn{"\x88", "True"}
                                 : Drawn{"\x89", "False"};
  }
}

Drawn DrawBytes(OracleDraws& draws) {
  const std::string bytes = draws.Bytes(draws.Below(300));
  const bool is_text = draws.Below(2) == 0;
  std::string head;
  const std::uint32_t form = draws.Below(bytes.size() < 256 ? 3 : 2);
  if (form == 0) {
    head = Raw(is_text               ? 'X'
               : draws.Below(2) == 0 ? 'B'
                                     : 'T',
               static_cast<std::uint32_t>(bytes.size()));
  } else if (form == 1) {
    head = Raw(is_text               ? '\x8d'
               : draws.Below(2) == 0 ? '\x8e'
                                     : '\x96',
               std::uint64_t{bytes.size()});
  } else {
    head = Raw(is_text               ? '\x8c'
               : draws.Below(2) == 0 ? 'C'
                                     : 'U',
               static_cast<std::uint8_t>(bytes.size()));
  }
  return {head + bytes, (is_text ? "u'" : "b'") + Hex(bytes) + "'"};
}

Drawn Draw(OracleDraws& draws, int depth);

std::vector<Drawn> DrawItems(OracleDraws& draws, std::uint32_t count,
                             int depth) {
  std::vector<Drawn> items;
  while (items.size() < count) items.push_back(Draw(draws, depth - 1));
  return items;
}

Drawn DrawTuple(OracleDraws& draws, int depth) {
  const std::uint32_t count = draws.Below(5);
  Drawn tuple;
  for (const Drawn& item : DrawItems(draws, count, depth)) {
    tuple.pickle += item.pickle;
    tuple.text += item.text + ",";
  }
  tuple.text = "(" + tuple.text + ")";
  const bool marked = count > 3 || draws.Below(2) == 0;
  if (marked) {
    tuple.pickle = "(" + tuple.pickle + "t";
  } else {
    tuple.pickle += count == 0 ? ')' : static_cast<char>(0x84 + count);
  }
  return tuple;
}

// A list or dict, its items set one by one, or all at once.
Drawn DrawContainer(OracleDraws& draws, int depth, bool is_dict) {
  const std::uint32_t step = is_dict ? 2 : 1;
  const std::vector<Drawn> items =
      DrawItems(draws, step * draws.Below(4), depth);
  const bool single = draws.Below(2) == 0;
  Drawn all{is_dict ? "}" : "]", ""};
  if (!single) all.pickle += "(";
  for (std::size_t i = 0; i < items.size(); ++i) {
    all.pickle += items[i].pickle;
    all.text += items[i].text + ",";
    if (single && (i + 1) % step == 0) all.pickle += is_dict ? "s" : "a";
  }
  if (!single) all.pickle += is_dict ? "u" : "e";
  all.text = is_dict ? "{" + all.text + "}" : "[" + all.text + "]";
  return all;
}

Drawn Draw(OracleDraws& draws, int depth) {
  switch (draws.Below(depth > 0 ? 6 : 3)) {
    case 0:
      return DrawInt(draws);
    case 1:
      return DrawBytes(draws);
    case 2:
      return {"N", "None"};
    case 3:
      return DrawTuple(draws, depth);
    default:
      return DrawContainer(draws, depth, draws.Below(2) == 0);
  }
}

std::string TextOf(const PickleValue& value) {
  switch (value.kind()) {
    case PickleKind::kNone:
      return "None";
    case PickleKind::kBool:
      return value.integer() == 1 ? "True" : "False";
    case PickleKind::kInt:
      return std::to_string(value.integer());
    case PickleKind::kBytes:
      return "b'" + Hex(AsText(value.bytes().bytes)) + "'";
    case PickleKind::kText:
      return "u'" + Hex(AsText(value.bytes().bytes)) + "'";
    default:
      break;
  }
  std::string text;
  for (std::size_t i = 0; i < value.size(); ++i) {
    text += TextOf(value.item(i)) + ",";
  }
  if (value.kind() == PickleKind::kTuple) return "(" + text + ")";
  if (value.kind() == PickleKind::kList) return "[" + text + "]";
  return "{" + text + "}";
}

TEST_CASE("PickleReader builds any value, whatever opcodes it is written in",
          "[pickle]") {
  PickleReader reader(kMemory);  // one for all: none is left from another
  for (std::uint32_t seed = 0; seed < 2000; ++seed) {
    OracleDraws draws(seed);
    const Drawn drawn = Draw(draws, 4);
    const std::string pickle = "\x80\x04" + drawn.pickle + ".";
    INFO(drawn.text);
    const auto value = reader.Read(AsBytes(pickle), 0);
    REQUIRE(value.status().ToString() == "OK");
    REQUIRE(TextOf(*value) == drawn.text);
    // And nothing of one that was cut.
    const auto size = static_cast<std::uint32_t>(pickle.size());
    const std::string cut = pickle.substr(0, draws.Below(size));
    REQUIRE_FALSE(reader.Read(AsBytes(cut), 0).ok());
  }
}

TEST_CASE("PickleReader knows each opcode, or refuses it by its name",
          "[pickle]") {
  std::set<std::string> names;
  for (int opcode = 0; opcode < 256; ++opcode) {
    // Operands that it could need on the stack and after it.
    const std::string pickle = "(]N" +
                               std::string(1, static_cast<char>(opcode)) +
                               std::string(20, '\0');
    PickleReader reader(kMemory);
    const auto value = reader.Read(AsBytes(pickle), 500);
    REQUIRE_FALSE(value.ok());
    const Status status = value.status();
    INFO(opcode << ": " << status.ToString());
    REQUIRE(status.where().offset >= 500U);
    REQUIRE(status.where().offset <= 500 + pickle.size());
    const std::string name =
        PickleOpcodeName(static_cast<std::uint8_t>(opcode));
    CHECK(names.insert(name).second);
    if (status.where().offset != 503U) continue;
    if (status.code() != Code::kUnsupported) continue;
    CHECK_THAT(status.message(), Catch::Contains(name));
  }
}

TEST_CASE("Opcodes in any order make a value or an error, and do not crash",
          "[pickle][corruption]") {
  const std::string opcodes =
      "(.GJKMNRTUXabcehjqrstu})]BC\x80\x85\x86\x87\x88"
      "\x89\x8a\x8c\x8d\x8e\x93\x94\x95\x96";
  std::uint64_t values = 0;
  for (std::uint32_t seed = 0; seed < 20'000; ++seed) {
    OracleDraws draws(seed);
    std::string pickle;
    for (std::uint32_t count = 1 + draws.Below(14); count > 0; --count) {
      pickle +=
          opcodes[draws.Below(static_cast<std::uint32_t>(opcodes.size()))];
      // Arguments that are small, as sizes and memo numbers are.
      if (draws.Below(3) == 0) pickle += static_cast<char>(draws.Below(3));
    }
    PickleReader reader(4096);
    const auto value = reader.Read(AsBytes(pickle + "."), 500);
    if (value.ok()) {
      ++values;
      continue;
    }
    const Status status = value.status();
    const bool known =
        status.code() == Code::kCorrupt || status.code() == Code::kUnsupported;
    const std::uint64_t offset = status.where().offset.value_or(0);
    if (!known || offset < 500 || offset > 501 + pickle.size()) {
      FAIL(Hex(pickle) << ": " << status.ToString());
    }
  }
  CHECK(values > 100);
}

}  // namespace
}  // namespace shardine::pickle_grammar_test
