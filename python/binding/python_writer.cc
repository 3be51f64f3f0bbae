#include "binding/python_writer.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "binding/interruptible.h"
#include "binding/released_lock.h"
#include "binding/verb_results.h"
#include "shardine/printable.h"

namespace shardine::binding {
namespace {

Status Closed() {
  return Status(Code::kInvalidArgument, "the writer is closed");
}

// The memory of an object that has some, held for as long as this lives.
class Buffer {
 public:
  explicit Buffer(nb::handle object) {
    if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_SIMPLE) != 0) {
      throw nb::python_error();
    }
  }
  ~Buffer() {
    if (view_.obj != nullptr) PyBuffer_Release(&view_);
  }
  Buffer(Buffer&& other) noexcept : view_(other.view_) {
    other.view_.obj = nullptr;
  }
  Buffer& operator=(Buffer&&) = delete;

  std::span<const std::byte> bytes() const {
    return {static_cast<const std::byte*>(view_.buf),
            static_cast<std::size_t>(view_.len)};
  }

 private:
  Py_buffer view_ = {};
};

// Valid as long as the string, which keeps its UTF-8.
std::string_view ViewOf(nb::handle text) {
  Py_ssize_t size = 0;
  const char* data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (data == nullptr) throw nb::python_error();
  return {data, static_cast<std::size_t>(size)};
}

Label LabelOf(nb::handle value) {
  if (PyLong_Check(value.ptr())) {
    int overflow = 0;
    const long long number =
        PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
    if (overflow != 0) {
      throw nb::value_error("label: an integer beyond 64 bits");
    }
    return Label(static_cast<std::int64_t>(number));
  }
  const double number = PyFloat_AsDouble(value.ptr());
  if (number == -1.0 && PyErr_Occurred() != nullptr) throw nb::python_error();
  if (std::isnan(number)) throw nb::value_error("label: NaN is no label");
  return Label::FromReal(number);
}

// A sample whose views show Python objects, which it holds.
struct ViewedSample {
  explicit ViewedSample(const SampleArguments& given) {
    const std::size_t count = nb::len(given.fields);
    shapes.reserve(count);  // spans of them must stay
    for (nb::handle each : given.fields) AddField(nb::cast<nb::tuple>(each));
    for (nb::handle each : given.labels) labels.push_back(LabelOf(each));
    sample.id = given.id;
    if (given.key) sample.key.emplace(given.key->c_str(), given.key->size());
    sample.split = given.split;
    sample.labels = labels;
    sample.fields = fields;
  }
  ViewedSample(const ViewedSample&) = delete;
  ViewedSample& operator=(const ViewedSample&) = delete;

  std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (const FieldView& field : fields) sum += field.bytes.size();
    return sum;
  }

  void AddField(const nb::tuple& field) {
    if (field.size() != 4) throw nb::value_error("a field has four parts");
    shapes.push_back(nb::cast<std::vector<std::uint64_t>>(field[2]));
    FieldView view{.name = ViewOf(field[0]),
                   .dtype = ViewOf(field[1]),
                   .shape = shapes.back()};
    if (PyUnicode_Check(field[3].ptr())) {
      view.is_text = true;
      view.bytes = std::as_bytes(std::span(ViewOf(field[3])));
    } else {
      buffers.emplace_back(field[3]);
      view.bytes = buffers.back().bytes();
    }
    fields.push_back(view);
  }

  std::vector<std::vector<std::uint64_t>> shapes;
  std::vector<Buffer> buffers;
  std::vector<Label> labels;
  std::vector<FieldView> fields;
  NewSample sample;
};

nb::object PathOf(const std::string& path) {
  return nb::steal(PyUnicode_DecodeFSDefaultAndSize(
      path.data(), static_cast<Py_ssize_t>(path.size())));
}

nb::dict DictOf(const PackResult& result) {
  nb::list warnings;
  for (const std::string& warning : result.warnings) {
    warnings.append(MessageLine(warning));
  }
  nb::dict dict;
  dict["output"] = PathOf(result.output);
  dict["format"] = result.format;
  dict["samples"] = result.samples;
  dict["classes"] = result.classes;
  dict["shards"] = result.shards;
  dict["bytes"] = result.bytes;
  dict["content_digest"] = result.content_digest.ToHex();
  dict["rejected"] = RejectedTuple(result.rejected);
  dict["warnings"] = nb::tuple(warnings);
  return dict;
}

}  // namespace

PythonWriter::PythonWriter(const DatasetWriterOptions& options)
    : writer_(ValueOrRaise(Interruptible([&](const std::stop_token& stop) {
        const std::stop_callback interrupted(stop,
                                             [&] { stop_.request_stop(); });
        return DatasetWriter::Create(options, {.stop = stop_.get_token()});
      }))) {}

PythonWriter::~PythonWriter() {
  if (getpid() == process_) {
    Close();
  } else {
    // Files, threads and the lock are the other process's.
    static_cast<void>(writer_.release());
  }
}

void PythonWriter::CheckProcess() const {
  if (getpid() == process_) return;
  throw std::runtime_error(
      "this writer is of another process: a dataset is written by the process "
      "that began it");
}

// Whether it is this call's turn, and its sample will be taken at once. Waits
// for both, but not long.
bool PythonWriter::TakeTurn(std::uint64_t bytes,
                            std::unique_lock<std::timed_mutex>& turn) {
  if (!turn.try_lock_for(kSignalInterval)) return false;
  if (writer_ == nullptr || finishing_ ||
      writer_->WaitForRoom(bytes, kSignalInterval)) {
    return true;
  }
  // A handler of the signal may write or close, too.
  turn.unlock();
  return false;
}

void PythonWriter::Append(const SampleArguments& given) {
  CheckProcess();
  ViewedSample viewed(given);
  std::unique_lock turn(mutex_, std::defer_lock);
  const auto append = [&]() -> std::optional<Status> {
    const ReleasedLock released;
    if (!TakeTurn(viewed.bytes(), turn)) return std::nullopt;
    Status status = AppendCounted(viewed.sample);
    turn.unlock();
    return status;
  };
  std::optional<Status> status = append();
  while (!status) {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    status = append();
  }
  if (!status->ok()) Raise(*status);
}

// REQUIRES: mutex_ is held.
Status PythonWriter::AppendCounted(const NewSample& sample) {
  if (writer_ == nullptr || finishing_) return Closed();
  Status status = writer_->Append(sample);
  if (status.ok()) ++samples_;
  return status;
}

nb::dict PythonWriter::Finish() {
  CheckProcess();
  const PackResult result =
      ValueOrRaise(Interruptible([&](const std::stop_token& stop) {
        const std::stop_callback interrupted(stop,
                                             [&] { stop_.request_stop(); });
        const std::lock_guard lock(mutex_);
        if (writer_ == nullptr) return Result<PackResult>(Closed());
        finishing_ = true;
        auto finished = writer_->Finish();
        // Keeps a writer whose Finish() can be called again.
        if (!writer_->can_finish()) writer_.reset();
        return finished;
      }));
  return DictOf(result);
}

void PythonWriter::Close() {
  if (getpid() != process_) return;
  const ReleasedLock released;
  stop_.request_stop();
  const std::lock_guard lock(mutex_);
  writer_.reset();
}

bool PythonWriter::can_finish() const {
  const ReleasedLock released;
  const std::lock_guard lock(mutex_);
  return writer_ != nullptr && writer_->can_finish();
}

std::uint64_t PythonWriter::samples() const {
  const ReleasedLock released;
  const std::lock_guard lock(mutex_);
  return samples_;
}

}  // namespace shardine::binding
