#include "tfrecord/example_writer.h"

#include <google/protobuf/arena.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <bit>

#include "tfrecord/example.pb.h"

namespace shardine {
namespace {

using example_proto::Features;
using google::protobuf::io::CodedOutputStream;

// These are the tags of field 1 with a length, as every message of an Example
// begins; and field 2, the value of a map entry.
constexpr char kFirst = 0x0a;
constexpr char kSecond = 0x12;

std::uint64_t VarintSize(std::uint64_t value) {
  return (static_cast<std::uint64_t>(std::bit_width(value | 1)) + 6) / 7;
}

// The bytes of a field: its tag, its length and its contents.
std::uint64_t FieldSize(std::uint64_t length) {
  return 1 + VarintSize(length) + length;
}

void AppendHead(char tag, std::uint64_t length, std::string& to) {
  to += tag;
  while (length >= 0x80) {
    to += static_cast<char>((length & 0x7f) | 0x80);
    length >>= 7;
  }
  to += static_cast<char>(length);
}

}  // namespace

// The messages live in an arena, since a record has a dozen small ones.
struct ExampleWriter::Small {
  google::protobuf::Arena arena;
  Features* features = nullptr;

  example_proto::Feature& New(std::string_view name) {
    return (*features->mutable_feature())[std::string(name)];
  }
};

ExampleWriter::ExampleWriter() : small_(std::make_unique<Small>()) { Clear(); }
ExampleWriter::~ExampleWriter() = default;

void ExampleWriter::Clear() {
  small_->arena.Reset();
  small_->features =
      google::protobuf::Arena::CreateMessage<Features>(&small_->arena);
  headers_.clear();
  payloads_.clear();
}

void ExampleWriter::AddBytes(std::string_view name, std::string_view value) {
  small_->New(name).mutable_bytes_list()->add_value(value.data(), value.size());
}

void ExampleWriter::AddTexts(std::string_view name,
                             std::span<const std::string_view> values) {
  auto& list = *small_->New(name).mutable_bytes_list();
  for (const std::string_view value : values) {
    list.add_value(value.data(), value.size());
  }
}

void ExampleWriter::AddInt64(std::string_view name, std::int64_t value) {
  AddInt64s(name, {&value, 1});
}

void ExampleWriter::AddInt64s(std::string_view name,
                              std::span<const std::int64_t> values) {
  auto& list = *small_->New(name).mutable_int64_list()->mutable_value();
  list.Add(values.begin(), values.end());
}

void ExampleWriter::AddBytesPayload(std::string_view name, ByteView payload) {
  AddPayload(name, kFirst, true, payload);
}

// An empty list of floats has no value, and an empty text is a value: `whole`
// tells them apart in the file.
void ExampleWriter::AddFloatPayload(std::string_view name, ByteView payload) {
  AddPayload(name, kSecond, !payload.empty(), payload);
}

// `whole`: the list has a value, if only an empty one.
void ExampleWriter::AddPayload(std::string_view name, unsigned kind, bool whole,
                               ByteView payload) {
  const std::size_t begin = headers_.size();
  AppendHeads(name, kind, whole ? FieldSize(payload.size()) : 0);
  if (whole) AppendHead(kFirst, payload.size(), headers_);
  payloads_.push_back({begin, headers_.size(), payload});
}

void ExampleWriter::AddBytesPayloads(std::string_view name,
                                     std::span<const ByteView> payloads) {
  std::uint64_t list = 0;
  for (const ByteView payload : payloads) list += FieldSize(payload.size());
  std::size_t begin = headers_.size();
  AppendHeads(name, kFirst, list);
  for (const ByteView payload : payloads) {
    AppendHead(kFirst, payload.size(), headers_);
    payloads_.push_back({begin, headers_.size(), payload});
    begin = headers_.size();
  }
}

// All of a map entry that comes before the `list` bytes of its list. Each
// message begins with its length, so the sizes are known from the inside out
// before the heads are written from the outside in.
void ExampleWriter::AppendHeads(std::string_view name, unsigned kind,
                                std::uint64_t list) {
  const std::uint64_t feature = FieldSize(list);
  const std::uint64_t entry = FieldSize(name.size()) + FieldSize(feature);
  AppendHead(kFirst, entry, headers_);
  AppendHead(kFirst, name.size(), headers_);
  headers_ += name;
  AppendHead(kSecond, feature, headers_);
  AppendHead(static_cast<char>(kind), list, headers_);
}

// A message in several pieces reads as one, so the entries of the payloads need
// not pass through protobuf.
std::span<const ByteView> ExampleWriter::Serialize() {
  const std::size_t small = small_->features->ByteSizeLong();
  std::uint64_t features = small + headers_.size();
  for (const Payload& payload : payloads_) features += payload.bytes.size();
  head_.clear();
  AppendHead(kFirst, features, head_);
  const std::size_t begin = head_.size();
  head_.resize(begin + small);
  {
    google::protobuf::io::ArrayOutputStream stream(&head_[begin],
                                                   static_cast<int>(small));
    CodedOutputStream coded(&stream);
    // Protobuf's maps have no order of their own, and equal samples must be
    // equal bytes.
    coded.SetSerializationDeterministic(true);
    small_->features->SerializeWithCachedSizes(&coded);
  }
  pieces_.assign(1, AsBytes(head_));
  for (const Payload& payload : payloads_) {
    pieces_.push_back(AsBytes(headers_).subspan(
        payload.header_begin, payload.header_end - payload.header_begin));
    pieces_.push_back(payload.bytes);
  }
  return pieces_;
}

}  // namespace shardine
