// SampleBatch: samples of the caller's own on their way to the threads that
// check and write them, with memory of their own.
#ifndef SHARDINE_PACK_SAMPLE_BATCH_H_
#define SHARDINE_PACK_SAMPLE_BATCH_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <latch>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "pack/new_sample.h"
#include "shardine/sample.h"
#include "shardine/status.h"

namespace shardine {

// Where a checked sample goes.
using SampleSink =
    std::function<Status(std::string_view split, const CheckedSample& checked)>;

// One thread adds, then one checks, then one drains. Thread-compatible.
class SampleBatch {
 public:
  // With room for so many bytes of fields, before more is taken.
  explicit SampleBatch(std::size_t room) { bytes_.Reserve(room); }

  // Copies. A sample of NewSampleCheck.
  void Add(const CheckedSample& sample, std::string_view split);
  // Bytes in memory, about.
  std::size_t weight() const { return weight_; }

  // Looks at the content of all, up to the first that is bad. Called once;
  // `check` null: the samples are not wanted any more.
  void Check(NewContentCheck* check);
  // Waits for Check(), and gives `sink` the samples in their order up to the
  // first bad one. The failure names the sample's key.
  Status Drain(const SampleSink& sink);

 private:
  struct Entry {
    std::string key;
    std::string split;
    std::vector<Label> labels;
    std::vector<std::string> texts;  // name and dtype of each field
    std::vector<std::vector<std::uint64_t>> shapes;
    std::vector<std::size_t> sizes;
    std::vector<bool> are_texts;
    std::vector<FieldView> fields;
    CheckedSample checked;
  };

  void SetViews(Entry& entry, ByteView& rest) const;

  std::vector<Entry> entries_;
  ByteBuffer bytes_;  // of all fields, in order
  std::size_t weight_ = 0;
  std::size_t good_ = 0;  // so many of them passed
  Status failure_;        // of the one after
  std::latch checked_{1};
};

}  // namespace shardine

#endif  // SHARDINE_PACK_SAMPLE_BATCH_H_
