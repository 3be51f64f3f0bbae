// PythonWriter: a DatasetWriter as Python has it: of one process, and of any
// number of its threads.
#ifndef SHARDINE_BINDING_PYTHON_WRITER_H_
#define SHARDINE_BINDING_PYTHON_WRITER_H_

#include <sys/types.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "binding/bindings.h"
#include "shardine/dataset_writer.h"

namespace shardine::binding {

// The arguments of append(), in the types of Python.
struct SampleArguments {
  std::optional<nb::bytes> key;  // none: its number
  std::optional<std::uint64_t> id;
  nb::list labels;  // int or float
  nb::list fields;  // (name, dtype, shape, an object with the buffer protocol)
  std::string split;
};

// Thread-safe: samples of several threads come in the order in which the
// threads got their turn. A process that was forked off can neither write nor
// publish nor remove: its writer is not freed.
class PythonWriter {
 public:
  // REQUIRES of all calls: the GIL is held. Append() and Finish() hear signals
  // while they wait.
  explicit PythonWriter(const DatasetWriterOptions& options);
  ~PythonWriter();
  PythonWriter(const PythonWriter&) = delete;
  PythonWriter& operator=(const PythonWriter&) = delete;

  void Append(const SampleArguments& given);
  // The results, by name. After a failure it may be called again where
  // can_finish() says so; nothing is appended after the first call.
  nb::dict Finish();
  bool can_finish() const;
  // Without Finish() nothing is published, and all written files are removed:
  // running work ends. Idempotent.
  void Close();

  std::uint64_t samples() const;  // appended

 private:
  bool TakeTurn(std::uint64_t bytes, std::unique_lock<std::timed_mutex>& turn);
  Status AppendCounted(const NewSample& sample);
  void CheckProcess() const;

  const pid_t process_ = getpid();
  std::stop_source stop_;
  mutable std::timed_mutex mutex_;
  // Guarded by mutex_, which is never waited for with the GIL held.
  std::unique_ptr<DatasetWriter> writer_;  // null: finished or closed
  bool finishing_ = false;                 // Finish() was called
  std::uint64_t samples_ = 0;
};

}  // namespace shardine::binding

#endif  // SHARDINE_BINDING_PYTHON_WRITER_H_
