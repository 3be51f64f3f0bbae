#include "hdf5/sandbox/sandbox_pool.h"

#include <pthread.h>
#include <unistd.h>

#include <utility>

#include "base/status_macros.h"
#include "hdf5/sandbox/sandbox_program.h"

namespace shardine {
namespace {

constexpr std::size_t kMaxIdle = 4;

SandboxPool* global_pool = nullptr;
std::mutex* global_mutex = nullptr;

}  // namespace

SandboxPool& SandboxPool::Global() {
  // A fork while another thread holds the mutex would leave it locked for good
  // in the new process.
  static SandboxPool* const pool = [] {
    global_pool = new SandboxPool({});
    global_mutex = &global_pool->mutex_;
    pthread_atfork([] { global_mutex->lock(); }, [] { global_mutex->unlock(); },
                   [] { global_mutex->unlock(); });
    return global_pool;
  }();
  return *pool;
}

void SandboxPool::ForgetOtherProcess() {
  const pid_t self = getpid();
  if (owner_ == self) return;
  for (const auto& process : idle_) process->Disown();
  idle_.clear();
  owner_ = self;
}

Result<std::unique_ptr<SandboxProcess>> SandboxPool::Take() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ForgetOtherProcess();
    if (!idle_.empty()) {
      std::unique_ptr<SandboxProcess> process = std::move(idle_.back());
      idle_.pop_back();
      return process;
    }
    ++started_;
  }
  std::string program = options_.program;
  if (program.empty()) {
    SHARDINE_ASSIGN_OR_RETURN(program, FindSandboxProgram());
  }
  return SandboxProcess::Start(program, options_.patience);
}

void SandboxPool::Return(std::unique_ptr<SandboxProcess> process) {
  // What the old file left behind must not be blamed on the next.
  if (!process->Send(SandboxMessage::kClose, {}).ok()) return;
  const auto reply = process->Receive();
  if (!reply.ok() || reply->kind != SandboxMessage::kDone) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  ForgetOtherProcess();
  if (idle_.size() < kMaxIdle) idle_.push_back(std::move(process));
}

std::uint64_t SandboxPool::started() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return started_;
}

}  // namespace shardine
