#include "hdf5/sandbox/sandbox_pool.h"

#include <unistd.h>

#include <mutex>
#include <utility>

#include "base/fork_mutex.h"
#include "base/status_macros.h"
#include "hdf5/sandbox/sandbox_program.h"

namespace shardine {
namespace {

constexpr std::size_t kMaxIdle = 4;

constinit SandboxPool* global_pool = nullptr;  // guarded by ForkMutex()

}  // namespace

SandboxPool& SandboxPool::Global() {
  const std::lock_guard lock(ForkMutex());
  if (global_pool == nullptr) global_pool = new SandboxPool({});
  return *global_pool;
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
    const std::lock_guard lock(ForkMutex());
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
  // Remains of the old file must not be blamed on the next.
  if (!process->Send(SandboxMessage::kClose, {}).ok()) return;
  const auto reply = process->Receive();
  if (!reply.ok() || reply->kind != SandboxMessage::kDone) return;
  const std::lock_guard lock(ForkMutex());
  ForgetOtherProcess();
  if (idle_.size() < kMaxIdle) idle_.push_back(std::move(process));
}

std::uint64_t SandboxPool::started() const {
  const std::lock_guard lock(ForkMutex());
  return started_;
}

}  // namespace shardine
