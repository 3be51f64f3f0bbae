#include "cli/progress_reporter.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <exception>
#include <fstream>
#include <stop_token>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli/json_text.h"
#include "cli/progress_line.h"
#include "shardine/environment.h"
#include "shardine/printable.h"

namespace shardine {
namespace {

// A terminal's line is written over, five times a second; a log keeps every
// line, so it gets one in ten seconds.
constexpr std::chrono::milliseconds kTerminalPause(200);
constexpr std::chrono::seconds kPlainPause(10);
constexpr std::size_t kUsualColumns = 80;

constexpr std::chrono::seconds kObjectPause(1);
constexpr std::string_view kObjectBegin = "{\"doing\":";

std::atomic<bool> silent = false;
std::atomic<int> object_file = -1;  // never closed

bool IsTerminal() {
  return isatty(STDERR_FILENO) == 1 &&
         Environment::Current().Of("TERM") != "dumb";
}

double Seconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

// "14:03:22", of this machine's clock.
std::string TimeOfDay() {
  const std::time_t now = std::time(nullptr);
  std::tm local = {};
  char text[9];
  if (localtime_r(&now, &local) == nullptr) return {};
  return std::string(text, std::strftime(text, sizeof text, "%T", &local));
}

// Lines at the end of a shard or a manifest would damage it.
bool IsOtherFile(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return false;
  std::string begin(kObjectBegin.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return info.st_size > 0 && begin != kObjectBegin;
}

Progress Since(const Progress& now, const Progress& then) {
  Progress done = now;
  done.samples -= std::min(then.samples, now.samples);
  done.bytes -= std::min(then.bytes, now.bytes);
  return done;
}

}  // namespace

void SilenceProgress() { silent = true; }

Status WriteProgressTo(const std::string& path) {
  constexpr mode_t kMode = 0666;
  if (IsOtherFile(path)) {
    return Status(Code::kInvalidArgument, "is a file of something else")
        .At({.path = path});
  }
  object_file =
      open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kMode);
  if (object_file >= 0) return Status();
  return Status(Code::kIo, std::strerror(errno)).At({.path = path});
}

ProgressReporter::ProgressReporter(const std::string& first, std::string doing)
    : doing_(std::move(doing)),
      terminal_(IsTerminal()),
      next_line_(begin_ + Pause()) {
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
    // The first report counts the work of earlier runs. A rate that included it
    // would be far too high, and the time left far too short.
    first_ = progress;
    first_time_ = Clock::now();
  }
  last_ = progress;
}

void ProgressReporter::Say(const std::string& line) const {
  Print(line, /*stays=*/true);
}

void ProgressReporter::Stop() {
  // Without a thread nothing was printed over, and a second call has nothing to
  // wipe.
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  try {
    if (terminal_) Print("");
    if (reported_) Write(last_, /*ended=*/true);
  } catch (const std::exception&) {
    // A line that finds no memory is no failure of the work.
  }
}

double ProgressReporter::seconds() const {
  return Seconds(Clock::now() - begin_);
}

void ProgressReporter::Run(const std::stop_token& stop) {
  for (bool goes_on = true; goes_on;) {
    try {
      goes_on = SayNext(stop);
    } catch (const std::exception&) {
      // The work matters more than a line that finds no memory.
    }
  }
}

// False: the line was the last.
bool ProgressReporter::SayNext(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const Clock::duration pause =
      object_file < 0 ? Pause()
                      : std::min<Clock::duration>(Pause(), kObjectPause);
  wake_.wait_for(lock, stop, pause, [] { return false; });
  if (stop.stop_requested()) return false;
  if (!reported_) return true;
  const ProgressState state{.doing = doing_,
                            .now = last_,
                            .done = Since(last_, first_),
                            .seconds = Seconds(Clock::now() - first_time_),
                            .has_percent = !terminal_};
  // The work must not wait for a slow terminal.
  lock.unlock();
  const Clock::time_point now = Clock::now();
  if (now >= next_object_) {
    Write(state.now, /*ended=*/false);
    next_object_ = now + kObjectPause;
  }
  if (now >= next_line_) {
    Print((terminal_ ? "" : TimeOfDay() + " ") +
          FormatProgress(state, Columns()));
    next_line_ = now + Pause();
  }
  return true;
}

ProgressReporter::Clock::duration ProgressReporter::Pause() const {
  return terminal_ ? Clock::duration(kTerminalPause) : kPlainPause;
}

// One system call, as for lines. A full disk is no failure of the work.
void ProgressReporter::Write(const Progress& now, bool ended) const {
  if (object_file < 0) return;
  Json object = {{"doing", JsonText(doing_)},
                 {"time", std::time(nullptr)},
                 {"seconds", seconds()},
                 {"samples", now.samples},
                 {"samples_total", now.samples_total},
                 {"bytes", now.bytes},
                 {"bytes_total", now.bytes_total},
                 {"rejected", now.rejected},
                 {"ended", ended}};
  if (const auto percent = PercentDone(now)) object["percent"] = *percent;
  const std::string line = JsonLine(object);
  const ssize_t written = write(object_file, line.data(), line.size());
  static_cast<void>(written);
}

// Asked each time, since a window changes while work goes on. A line that fills
// the last column would wrap, and could not be written over.
std::size_t ProgressReporter::Columns() const {
  if (!terminal_) return std::string::npos;
  winsize size = {};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0;
  return (known && size.ws_col > 0 ? size.ws_col : kUsualColumns) - 1;
}

void ProgressReporter::Print(const std::string& line, bool stays) const {
  if (silent) return;
  const std::string whole = PrintableLine(line);
  const std::string shown = stays ? whole : FitColumns(whole, Columns());
  const std::string text = (terminal_ ? "\r" + shown + "\x1b[K" : shown) +
                           (stays || !terminal_ ? "\n" : "");
  // One system call for each line, so that lines of several threads or
  // processes do not mix. An error here is ignored, since standard error may be
  // closed.
  const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
  static_cast<void>(written);
}

}  // namespace shardine
