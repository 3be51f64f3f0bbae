// Descriptors that are to stay with the process that opened them: a lock by
// flock() belongs to the open file, which forked children share, so that a
// child would hold it for as long as it lives.
#ifndef SHARDINE_BASE_KEPT_FROM_CHILDREN_H_
#define SHARDINE_BASE_KEPT_FROM_CHILDREN_H_

namespace shardine {

// Owns a descriptor. In the child of a fork it is closed, and -1. Thread-safe.
class KeptFromChildren {
 public:
  explicit KeptFromChildren(int descriptor);
  ~KeptFromChildren();
  KeptFromChildren(const KeptFromChildren&) = delete;
  KeptFromChildren& operator=(const KeptFromChildren&) = delete;

  int get() const { return descriptor_; }

 private:
  static void CloseAll();

  int descriptor_;
  // Guarded by ForkMutex(): those that are open.
  KeptFromChildren* next_ = nullptr;
  KeptFromChildren* before_ = nullptr;
};

}  // namespace shardine

#endif  // SHARDINE_BASE_KEPT_FROM_CHILDREN_H_
