#include <iostream>

#include "cli/output.h"
#include "im2rec/im2rec.h"
#include "io/local_storage.h"

int main(int argc, char** argv) {
  shardine::GuardStandardStreams();
  return shardine::RunIm2rec(
      {argv + (argc > 0 ? 1 : 0), argv + argc}, shardine::LocalStorage(),
      {.out = std::cout, .err = std::cerr, .progress = true});
}
