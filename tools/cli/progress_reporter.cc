#include "cli/progress_reporter.h"

#include <unistd.h>

#include <algorithm>
#include <stop_token>
#include <system_error>
#include <utility>

#include "cli/number.h"

namespace shardine {
namespace {

constexpr std::chrono::milliseconds kTerminalPause(200);
constexpr std::chrono::seconds kPlainPause(10);
// Wider lines would wrap and could not be written over.
constexpr std::size_t kTerminalWidth = 79;

double Seconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

Progress Since(const Progress& now, const Progress& then) {
  Progress done = now;
  done.samples -= std::min(then.samples, now.samples);
  done.bytes -= std::min(then.bytes, now.bytes);
  return done;
}

}  // namespace

std::string FormatProgress(const std::string& doing, const Progress& now,
                           const Progress& done, double seconds) {
  std::string text = doing + ": " + std::to_string(now.samples);
  if (now.samples_total > 0) text += "/" + std::to_string(now.samples_total);
  text += " samples";
  if (seconds > 0) {
    const auto rate = [seconds](std::uint64_t count) {
      return static_cast<double>(count) / seconds;
    };
    text += ", " + FormatFixed(rate(done.samples), 0) + " img/s, " +
            FormatFixed(rate(done.bytes) / 1e6, 1) + " MB/s";
    if (now.bytes_total > now.bytes && done.bytes > 0) {
      text += ", ETA " +
              FormatSeconds(static_cast<double>(now.bytes_total - now.bytes) /
                            rate(done.bytes));
    }
  }
  if (now.rejected > 0) {
    text += ", " + std::to_string(now.rejected) + " rejected";
  }
  return text;
}

ProgressReporter::ProgressReporter(const std::string& first, std::string doing)
    : doing_(std::move(doing)), terminal_(isatty(STDERR_FILENO) == 1) {
  Print(first);
  try {
    thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
  } catch (const std::system_error&) {
    // The work matters more than word of it.
  }
}

void ProgressReporter::Report(const Progress& progress) {
  const std::lock_guard lock(mutex_);
  if (!reported_) {
    reported_ = true;
    first_ = progress;
    first_time_ = Clock::now();
  }
  last_ = progress;
}

void ProgressReporter::Stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  if (terminal_) Print("");
}

double ProgressReporter::seconds() const {
  return Seconds(Clock::now() - begin_);
}

void ProgressReporter::Run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  for (;;) {
    const Clock::duration pause =
        terminal_ ? Clock::duration(kTerminalPause) : kPlainPause;
    wake_.wait_for(lock, stop, pause, [] { return false; });
    if (stop.stop_requested()) return;
    if (!reported_) continue;
    const std::string line =
        FormatProgress(doing_, last_, Since(last_, first_),
                       Seconds(Clock::now() - first_time_));
    // The work must not wait for a slow terminal.
    lock.unlock();
    Print(line);
    lock.lock();
  }
}

void ProgressReporter::Print(const std::string& line) const {
  const std::string text =
      terminal_ ? "\r" + line.substr(0, kTerminalWidth) + "\x1b[K"
                : line + "\n";
  const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
  static_cast<void>(written);
}

}  // namespace shardine
