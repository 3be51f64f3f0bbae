#include "shard/content_digest.h"

#include <array>

namespace shardine {
namespace {

// Gathers the many small values in front of a payload, so that the hash sees
// one small piece, then the payload itself.
class DigestInput {
 public:
  template <Scalar T>
  void Add(T value) {
    std::byte raw[sizeof(T)];
    StoreLe(value, raw);
    AddBytes(raw);
  }
  void AddString(std::string_view text) {
    Add(static_cast<std::uint32_t>(text.size()));
    AddBytes(AsBytes(text));
  }
  void AddBytes(ByteView bytes) {
    if (bytes.size() > buffer_.size() - used_) {
      Flush();
      if (bytes.size() > buffer_.size()) return stream_.Update(bytes);
    }
    if (bytes.empty()) return;
    std::memcpy(buffer_.data() + used_, bytes.data(), bytes.size());
    used_ += bytes.size();
  }
  Digest128 Finish() {
    Flush();
    return stream_.Digest();
  }

 private:
  void Flush() {
    stream_.Update(ByteView(buffer_.data(), used_));
    used_ = 0;
  }

  Xxh3Stream stream_;
  std::array<std::byte, 256> buffer_;
  std::size_t used_ = 0;
};

void AddLabel(const Label& label, DigestInput& input) {
  if (label.is_integer()) {
    input.Add('i');
    input.Add(label.integer());
  } else {
    input.Add('f');
    input.Add(label.real());
  }
}

void AddField(const FieldView& field, DigestInput& input) {
  input.AddString(field.name);
  input.AddString(field.dtype);
  input.Add(static_cast<std::uint32_t>(field.shape.size()));
  for (const std::uint64_t dim : field.shape) input.Add(dim);
  input.Add(static_cast<std::uint64_t>(field.bytes.size()));
  input.AddBytes(field.bytes);
}

}  // namespace

Digest128 ContentDigest(std::span<const Label> labels,
                        std::span<const FieldView> fields) {
  DigestInput input;
  input.Add(static_cast<std::uint32_t>(labels.size()));
  for (const Label& label : labels) AddLabel(label, input);
  input.Add(static_cast<std::uint32_t>(fields.size()));
  for (const FieldView& field : fields) AddField(field, input);
  return input.Finish();
}

Digest128 NameDigest(std::uint64_t id, std::string_view split,
                     std::string_view key) {
  DigestInput input;
  input.Add(id);
  input.AddString(split);
  input.AddString(key);
  return input.Finish();
}

Digest128 BindingDigest(std::uint64_t id, std::string_view split,
                        std::string_view key, const Digest128& content) {
  DigestInput input;
  input.Add(id);
  input.AddString(split);
  input.AddString(key);
  input.Add(content.low);
  input.Add(content.high);
  return input.Finish();
}

}  // namespace shardine
