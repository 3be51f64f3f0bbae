#include "binding/sample_listing.h"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <stop_token>

namespace shardine::binding {
namespace {

ListedRow RowOf(const ListedSample& sample) {
  ListedRow row{.id = sample.id,
                .split = std::string(sample.split),
                .labels = {sample.labels.begin(), sample.labels.end()},
                .key = std::string(sample.key),
                .bytes = sample.bytes,
                .shard = std::string(sample.shard),
                .record = sample.record,
                .extents = {sample.extents.begin(), sample.extents.end()},
                .fields = {}};
  for (const ListedField& field : sample.fields) {
    row.fields.push_back({.name = std::string(field.name),
                          .dtype = std::string(field.dtype),
                          .shape = {field.shape.begin(), field.shape.end()},
                          .bytes = field.bytes});
  }
  return row;
}

}  // namespace

struct SampleListing::Shared {
  std::mutex mutex;
  std::condition_variable_any changed;
  // Guarded by mutex.
  std::vector<ListedRow> rows;
  Status status;
  bool is_over = false;

  // false: the reader wants no more.
  bool Push(ListedRow row, const std::stop_token& stop) {
    std::unique_lock lock(mutex);
    const auto has_room = [this] { return rows.size() < kRows; };
    if (!changed.wait(lock, stop, has_room)) return false;
    rows.push_back(std::move(row));
    // One wake for many rows: the reader takes all that there are.
    if (rows.size() == kRows / 2) changed.notify_all();
    return true;
  }

  void End(Status how) {
    const std::lock_guard lock(mutex);
    status = std::move(how);
    is_over = true;
    changed.notify_all();
  }
};

SampleListing::SampleListing(ListingOptions options)
    : shared_(std::make_shared<Shared>()), process_(getpid()) {
  thread_ = std::jthread([shared = shared_, options = std::move(options)](
                             const std::stop_token& stop) {
    const auto push = [&](const ListedSample& sample) {
      if (shared->Push(RowOf(sample), stop)) return Status();
      return Status(Code::kCancelled, "the listing was left");
    };
    try {
      shared->End(ListSamples(options, push, stop));
    } catch (const std::exception& error) {
      shared->End(Status(Code::kFailed, error.what()));
    }
  });
}

SampleListing::~SampleListing() {
  if (is_here()) return;
  // The thread is the other process's: there is no thread to wait for, and its
  // lock may be held for ever.
  static_cast<void>(
      std::make_unique<std::shared_ptr<Shared>>(std::move(shared_)).release());
  static_cast<void>(
      std::make_unique<std::jthread>(std::move(thread_)).release());
}

bool SampleListing::is_here() const { return process_ == getpid(); }

bool SampleListing::Take(std::vector<ListedRow>& rows, Status& status) {
  std::unique_lock lock(shared_->mutex);
  // Half full, or over; else the rows that are there after a moment.
  shared_->changed.wait_for(lock, std::chrono::milliseconds(100), [this] {
    return shared_->is_over || shared_->rows.size() >= kRows / 2;
  });
  rows.swap(shared_->rows);
  shared_->changed.notify_all();
  if (!rows.empty()) return true;
  if (!shared_->is_over) return false;
  status = shared_->status;
  return true;
}

}  // namespace shardine::binding
