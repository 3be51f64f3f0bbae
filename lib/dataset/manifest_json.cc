#include "dataset/manifest_json.h"

#include <charconv>
#include <concepts>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

constexpr std::uint64_t kSchema = 1;

// Members of the top object that follow from the others.
struct Derived {
  Digest128 classes_digest;
  Digest128 content_digest;
  Digest128 names_digest;
  Digest128 order_digest;
  std::uint64_t samples = 0;
  std::uint64_t schema = kSchema;
};

// Printer and Scanner are two ways to go through one description of the
// layout, the Describe functions below; so what is written can be read. Each
// step returns false when there is no point in going on.
class Printer {
 public:
  template <typename T>
  using Of = const T;

  std::string Take() && { return std::move(text_); }

  bool Value(const std::string& value) {
    text_ += '"';
    for (const char c : EscapeBytes(value)) {
      if (c == '"' || c == '\\') text_ += '\\';
      text_ += c;
    }
    text_ += '"';
    return true;
  }
  bool Value(const Digest128& value) {
    text_ += '"' + value.ToHex() + '"';
    return true;
  }
  template <std::integral T>
  bool Value(const T& value) {
    text_ += std::to_string(value);
    return true;
  }
  template <typename T>
  bool Value(const std::vector<T>& list) {
    text_ += '[';
    ++depth_;
    for (const T& element : list) {
      if (&element != list.data()) text_ += ',';
      NewLine();
      Value(element);
    }
    --depth_;
    if (!list.empty()) NewLine();
    text_ += ']';
    return true;
  }
  template <typename T>
  bool Value(const T& object) {
    Open();
    Describe(*this, object);
    --depth_;
    NewLine();
    text_ += '}';
    return true;
  }

  void Open() {
    text_ += '{';
    ++depth_;
    first_ = true;
  }
  template <typename T>
  bool Member(std::string_view name, const T& value) {
    if (!std::exchange(first_, false)) text_ += ',';
    NewLine();
    text_ += '"';
    text_ += name;
    text_ += "\": ";
    return Value(value);
  }
  bool End() {
    text_ += ",\n";
    return true;
  }

 private:
  void NewLine() { text_.append(1, '\n').append(depth_, ' '); }

  std::string text_;
  std::size_t depth_ = 0;
  bool first_ = false;  // no member of the current object yet
};

class Scanner {
 public:
  template <typename T>
  using Of = T;

  explicit Scanner(std::string_view text) : text_(text) {}

  Status failure() const {
    return Status(Code::kCorrupt, "manifest: expected " + wanted_)
        .At({.offset = at_});
  }

