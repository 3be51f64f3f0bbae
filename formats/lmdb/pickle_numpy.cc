// The few calls that PickleReader knows, which make bytes and arrays.
#include <utility>

#include "base/shown_name.h"
#include "base/status_macros.h"
#include "lmdb/pickle_reader.h"

namespace shardine {
namespace {

enum class Global : std::uint8_t {
  kReconstruct,
  kNdarray,
  kDtype,
  kFromBuffer,
  kEncode,
  kBytes,
  kScalar,
};

struct NamedGlobal {
  std::string_view module;
  std::string_view name;
  Global global;
};

// NumPy 2 moved numpy.core to numpy._core, and Python 3 renamed __builtin__.
constexpr NamedGlobal kGlobals[] = {
    {"numpy.core.multiarray", "_reconstruct", Global::kReconstruct},
    {"numpy._core.multiarray", "_reconstruct", Global::kReconstruct},
    {"numpy.core.multiarray", "scalar", Global::kScalar},
    {"numpy._core.multiarray", "scalar", Global::kScalar},
    {"numpy", "ndarray", Global::kNdarray},
    {"numpy", "dtype", Global::kDtype},
    {"numpy.core.numeric", "_frombuffer", Global::kFromBuffer},
    {"numpy._core.numeric", "_frombuffer", Global::kFromBuffer},
    {"_codecs", "encode", Global::kEncode},
    {"__builtin__", "bytes", Global::kBytes},
    {"builtins", "bytes", Global::kBytes},
};

constexpr std::uint64_t Id(Global global) {
  return static_cast<std::uint64_t>(global);
}

}  // namespace

Status PickleReader::PushGlobal(std::string_view module,
                                std::string_view name) {
  for (const NamedGlobal& known : kGlobals) {
    if (known.module != module || known.name != name) continue;
    return PushNode({.kind = PickleKind::kGlobal, .first = Id(known.global)});
  }
  return Unsupported(
      "a pickle that asks for " + std::string(module.substr(0, kMaxShownName)) +
      "." + std::string(name.substr(0, kMaxShownName)) +
      "; of objects only NumPy arrays are read, and nothing is run");
}

Status PickleReader::Reduce() {
  SHARDINE_RETURN_IF_ERROR(Need(2));
  const Node arguments = node(Pop());
  const Node function = node(Pop());
  if (function.kind != PickleKind::kGlobal ||
      arguments.kind != PickleKind::kTuple) {
    return Corrupt("REDUCE of what is no call");
  }
  switch (static_cast<Global>(function.first)) {
    case Global::kReconstruct:
      if (arguments.count != 3 ||
          Part(arguments, 0).kind != PickleKind::kGlobal ||
          Part(arguments, 0).first != Id(Global::kNdarray)) {
        return Unsupported("a subclass of NumPy's array");
      }
      return PushNode({.kind = PickleKind::kShell});
    case Global::kDtype:
      return ReduceDtype(arguments);
    case Global::kFromBuffer:
      return ReduceFromBuffer(arguments);
    case Global::kEncode:
      return ReduceEncode(arguments);
    case Global::kBytes:
      if (arguments.count != 0) break;
      return PushOwned(PickleKind::kBytes, {});
    case Global::kScalar:
      return ReduceScalar(arguments);
    case Global::kNdarray:
      break;
  }
  return Unsupported("a call that makes no NumPy array");
}

// The call is dtype('f8', False, True).
Status PickleReader::ReduceDtype(const Node& arguments) {
  if (arguments.count < 1 || !IsText(Part(arguments, 0))) {
    return Corrupt("a NumPy dtype without its name");
  }
  const std::string_view code = TextOf(Part(arguments, 0));
  const auto dtype = ParseDtypeCode(code.substr(0, kMaxShownName));
  if (!dtype) {
    return Unsupported("NumPy dtype " + ShowName(code) +
                       "; arrays of plain numbers and text are read");
  }
  SHARDINE_RETURN_IF_ERROR(Charge(2 * sizeof(NumpyDtype)));
  dtypes_.push_back(*dtype);
  return PushNode({.kind = PickleKind::kDtype, .first = dtypes_.size() - 1});
}

Status PickleReader::Build() {
  SHARDINE_RETURN_IF_ERROR(Need(2));
  const Node state = node(Pop());
  const NodeId target = stack_.back();
  if (state.kind == PickleKind::kTuple) {
    if (node(target).kind == PickleKind::kDtype) {
      return BuildDtype(node(target), state);
    }
    if (node(target).kind == PickleKind::kShell) {
      return BuildArray(target, state);
    }
  }
  return Unsupported("BUILD of " + PickleKindWithArticle(node(target).kind) +
                     "; of objects only NumPy arrays are read");
}

// The state is (version, byte order, subdtype, names, fields, ...).
Status PickleReader::BuildDtype(const Node& dtype, const Node& state) {
  if (state.count < 5 || !IsText(Part(state, 1))) {
    return Corrupt("a NumPy dtype with a state that is none");
  }
  for (const std::size_t i : {2U, 3U, 4U}) {
    if (Part(state, i).kind != PickleKind::kNone) {
      return Unsupported("a NumPy dtype of several fields");
    }
  }
  const std::string_view order = TextOf(Part(state, 1));
  NumpyDtype& built = dtypes_[static_cast<std::size_t>(dtype.first)];
  if (order.size() != 1 || (order != "<" && order != ">" && order != "|") ||
      (built.order == '|') != (order == "|")) {
    return Corrupt("a NumPy dtype of no byte order that fits it");
  }
  built.order = order[0];
  return {};
}

// The state is (version, shape, dtype, Fortran order, data).
Status PickleReader::BuildArray(NodeId shell, const Node& state) {
  // PickleKind has None, bool and int first: the order is one of them, and None
  // counts as C order.
  if (state.count != 5 || Part(state, 3).kind > PickleKind::kInt) {
    return Corrupt("a NumPy array with a state that is none");
  }
  const bool fortran = Part(state, 3).first != 0;
  SHARDINE_RETURN_IF_ERROR(
      MakeArray(Part(state, 2), Part(state, 1), Part(state, 4), fortran));
  const NodeId array = Pop();
  // The memo, a tuple or a list may hold the shell already, so it becomes the
  // array in its place.
  nodes_[shell] = node(array);
  return {};
}

// The call is _frombuffer(data, dtype, shape, order).
Status PickleReader::ReduceFromBuffer(const Node& arguments) {
  if (arguments.count != 4 || !IsText(Part(arguments, 3))) {
    return Corrupt("a NumPy array from a buffer without its order");
  }
  const std::string_view order = TextOf(Part(arguments, 3));
  if (order != "C" && order != "F") {
    return Corrupt("a NumPy array in neither C nor Fortran order");
  }
  return MakeArray(Part(arguments, 1), Part(arguments, 2), Part(arguments, 0),
                   order == "F");
}

Status PickleReader::MakeArray(const Node& dtype, const Node& shape,
                               const Node& data, bool fortran) {
  if (dtype.kind != PickleKind::kDtype || shape.kind != PickleKind::kTuple) {
    return Corrupt("a NumPy array without a dtype or a shape");
  }
  if (data.kind != PickleKind::kBytes) {
    return Unsupported("a NumPy array with its data in " +
                       PickleKindWithArticle(data.kind));
  }
  const NumpyDtype& type = dtypes_[static_cast<std::size_t>(dtype.first)];
  SHARDINE_ASSIGN_OR_RETURN(std::vector<std::uint64_t> dimensions,
                            ShapeOf(shape));
  return Push(AddArray(type, std::move(dimensions), BytesOf(data), fortran));
}

// The call is scalar(dtype, data), as NumPy pickles its numbers.
Status PickleReader::ReduceScalar(const Node& arguments) {
  if (arguments.count != 2 || Part(arguments, 0).kind != PickleKind::kDtype ||
      Part(arguments, 1).kind != PickleKind::kBytes) {
    return Corrupt("a NumPy scalar without a dtype or bytes");
  }
  const auto dtype = static_cast<std::size_t>(Part(arguments, 0).first);
  return Push(AddScalar(dtypes_[dtype], BytesOf(Part(arguments, 1)).bytes));
}

Status PickleReader::PushOwned(PickleKind kind, ByteBuffer bytes) {
  return Push(AddOwned(kind, std::move(bytes)));
}

// The call is encode(text, 'latin1'), as Python 3 writes bytes in protocol 2.
Status PickleReader::ReduceEncode(const Node& arguments) {
  if (arguments.count != 2 || Part(arguments, 0).kind != PickleKind::kText ||
      !IsText(Part(arguments, 1)) || TextOf(Part(arguments, 1)) != "latin1") {
    return Unsupported("a call of _codecs.encode that makes no bytes");
  }
  const std::string_view text = TextOf(Part(arguments, 0));
  SHARDINE_RETURN_IF_ERROR(ChargeCopy(text.size()));
  ByteBuffer bytes;
  bytes.Resize(text.size());
  std::size_t size = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned letter = static_cast<unsigned char>(text[i]);
    if (letter >= 0x80) {
      const bool two = (letter == 0xc2 || letter == 0xc3) &&
                       i + 1 < text.size() && (text[i + 1] & 0xc0) == 0x80;
      if (!two) return Corrupt("text that is not Latin-1");
      letter = (letter & 3U) << 6 | (static_cast<unsigned>(text[++i]) & 0x3fU);
    }
    bytes.data()[size++] = static_cast<std::byte>(letter);
  }
  bytes.Resize(size);
  return PushOwned(PickleKind::kBytes, std::move(bytes));
}

}  // namespace shardine
