// Job: the arguments of every verb besides its own options.
#ifndef SHARDINE_JOB_H_
#define SHARDINE_JOB_H_

#include <stop_token>

#include "shardine/format.h"
#include "shardine/progress.h"

namespace shardine {

class Storage;

// Each member has a default that does for most: Pack(options, {.stop = stop}).
struct Job {
  ProgressFunction progress = {};  // empty: no reports
  std::stop_token stop = {};       // when asked to, the verb ends: kCancelled
  const FormatRegistry& formats = BuiltinFormats();
  // Null: each path is looked for where its scheme says, those without one on
  // this machine. Else this takes them all.
  Storage* storage = nullptr;
  SayFunction say = {};  // empty: lines are dropped
};

}  // namespace shardine

#endif  // SHARDINE_JOB_H_
