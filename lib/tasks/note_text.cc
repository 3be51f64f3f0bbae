#include "tasks/note_text.h"

#include <nlohmann/json.hpp>

#include "base/json_tree.h"
#include "base/sealed_text.h"
#include "shardine/escape.h"
#include "tasks/task_note.h"

namespace shardine {
namespace {

using nlohmann::json;

constexpr std::string_view kMagic = "shardine note 1\n";

json FileJson(const ManifestFile& file) {
  return {{"bytes", file.bytes},
          {"digest", file.digest.ToHex()},
          {"path", EscapeBytes(file.path)}};
}

json VariantJson(const NotedVariant& variant) {
  json companions = json::array();
  for (const ManifestFile& file : variant.shard.companions) {
    companions.push_back(FileJson(file));
  }
  json fields = json::object();
  for (const auto& [name, samples] : variant.counts.fields.counts()) {
    fields[EscapeBytes(name)] = samples;
  }
  json text = {{"bindings", variant.binding_digest.ToHex()},
               {"companions", std::move(companions)},
               {"contents", variant.content_digest.ToHex()},
               {"deep", variant.counts.deep},
               {"fields", std::move(fields)},
               {"file", FileJson(variant.shard.file)},
               {"image_bytes", variant.image_bytes},
               {"images", variant.counts.images},
               {"names", variant.names_digest.ToHex()},
               {"order", variant.order_digest.ToHex()},
               {"part", variant.shard.plan_digest.ToHex()},
               {"points", json::array({variant.entry_points.images,
                                       variant.entry_points.damaged})},
               {"samples", variant.shard.samples},
               {"unlabelled", variant.counts.unlabelled}};
  if (variant.counts.others > 0) text["others"] = variant.counts.others;
  for (const auto& [kind, count] : variant.counts.unsupported) {
    text["unsupported"][kind] = count;
  }
  return text;
}

// Members of one JSON object, each taken once; anything else is wrong.
class Members {
 public:
  explicit Members(const json& value) : value_(value) {
    ok_ = value.is_object();
  }

  bool has(const char* name) const { return ok_ && value_.contains(name); }
  // All members were taken, and each had a valid value.
  bool done() const { return ok_ && value_.size() == taken_; }

  void Get(const char* name, std::uint64_t& number) {
    const json* const member = Take(name);
    ok_ = ok_ && member->is_number_unsigned();
    if (ok_) number = member->get<std::uint64_t>();
  }
  void Get(const char* name, std::string& text) {
    const json* const member = Take(name);
    ok_ = ok_ && member->is_string();
    if (!ok_) return;
    auto plain = UnescapeBytes(member->get_ref<const std::string&>());
    ok_ = plain.has_value();
    if (ok_) text = *std::move(plain);
  }
  void Get(const char* name, Digest128& digest) {
    std::string text;
    Get(name, text);
    const auto value = Digest128::FromHex(text);
    ok_ = ok_ && value.has_value();
    if (ok_) digest = *value;
  }
  template <typename E>
  void Choice(const char* name, E last, E& value) {
    std::uint64_t number = 0;
    Get(name, number);
    ok_ = ok_ && number <= static_cast<std::uint64_t>(last);
    if (ok_) value = static_cast<E>(number);
  }
  // `get` returns whether the member is valid.
  template <typename Get>
  void With(const char* name, const Get& get) {
    const json* const member = Take(name);
    ok_ = ok_ && get(*member);
  }
  // `each` returns whether an element is valid.
  template <typename Each>
  void ForEach(const char* name, const Each& each) {
    const json* const member = Take(name);
    ok_ = ok_ && member->is_array();
    for (std::size_t i = 0; ok_ && i < member->size(); ++i) {
      ok_ = each((*member)[i]);
    }
  }

 private:
  // REQUIRES of callers: looked at while ok_ only.
  const json* Take(const char* name) {
    if (!ok_) return nullptr;
    const auto found = value_.find(name);
    ok_ = found != value_.end();
    ++taken_;
    return ok_ ? &*found : nullptr;
  }

