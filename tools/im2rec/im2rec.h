// im2rec: takes the place of MXNet's im2rec.cc and im2rec.py. Accepted
// arguments and differences: README.md beside this file.
//
// Tools include the public headers only; this one also includes lib/base,
// lib/io, lib/image and formats/recordio, because it writes the originals'
// files and not a dataset of ours.
#ifndef SHARDINE_IM2REC_IM2REC_H_
#define SHARDINE_IM2REC_IM2REC_H_

#include <string>
#include <vector>

#include "im2rec/console.h"
#include "io/storage.h"

namespace shardine {

// The arguments without the program's name; three or more, all without a
// leading "--", are im2rec.cc's, everything else im2rec.py's. Returns the exit
// code: 0 done, 1 failed, 2 usage, 3 done but lines were left out, 5 local I/O;
// an error is one line.
int RunIm2rec(const std::vector<std::string>& arguments, Storage& storage,
              const Console& console);

}  // namespace shardine

#endif  // SHARDINE_IM2REC_IM2REC_H_
