// The header's former name; shardine/provenance.h takes its place.
#ifndef SHARDINE_MAKING_H_
#define SHARDINE_MAKING_H_

#include "shardine/provenance.h"  // IWYU pragma: export

#endif  // SHARDINE_MAKING_H_
