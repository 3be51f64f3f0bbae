#include "lmdb/key_form.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "lmdb/bare_image.h"
#include "lmdb/value_codec.h"

namespace shardine {
namespace {

constexpr std::size_t kLookedAt = 64;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsLetter(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
         byte >= 0x80;
}

// A run of digits becomes "0" and, unless letters count, one of letters "a".
std::string FormOf(std::string_view key, bool letters_count) {
  std::string form;
  char run = '\0';
  for (const char c : key) {
    const bool letter = !letters_count && IsLetter(c);
    const char kind = IsDigit(c) ? '0' : letter ? 'a' : '\0';
    if (kind == '\0') {
      form += c;
    } else if (kind != run) {
      form += kind;
    }
    run = kind;
  }
  return form;
}

struct Candidate {
  std::string form;
  LmdbPlace first = 0;
  std::size_t keys = 0;
};

struct Key {
  std::string text;
  LmdbPlace place = 0;
};

// The forms that the most keys have, and at least two.
std::vector<Candidate> MostFrequent(const std::vector<Key>& keys,
                                    bool letters_count) {
  std::vector<Candidate> forms;
  std::size_t most = 2;
  for (const Key& key : keys) {
    std::string form = FormOf(key.text, letters_count);
    auto known = std::ranges::find(forms, form, &Candidate::form);
    if (known == forms.end()) {
      known = forms.insert(known, {std::move(form), key.place});
    }
    most = std::max(most, ++known->keys);
  }
  std::erase_if(forms, [&](const Candidate& c) { return c.keys < most; });
  return forms;
}

Result<std::vector<Key>> FirstKeys(LmdbReader& reader) {
  std::vector<Key> keys;
  SHARDINE_ASSIGN_OR_RETURN(auto entry, reader.First());
  while (entry && keys.size() < kLookedAt) {
    const std::string_view key = AsText(entry->key);
    if (!IsListEntry(key) && !IsCountEntry(key)) {
      keys.push_back({std::string(key), entry->place});
    }
    SHARDINE_ASSIGN_OR_RETURN(entry, reader.After(entry->place));
  }
  return keys;
}

Result<bool> IsBareImageAt(LmdbReader& reader, LmdbPlace place) {
  SHARDINE_ASSIGN_OR_RETURN(const LmdbEntry entry, reader.At(place));
  SHARDINE_ASSIGN_OR_RETURN(const ByteView value, reader.Value(entry));
  return IsBareImage(value);
}

}  // namespace

Result<KeyForm> KeyForm::Find(LmdbReader& reader) {
  SHARDINE_ASSIGN_OR_RETURN(const std::vector<Key> keys, FirstKeys(reader));
  KeyForm found;
  auto forms = MostFrequent(keys, true);
  found.letters_count_ = !forms.empty();
  if (forms.empty()) forms = MostFrequent(keys, false);
  for (const Candidate& candidate : forms) {
    SHARDINE_ASSIGN_OR_RETURN(const bool bare,
                              IsBareImageAt(reader, candidate.first));
    if (found.found() && !bare) continue;
    found.form_ = candidate.form;
    found.first_ = candidate.first;
    found.bare_ = bare;
    if (bare) break;
  }
  return found;
}

bool KeyForm::IsOther(std::string_view key) const {
  return found() && FormOf(key, letters_count_) != form_;
}

}  // namespace shardine
