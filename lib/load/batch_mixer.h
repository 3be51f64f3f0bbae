// BatchMixer: the pixels of one batch, mixed where they lie by any threads
// together. A piece of the work is the same rows of all its images: no thread
// waits for another, and each value is read from memory and written once.
#ifndef SHARDINE_LOAD_BATCH_MIXER_H_
#define SHARDINE_LOAD_BATCH_MIXER_H_

#include <atomic>
#include <cstddef>

#include "load/batch_buffers.h"

namespace shardine {

// Mix() is for any threads, Begin() for one before them.
class BatchMixer {
 public:
  // How many pieces there are for Mix(); 0: all images stay as they are.
  // `batch` must be complete, and stay while pieces are left.
  std::size_t Begin(BatchBuffers& batch);

  // Mixes pieces until none is left. True for one of the threads: it ended
  // last, and all are mixed. To come too late is false.
  bool Mix();

 private:
  void MixPiece(std::size_t piece);

  BatchBuffers* batch_ = nullptr;
  std::size_t pieces_ = 0;
  std::atomic<std::size_t> begun_ = 0;
  std::atomic<std::size_t> ended_ = 0;
};

}  // namespace shardine

#endif  // SHARDINE_LOAD_BATCH_MIXER_H_
