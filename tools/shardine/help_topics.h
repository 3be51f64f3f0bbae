// The text of `shardine help TOPIC`, which the man pages repeat.
#ifndef SHARDINE_SHARDINE_HELP_TOPICS_H_
#define SHARDINE_SHARDINE_HELP_TOPICS_H_

#include <span>
#include <string>
#include <string_view>

namespace shardine {

struct HelpTopic {
  std::string_view name;  // "exit-codes"
  std::string (*text)();  // lines of at most 79 columns
};

std::span<const HelpTopic> HelpTopics();

// Null if there is no such topic.
const HelpTopic* FindTopic(std::string_view name);

struct Variable {
  std::string_view names;  // "SLURM_PROCID, SLURM_NTASKS"
  std::string_view text;
};

// The environment variables that are read.
std::span<const Variable> Variables();

}  // namespace shardine

#endif  // SHARDINE_SHARDINE_HELP_TOPICS_H_
