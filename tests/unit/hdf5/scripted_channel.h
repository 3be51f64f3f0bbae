// A channel to a process whose answers the test chooses.
#ifndef SHARDINE_TESTS_UNIT_HDF5_SCRIPTED_CHANNEL_H_
#define SHARDINE_TESTS_UNIT_HDF5_SCRIPTED_CHANNEL_H_

#include <string>
#include <utility>
#include <vector>

#include "hdf5/sandbox/sandbox_channel.h"

namespace shardine {

// After its last frame the process is gone.
class ScriptedChannel : public SandboxChannel {
 public:
  using Frame = std::pair<SandboxMessage, std::string>;

  void Say(SandboxMessage kind, std::string payload = {}) {
    frames_.emplace_back(kind, std::move(payload));
  }
  Status Send(SandboxMessage kind, ByteView payload) override {
    if (kind == SandboxMessage::kReadReply) {
      read += AsText(payload);
    } else {
      asked.emplace_back(kind, AsText(payload));
    }
    return {};
  }
  Result<SandboxFrame> Receive() override {
    if (next_ == frames_.size()) return Status(Code::kCorrupt, "gone");
    const auto& [kind, payload] = frames_[next_++];
    return SandboxFrame{kind, AsBytes(payload)};
  }

  std::string read;          // all that it was given of the file
  std::vector<Frame> asked;  // all other frames that it was sent

 private:
  std::vector<Frame> frames_;
  std::size_t next_ = 0;
};

inline std::string Numbers(const std::vector<std::uint64_t>& numbers) {
  std::string text;
  for (const std::uint64_t number : numbers) AppendLe(number, text);
  return text;
}

inline std::string Header() {
  std::string text;
  EncodeWidths({}, text);
  return text;
}

inline std::string Encoded(const Hdf5Dataset& dataset) {
  std::string text;
  EncodeDataset(dataset, text);
  return text;
}

}  // namespace shardine

#endif  // SHARDINE_TESTS_UNIT_HDF5_SCRIPTED_CHANNEL_H_
