// The environment of a program that is started, as posix_spawn() wants it.
#ifndef SHARDINE_BASE_VARIABLE_BLOCK_H_
#define SHARDINE_BASE_VARIABLE_BLOCK_H_

#include <string>
#include <vector>

#include "shardine/environment.h"

namespace shardine {

class VariableBlock {
 public:
  explicit VariableBlock(const Environment& environment) {
    for (const auto& [name, value] : environment.variables()) {
      texts_.push_back(name + "=" + value);
    }
    for (std::string& text : texts_) pointers_.push_back(text.data());
    pointers_.push_back(nullptr);
  }
  VariableBlock(const VariableBlock&) = delete;
  VariableBlock& operator=(const VariableBlock&) = delete;

  // Lives as long as this.
  char* const* data() const { return pointers_.data(); }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
};

}  // namespace shardine

#endif  // SHARDINE_BASE_VARIABLE_BLOCK_H_