  bool Value(std::string& value);
  bool Value(Digest128& value);
  template <std::integral T>
  bool Value(T& value) {
    const char* begin = text_.data() + at_;
    const auto [end, error] =
        std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc()) return Want("a whole number in range");
    at_ += static_cast<std::size_t>(end - begin);
    return true;
  }
  template <typename T>
  bool Value(std::vector<T>& list) {
    if (!Expect("[")) return false;
    if (Accept("]")) return true;
    ++depth_;
    do {
      if (!NewLine() || !Value(list.emplace_back())) return false;
    } while (Accept(","));
    --depth_;
    return NewLine() && Expect("]");
  }
  template <typename T>
  bool Value(T& object) {
    if (!Open() || !Describe(*this, object)) return false;
    --depth_;
    return NewLine() && Expect("}");
  }

  bool Open() {
    ++depth_;
    first_ = true;
    return Expect("{");
  }
  template <typename T>
  bool Member(std::string_view name, T& value) {
    if (!std::exchange(first_, false) && !Expect(",")) return false;
    return NewLine() && Expect("\"") && Expect(name) && Expect("\": ") &&
           Value(value);
  }
  bool End() {
    if (!Expect(",") || !Expect("\n")) return false;
    return at_ == text_.size() || Want("the line with the digest");
  }

 private:
  bool Want(std::string_view what) {
    wanted_ = what;
    return false;
  }
  bool Accept(std::string_view token) {
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  bool Expect(std::string_view token) {
    if (Accept(token)) return true;
    return Want(token == "\n" ? "a new line" : token);
  }
  bool NewLine() {
    if (!Expect("\n")) return false;
    if (text_.find_first_not_of(' ', at_) != at_ + depth_) {
      return Want(std::to_string(depth_) + " spaces");
    }
    at_ += depth_;
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  bool first_ = false;  // no member of the current object yet
  std::string wanted_;
};

bool Scanner::Value(std::string& value) {
  if (!Expect("\"")) return false;
  std::string escaped;
  while (!Accept("\"")) {
    const bool backslash = Accept("\\");
    const char c = at_ < text_.size() ? text_[at_] : '\n';
    if (c == '\n' || (backslash && c != '"' && c != '\\')) {
      return Want("the rest of a text");
    }
    escaped += c;
    ++at_;
  }
  std::optional<std::string> bytes = UnescapeBytes(escaped);
  if (!bytes) return Want("a text whose backslashes start \\xHH");
  value = *std::move(bytes);
  return true;
}

bool Scanner::Value(Digest128& value) {
  if (!Expect("\"")) return false;
  const auto digest = Digest128::FromHex(text_.substr(at_, 32));
  if (!digest) return Want("32 lower-case hex digits");
  value = *digest;
  at_ += 32;
  return Expect("\"");
}

template <typename Io>
bool Describe(Io& io, typename Io::template Of<ClassInfo>& info) {
  return io.Member("count", info.count) && io.Member("label", info.label) &&
         io.Member("name", info.name);
}

template <typename Io>
bool Describe(Io& io, typename Io::template Of<ManifestFile>& file) {
  return io.Member("bytes", file.bytes) && io.Member("digest", file.digest) &&
         io.Member("path", file.path);
}

template <typename Io>
bool Describe(Io& io, typename Io::template Of<ManifestShard>& shard) {
  return io.Member("bytes", shard.file.bytes) &&
         io.Member("companions", shard.companions) &&
         io.Member("digest", shard.file.digest) &&
         io.Member("path", shard.file.path) &&
         io.Member("samples", shard.samples);
}

template <typename Io>
bool Describe(Io& io, typename Io::template Of<ManifestSplit>& split) {
  return io.Member("content_digest", split.content_digest) &&
         io.Member("name", split.name) &&
         io.Member("names_digest", split.names_digest) &&
         io.Member("order_digest", split.order_digest) &&
         io.Member("samples", split.samples) &&
         io.Member("shards", split.shards);
}

template <typename Io>
bool Describe(Io& io, typename Io::template Of<ManifestVariant>& variant) {
  return io.Member("filter", variant.filter) &&
         io.Member("name", variant.name) &&
         io.Member("parent_digest", variant.parent_digest) &&
         io.Member("quality", variant.quality) &&
         io.Member("short_side", variant.short_side);
}

template <typename Io>
bool Describe(Io& io, typename Io::template Of<ManifestChild>& child) {
  return io.Member("content_digest", child.content_digest) &&
         io.Member("path", child.path);
}

template <typename Io>
bool Describe(Io& io, typename Io::template Of<ManifestRejected>& rejected) {
  return io.Member("action", rejected.action) &&
         io.Member("count", rejected.count) &&
         io.Member("reason", rejected.reason);
}

template <typename Io>
bool DescribeAll(Io& io, typename Io::template Of<Manifest>& manifest,
                 typename Io::template Of<Derived>& derived) {
  return io.Member("classes", manifest.classes) &&
         io.Member("classes_digest", derived.classes_digest) &&
         io.Member("codec_versions", manifest.codec_versions) &&
         io.Member("content_digest", derived.content_digest) &&
         io.Member("files", manifest.files) &&
         io.Member("format", manifest.format) &&
         io.Member("names_digest", derived.names_digest) &&
         io.Member("order_digest", derived.order_digest) &&
         io.Member("plan_digest", manifest.plan_digest) &&
         io.Member("rejected", manifest.rejected) &&
         io.Member("samples", derived.samples) &&
         io.Member("schema", derived.schema) &&
         io.Member("splits", manifest.splits) &&
         io.Member("tool_version", manifest.tool_version) &&
         io.Member("variant", manifest.variant) &&
         io.Member("variants", manifest.variants) && io.End();
}

Derived Derive(const Manifest& manifest) {
  return {.classes_digest = ClassMapDigest(manifest.classes),
          .content_digest = manifest.content_digest(),
          .names_digest = manifest.names_digest(),
          .order_digest = manifest.order_digest(),
          .samples = manifest.samples()};
}

Status CheckDerived(const Derived& stated, const Derived& derived) {
  const char* wrong = nullptr;
  if (stated.classes_digest != derived.classes_digest) {
    wrong = "classes_digest";
  } else if (stated.content_digest != derived.content_digest) {
    wrong = "content_digest";
  } else if (stated.names_digest != derived.names_digest) {
    wrong = "names_digest";
  } else if (stated.order_digest != derived.order_digest) {
    wrong = "order_digest";
  } else if (stated.samples != derived.samples) {
    wrong = "samples";
  }
  if (wrong == nullptr) return {};
  return Status(Code::kCorrupt, std::string("manifest: ") + wrong +
                                    " is not what the rest adds up to");
}

// Before all else, since a newer schema may have other members. No text holds
// a newline, so this finds the member of the top object only.
Status CheckSchema(std::string_view text) {
  constexpr std::string_view kMember = "\n \"schema\": ";
  const std::size_t at = text.find(kMember);
  if (at == text.npos) {
    return Status(Code::kCorrupt, "manifest: has no member \"schema\"");
  }
  Scanner scanner(text.substr(at + kMember.size()));
  std::uint64_t schema = 0;
  if (!scanner.Value(schema)) {
    return Status(Code::kCorrupt, "manifest: schema is not a whole number");
  }
  if (schema == kSchema) return {};
  return Status(Code::kUnsupported,
                "manifest: schema " + std::to_string(schema) +
                    " is not the one that this program reads, " +
                    std::to_string(kSchema));
}

}  // namespace

std::string PrintManifestMembers(const Manifest& manifest) {
  Printer printer;
  printer.Open();
  DescribeAll(printer, manifest, Derive(manifest));
  return std::move(printer).Take();
}

Result<Manifest> ScanManifestMembers(std::string_view text) {
  SHARDINE_RETURN_IF_ERROR(CheckSchema(text));
  Scanner scanner(text);
  Manifest manifest;
  Derived stated;
  if (!scanner.Open() || !DescribeAll(scanner, manifest, stated)) {
    return scanner.failure();
  }
  SHARDINE_RETURN_IF_ERROR(CheckDerived(stated, Derive(manifest)));
  return manifest;
}

}  // namespace shardine
