// Bounds on the cost of places to go on from, which anybody may have written:
// the journal of im2rec and the state of a loader.
#include "corruption/doubling.h"
#include "im2rec/work_journal.h"
#include "shardine/loader.h"
#include "unit/load/memory_dataset.h"

namespace shardine::place_cost_test {
namespace {

const Digest128 kWork = Xxh3_128(AsBytes("work"));

// Marks without end are read for as long as their checksums fit.
TEST_CASE("Marks of a journal cost what its bytes do", "[cost][im2rec]") {
  const auto journal = [](const std::vector<WorkMark>& marks) {
    MemoryStorage storage;
    REQUIRE(WorkJournal::Begin(storage, "j", kWork, marks).ok());
    return *storage.Get("j");
  };
  const auto read = [](const std::string& bytes) {
    MemoryStorage storage;
    storage.Put("j", bytes);
    const auto found = ReadWorkJournal(storage, "j", kWork);
    if (!found.ok()) return found.status();
    return (*found)->marks.size() > 1 ? Status() : Status(Code::kCorrupt, "");
  };
  CheckDoubling(
      100, "OK",
      [&](std::size_t size) { return journal(std::vector<WorkMark>(size)); },
      read);
  CheckDoubling(
      1000, "OK",
      [&](std::size_t size) {
        return journal(std::vector<WorkMark>(2)) + std::string(size, '7');
      },
      read);
}

// The numbers of a state stand for orders, epochs and nodes that do not exist.
TEST_CASE("A state costs what its bytes do, whatever its numbers say",
          "[cost][state]") {
  MemoryDataset dataset(12);
  LoaderOptions options;
  options.batch_size = 2;
  options.order.order = SampleOrder::kBlocks;
  const auto made = Loader::Create(dataset.Open(), options);
  REQUIRE(made.status().ToString() == "OK");
  Loader& loader = **made;
  const auto put = [&](const LoaderState& state) {
    const Status set = loader.SetState(state);
    if (!set.ok()) return set;
    const auto batch = loader.Next();
    return batch.status();
  };
  LoaderState state = loader.State();
  state.position = 2;
  CheckDoubling(
      1000, "...", [](std::size_t size) { return std::string(size, 'o'); },
      [&](const std::string& order) {
        LoaderState other = state;
        other.order = order;
        return put(other);
      });
  CheckDoubling(
      1000, "of another dataset",
      [](std::size_t size) { return std::string(size, 'o'); },
      [&](const std::string& order) {
        LoaderState other = state;
        other.order = order;
        other.order_digest = kWork;
        return put(other);
      });
  for (int bit = 0; bit < 64; ++bit) {
    const std::uint64_t number = std::uint64_t{1} << bit;
    INFO(bit);
    for (int which = 0; which < 4; ++which) {
      LoaderState forged = state;
      if (which == 0) forged.epoch = number - 1;
      if (which == 1) forged.position = number;
      if (which == 2) forged.nodes = static_cast<std::uint32_t>(number);
      if (which > 1) forged.node_samples = number;
      if (which == 3) forged.nodes = 2;
      const Cost cost =
          CostOf("", [&](const std::string&) { return put(forged); });
      CHECK(cost.peak < std::uint64_t{64} << 20);
      CHECK(cost.seconds < 1);
    }
  }
}

}  // namespace
}  // namespace shardine::place_cost_test
