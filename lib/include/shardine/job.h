// Job: what every verb is given besides its own options.
#ifndef SHARDINE_JOB_H_
#define SHARDINE_JOB_H_

#include <stop_token>

#include "shardine/format.h"
#include "shardine/progress.h"

namespace shardine {

class Storage;
// Files of this machine. Never destroyed.
Storage& LocalStorage();

// Each member has a default that does for most: Pack(options, {.stop = stop}).
struct Job {
  ProgressFunction progress = {};  // empty: nobody wants to know
  std::stop_token stop = {};       // when asked to, the verb ends: kCancelled
  const FormatRegistry& formats = BuiltinFormats();
  Storage& storage = LocalStorage();
};

}  // namespace shardine

#endif  // SHARDINE_JOB_H_
