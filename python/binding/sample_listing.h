// SampleListing: the samples of a dataset one by one, as Python asks for them.
#ifndef SHARDINE_BINDING_SAMPLE_LISTING_H_
#define SHARDINE_BINDING_SAMPLE_LISTING_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "shardine/inspect.h"

namespace shardine::binding {

struct ListedRow {
  struct Field {
    std::string name;
    std::string dtype;
    std::vector<std::uint64_t> shape;
    std::uint64_t bytes = 0;
  };

  std::uint64_t id = 0;
  std::string split;
  std::vector<Label> labels;
  std::string key;
  std::uint64_t bytes = 0;
  std::string shard;
  std::uint64_t record = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> extents;
  std::vector<Field> fields;
};

// ListSamples() calls for each sample; here a thread of its own does so, and
// waits where kRows of them were not taken yet: memory is bounded whatever the
// dataset holds.
//
// Thread-compatible. Needs no lock of the interpreter. A process forked from
// its own can only destroy it.
class SampleListing {
 public:
  static constexpr std::size_t kRows = 1024;

  explicit SampleListing(ListingOptions options);
  SampleListing(const SampleListing&) = delete;
  SampleListing& operator=(const SampleListing&) = delete;
  ~SampleListing();

  // Whether this process is the one that made it.
  bool is_here() const;

  // The next rows, into an empty `rows`; false if there are none yet, after
  // waiting for a tenth of a second. After the last, true and no rows; `status`
  // is the error. REQUIRES: is_here().
  bool Take(std::vector<ListedRow>& rows, Status& status);

 private:
  struct Shared;

  std::shared_ptr<Shared> shared_;
  std::jthread thread_;
  pid_t process_;
};

}  // namespace shardine::binding

#endif  // SHARDINE_BINDING_SAMPLE_LISTING_H_
