// PhaseSchedule: the schedule that trainers such as imagenet18's take on their
// command line: from which epoch on images and batches have which size, and how
// large the learning rate is.
#ifndef SHARDINE_PHASE_SCHEDULE_H_
#define SHARDINE_PHASE_SCHEDULE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shardine/status.h"

namespace shardine {

struct ScheduledPhase {
  std::uint64_t first_epoch = 0;  // "ep"
  std::uint32_t size = 0;         // "sz": of the crop, in pixels
  std::uint32_t batch_size = 0;   // "bs"
  // The suffix to the name of the data's folder: "-sz/160".
  std::string train_suffix;       // "trndir"
  std::string validation_suffix;  // "valdir"; by default the same
  // The smallest part of an image's area that is cut for training.
  double min_scale = 0.08;          // "min_scale"
  bool rectangular = false;         // "rect_val"
  bool only_batch_changes = false;  // "keep_dl": the rest is the phase's before

  friend bool operator==(const ScheduledPhase&,
                         const ScheduledPhase&) = default;
};

struct ScheduledRate {
  double first_epoch = 0;                // "ep", or the first of two
  std::optional<double> end_epoch = {};  // the second
  double from = 0;                       // "lr", or the first of two
  std::optional<double> to = {};         // the second: linear until then

  friend bool operator==(const ScheduledRate&, const ScheduledRate&) = default;
};

struct PhaseSchedule {
  std::vector<ScheduledPhase> phases;  // by first epoch, the first is 0
  std::vector<ScheduledRate> rates;    // in the order of the text
};

// Reads the list as JSON: an entry with "bs" is a phase, one with "lr" a rate,
// one with both is both; of two values a list of two:
//   [{"ep":0,"sz":128,"bs":512,"trndir":"-sz/160"},
//    {"ep":[0,5],"lr":[1.0,2.0]}, {"ep":14,"sz":224,"bs":224,"lr":0.4}]
// kInvalidArgument, naming the entry: no such list, a member that is unknown,
// missing or of another kind, epochs of phases that do not ascend from 0. A
// rate's other members are the trainer's own.
Result<PhaseSchedule> ParsePhaseSchedule(std::string_view json);

}  // namespace shardine

#endif  // SHARDINE_PHASE_SCHEDULE_H_
