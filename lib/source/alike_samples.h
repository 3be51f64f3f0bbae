// AlikeSamples: samples whose images look alike, as they are kept together.
#ifndef SHARDINE_SOURCE_ALIKE_SAMPLES_H_
#define SHARDINE_SOURCE_ALIKE_SAMPLES_H_

#include <string>
#include <vector>

#include "shardine/status.h"
#include "source/compared_images.h"
#include "source/exact_copies.h"

namespace shardine {

struct AlikeSamples {
  std::vector<Likeness> pairs;  // two neighbours for each
  // The images that were not compared, for people; empty: all were.
  std::string note;
};

// The pairs that an audit finds (source/near_copies.h): of up to 50,000 samples
// any two are compared, of more only those whose hashes are close. An image
// that does not decode, or is nearly blank, is like no other.
Result<AlikeSamples> FindAlike(const ComparedImages& images, unsigned threads);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_ALIKE_SAMPLES_H_
