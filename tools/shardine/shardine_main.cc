#include "shardine/command.h"

int main(int argc, char** argv) {
  return shardine::RunShardine({argv + (argc > 0 ? 1 : 0), argv + argc});
}