  const json& value_;
  std::size_t taken_ = 0;
  bool ok_ = true;
};

bool GetPair(const json& value, std::uint64_t& first, std::uint64_t& second) {
  if (!value.is_array() || value.size() != 2) return false;
  if (!value[0].is_number_unsigned() || !value[1].is_number_unsigned()) {
    return false;
  }
  first = value[0].get<std::uint64_t>();
  second = value[1].get<std::uint64_t>();
  return true;
}

// JSON has its members by name.
bool GetKinds(const json& value, std::vector<ManifestKind>& kinds) {
  if (!value.is_object()) return false;
  for (const auto& [kind, count] : value.items()) {
    if (!count.is_number_unsigned()) return false;
    kinds.push_back({kind, count.get<std::uint64_t>()});
  }
  return true;
}

bool GetFile(const json& value, ManifestFile& file) {
  Members members(value);
  members.Get("bytes", file.bytes);
  members.Get("digest", file.digest);
  members.Get("path", file.path);
  return members.done();
}

bool GetFields(const json& value, FieldCounts& fields) {
  if (!value.is_object() || value.size() > kMostCountedFields) return false;
  for (const auto& [name, samples] : value.items()) {
    const auto plain = UnescapeBytes(name);
    if (!plain || !samples.is_number_unsigned()) return false;
    fields.Add(*plain, samples.get<std::uint64_t>());
  }
  return fields.counts().size() == value.size();
}

bool GetVariant(const json& value, NotedVariant& variant) {
  Members members(value);
  members.Get("bindings", variant.binding_digest);
  members.ForEach("companions", [&](const json& file) {
    return GetFile(file, variant.shard.companions.emplace_back());
  });
  members.Get("contents", variant.content_digest);
  members.Get("deep", variant.counts.deep);
  members.With("fields", [&](const json& fields) {
    return GetFields(fields, variant.counts.fields);
  });
  members.With("file", [&](const json& file) {
    return GetFile(file, variant.shard.file);
  });
  members.Get("image_bytes", variant.image_bytes);
  members.Get("images", variant.counts.images);
  members.Get("names", variant.names_digest);
  members.Get("order", variant.order_digest);
  // Notes of older programs have none.
  if (members.has("others")) members.Get("others", variant.counts.others);
  members.Get("part", variant.shard.plan_digest);
  members.With("points", [&](const json& points) {
    return GetPair(points, variant.entry_points.images,
                   variant.entry_points.damaged);
  });
  members.Get("samples", variant.shard.samples);
  members.Get("unlabelled", variant.counts.unlabelled);
  if (members.has("unsupported")) {
    members.With("unsupported", [&](const json& kinds) {
      return GetKinds(kinds, variant.counts.unsupported);
    });
  }
  return members.done();
}

bool GetNote(const json& value, TaskNote& note) {
  Members members(value);
  members.Choice("check", ImageCheckLevel::kDecode, note.judged.check);
  if (members.has("kinds")) {
    members.ForEach("kinds", [&](const json& kind) {
      if (!kind.is_string()) return false;
      note.judged.kinds.push_back(kind.get<std::string>());
      return true;
    });
  }
  members.Get("facts", note.facts);
  members.ForEach("left_out", [&](const json& offset) {
    if (!offset.is_number_unsigned()) return false;
    note.left_out.push_back(offset.get<std::uint64_t>());
    return true;
  });
  members.Choice("on_bad", OnBad::kKeep, note.judged.on_bad);
  members.Get("part", note.part);
  members.Get("plan", note.plan_digest);
  members.Get("rejects", note.rejects);
  members.Get("rejects_digest", note.rejects_digest);
  members.Get("shard", note.shard);
  members.ForEach("sizes", [&](const json& counts) {
    SizeCounts& size = note.sizes.emplace_back();
    return GetPair(counts, size.upscaled, size.kept);
  });
  members.Get("source_digest", note.source_digest);
  members.ForEach("variants", [&](const json& variant) {
    return GetVariant(variant, note.variants.emplace_back());
  });
  return members.done();
}

}  // namespace

std::string TaskNoteText(const TaskNote& note) {
  json sizes = json::array();
  for (const SizeCounts& counts : note.sizes) {
    sizes.push_back(json::array({counts.upscaled, counts.kept}));
  }
  json variants = json::array();
  for (const NotedVariant& variant : note.variants) {
    variants.push_back(VariantJson(variant));
  }
  json root = {{"check", static_cast<int>(note.judged.check)},
               {"facts", note.facts.ToHex()},
               {"left_out", note.left_out},
               {"on_bad", static_cast<int>(note.judged.on_bad)},
               {"part", note.part.ToHex()},
               {"plan", note.plan_digest.ToHex()},
               {"rejects", note.rejects},
               {"rejects_digest", note.rejects_digest.ToHex()},
               {"shard", EscapeBytes(note.shard)},
               {"sizes", std::move(sizes)},
               {"source_digest", note.source_digest.ToHex()},
               {"variants", std::move(variants)}};
  if (!note.judged.kinds.empty()) root["kinds"] = note.judged.kinds;
  return SealText(std::string(kMagic) + root.dump() + "\n");
}

std::optional<TaskNote> ParseTaskNote(std::string_view text) {
  const auto body = UnsealText(text, kMagic);
  if (!body || !JsonTreeFits(*body)) return std::nullopt;
  TaskNote note;
  const json root = json::parse(*body, nullptr, false);
  if (!GetNote(root, note)) return std::nullopt;
  return note;
}

}  // namespace shardine
