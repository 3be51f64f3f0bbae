#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "base/status_macros.h"
#include "shardine/escape.h"
#include "shardine/source.h"
#include "source/pair_pattern.h"
#include "source/split_name.h"

namespace shardine {
namespace {

Status Invalid(std::string_view what, std::string_view reason) {
  return Status(Code::kInvalidArgument,
                "\"" + EscapeBytes(what) + "\": " + std::string(reason));
}

// Cuts NAME=REST; false if `text` does not begin with a split's name and `=`.
// A folder may have `=` in its name. It is told from a split by the slash that
// some part before the `=` has: "./a=b" is a folder.
bool CutName(std::string_view text, std::string_view& name,
             std::string_view& rest) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return false;
  name = text.substr(0, equals);
  rest = text.substr(equals + 1);
  return IsSplitName(name);
}

template <typename T>
bool HasName(const std::vector<T>& list, std::string T::*name,
             std::string_view wanted) {
  return std::any_of(list.begin(), list.end(),
                     [&](const T& item) { return item.*name == wanted; });
}

Result<double> ParseShare(std::string_view text) {
  double share = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] =
      std::from_chars(text.data(), end, share, std::chars_format::fixed);
  // The comparison stands like this because from_chars reads "nan", too.
  if (error != std::errc() || stop != end || !(share > 0 && share <= 1)) {
    return Invalid(text, "a share is a decimal number in (0, 1]");
  }
  return share;
}

// Reads "NAME=FILES,...".
Status ReadFileFields(std::string_view text, const std::string& form,
                      std::vector<FileField>& fields) {
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    std::string_view name;
    std::string_view files;
    if (!CutName(item, name, files) || files.empty()) {
      return Invalid(text, "write " + form);
    }
    if (HasName(fields, &FileField::name, name)) {
      return Invalid(item, "this field was given before");
    }
    if (files.find('\0') != files.npos) return Invalid(item, "a NUL byte");
    fields.push_back({std::string(name), std::string(files)});
    if (comma == rest.npos) return Status();
    rest.remove_prefix(comma + 1);
  }
}

// Reads [SPLIT=]KIND:PATH; nullopt: it is none.
std::optional<AnnotationSource> CutAnnotations(std::string_view item) {
  AnnotationSource source;
  std::string_view name;
  std::string_view rest = item;
  if (CutName(item, name, rest)) {
    source.split = name;
  } else {
    rest = item;
  }
  const std::size_t colon = rest.find(':');
  if (colon == rest.npos || colon == 0) return std::nullopt;
  source.kind = rest.substr(0, colon);
  source.path = rest.substr(colon + 1);
  const bool is_word = std::ranges::all_of(source.kind, [](char c) {
    return (c >= 'a' && c <= 'z') || c == '-' || (c >= '0' && c <= '9');
  });
  // "s3://bucket" goes on with the path before it.
  if (!is_word || source.path.starts_with("//")) return std::nullopt;
  return source;
}

Status CheckAnnotationKind(std::string_view kind) {
  if (kind == "coco" || kind == "voc" || kind == "yolo") return Status();
  return Invalid(kind,
                 "annotations of this kind are not read; kinds: coco, voc, "
                 "yolo. datumaro or panlabel converts others to COCO first");
}

}  // namespace

Result<std::vector<SourceOptions::Folder>> ParseSourceArguments(
    const std::vector<std::string>& arguments) {
  using Folder = SourceOptions::Folder;
  std::vector<Folder> folders;
  for (const std::string& argument : arguments) {
    std::string_view name;
    std::string_view path;
    if (!CutName(argument, name, path)) {
      if (argument.empty()) return Invalid(argument, "no folder");
      if (arguments.size() == 1) {
        return std::vector<Folder>{{"train", argument}};
      }
      return Invalid(argument,
                     "several sources are given as train=DIR val=DIR");
    }
    if (path.empty()) return Invalid(argument, "no folder after the =");
    if (HasName(folders, &Folder::split, name)) {
      return Invalid(argument, "this split was given before");
    }
    folders.push_back({std::string(name), std::string(path)});
  }
  if (folders.empty()) return Status(Code::kInvalidArgument, "no source");
  return folders;
}

Result<std::vector<SourceOptions::SplitShare>> ParseSplitShares(
    std::string_view text) {
  using SplitShare = SourceOptions::SplitShare;
  std::vector<SplitShare> shares;
  double sum = 0;
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    std::string_view name;
    std::string_view number;
    if (!CutName(item, name, number)) {
      return Invalid(text, "write train=0.9,val=0.1");
    }
    if (HasName(shares, &SplitShare::name, name)) {
      return Invalid(item, "this split was given before");
    }
    SHARDINE_ASSIGN_OR_RETURN(const double share, ParseShare(number));
    shares.push_back({std::string(name), share});
    sum += share;
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  // Shares such as ten times 0.1 do not sum to 1 exactly in binary. They count
  // to nine decimals (source/split.h), and so does this sum.
  if (std::abs(sum - 1) > 1e-9) {
    return Invalid(text, "the shares do not sum to 1");
  }
  return shares;
}

Result<StemFields> ParseStemFields(std::string_view text) {
  StemFields fields;
  fields.is_auto = text == "auto";
  if (fields.is_auto) return fields;
  SHARDINE_RETURN_IF_ERROR(ReadFileFields(
      text, "caption=.txt,mask=_mask.png, or auto", fields.fields));
  for (const FileField& field : fields.fields) {
    const char first = field.files.front();
    if ((first != '.' && first != '_' && first != '-') ||
        field.files.find('/') != field.files.npos) {
      return Invalid(field.files,
                     "a suffix begins with . _ or -, and has no folder");
    }
  }
  return fields;
}

Result<std::vector<FileField>> ParsePairs(std::string_view text) {
  std::vector<FileField> pairs;
  SHARDINE_RETURN_IF_ERROR(
      ReadFileFields(text, "mask=masks/{stem}.png", pairs));
  for (const FileField& pair : pairs) {
    SHARDINE_RETURN_IF_ERROR(PairPattern::Parse(pair.files).status());
  }
  return pairs;
}

std::string PairsText(const std::vector<FileField>& pairs) {
  std::string text;
  for (const FileField& pair : pairs) {
    text += (text.empty() ? "" : ",") + pair.name + "=" + pair.files;
  }
  return text;
}

Result<std::vector<AnnotationSource>> ParseAnnotations(std::string_view text) {
  std::vector<AnnotationSource> sources;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view item = rest.substr(0, comma);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    const auto source = CutAnnotations(item);
    if (!source) {
      // A comma of a path.
      if (sources.empty()) break;
      sources.back().path += "," + std::string(item);
      continue;
    }
    SHARDINE_RETURN_IF_ERROR(CheckAnnotationKind(source->kind));
    sources.push_back(*source);
  }
  for (const AnnotationSource& source : sources) {
    if (source.path.empty()) return Invalid(text, "a path is missing");
  }
  if (sources.empty()) {
    return Invalid(text, "write coco:instances.json, or train=coco:a.json");
  }
  return sources;
}

std::string AnnotationsText(const std::vector<AnnotationSource>& annotations) {
  std::string text;
  for (const AnnotationSource& source : annotations) {
    if (!text.empty()) text += ',';
    if (!source.split.empty()) text += source.split + "=";
    text += source.kind + ":" + source.path;
  }
  return text;
}

std::string StemFieldsText(const StemFields& fields) {
  return fields.is_auto ? "auto" : PairsText(fields.fields);
}

}  // namespace shardine
