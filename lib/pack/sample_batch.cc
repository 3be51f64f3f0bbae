#include "pack/sample_batch.h"

#include <utility>

#include "pipeline/worker_group.h"

namespace shardine {
namespace {

// Memory of a sample beside its bytes, key and labels; generous, since texts
// and vectors have memory of their own.
constexpr std::size_t kEntryWeight = 512;
constexpr std::size_t kFieldWeight = 160;

}  // namespace

void SampleBatch::Add(const CheckedSample& sample, std::string_view split) {
  const SampleView& view = sample.view;
  Entry& entry = entries_.emplace_back();
  entry.key = view.key;
  entry.split = split;
  entry.labels.assign(view.labels.begin(), view.labels.end());
  for (const FieldView& field : view.fields) {
    entry.texts.emplace_back(field.name);
    entry.texts.emplace_back(field.dtype);
    entry.shapes.emplace_back(field.shape.begin(), field.shape.end());
    entry.sizes.push_back(field.bytes.size());
    entry.are_texts.push_back(field.is_text);
    bytes_.Append(field.bytes);
  }
  entry.checked.view.id = view.id;
  entry.checked.has_key = sample.has_key;
  entry.checked.has_id = sample.has_id;
  entry.checked.bytes = sample.bytes;
  weight_ += kEntryWeight + view.key.size() +
             view.labels.size() * sizeof(Label) +
             view.fields.size() * kFieldWeight +
             static_cast<std::size_t>(sample.bytes);
}

// Only when all are there: until then their memory moves as it grows.
void SampleBatch::SetViews(Entry& entry, ByteView& rest) const {
  for (std::size_t i = 0; i < entry.sizes.size(); ++i) {
    entry.fields.push_back({.name = entry.texts[2 * i],
                            .dtype = entry.texts[2 * i + 1],
                            .shape = entry.shapes[i],
                            .bytes = rest.first(entry.sizes[i]),
                            .is_text = entry.are_texts[i]});
    rest = rest.subspan(entry.sizes[i]);
  }
  SampleView& view = entry.checked.view;
  view.key = entry.key;
  view.labels = entry.labels;
  view.fields = entry.fields;
}

void SampleBatch::Check(NewContentCheck* check) {
  failure_ = Guarded([&] {
    if (check == nullptr) return Status(Code::kCancelled, "interrupted");
    ByteView rest = bytes_.view();
    for (Entry& entry : entries_) {
      SetViews(entry, rest);
      Status status = check->Check(entry.checked);
      if (!status.ok()) return std::move(status).At({.key = entry.key});
      ++good_;
    }
    return Status();
  });
  checked_.count_down();
}

Status SampleBatch::Drain(const SampleSink& sink) {
  checked_.wait();
  for (std::size_t i = 0; i < good_; ++i) {
    Status status = sink(entries_[i].split, entries_[i].checked);
    if (!status.ok()) return std::move(status).At({.key = entries_[i].key});
  }
  return failure_;
}

}  // namespace shardine
