// A plan of ImageNet-21k's size, and the files of its tasks, without the
// images: 14,197,122 entries of 21,841 classes of a list whose files are made
// up when they are asked for. The output lies in FOLDER, some 2 GB.
//
//   bench_scale_plan plan FOLDER [ENTRIES]   the list, then the plan, timed
//   bench_scale_plan notes FOLDER            of all tasks, with their sidecars
//   bench_scale_plan run FOLDER TREE [ENTRIES]
//       a plan in which each file is a photo of TREE; every hundredth task is
//       done, on one thread, and the time of the others follows from that

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <queue>
#include <string>
#include <vector>

#include "base/checksum.h"
#include "base/status_macros.h"
#include "io/atomic_file.h"
#include "io/attempt_storage.h"
#include "io/storage_for.h"
#include "pack/journal.h"
#include "pack/pack_plan.h"
#include "pack/publish_manifests.h"
#include "pack/shard_notes.h"
#include "shard/shard_index.h"
#include "shardine/sample.h"
#include "shardine/tasks.h"
#include "tasks/plan_file.h"
#include "tasks/task_note.h"

namespace shardine {
namespace {

constexpr std::uint64_t kEntries = 14'197'122;
constexpr std::uint64_t kClasses = 21'841;
constexpr char kTree[] = "/made-up";

// This machine's files, and beside them a tree in which every name is a photo:
// one of these, or none that can be read.
class MadeUpTree : public AttemptStorage {
 public:
  explicit MadeUpTree(Storage& below, std::vector<std::string> photos = {})
      : AttemptStorage(below, "bench"), photos_(std::move(photos)) {
    for (const std::string& photo : photos_) {
      sizes_.push_back(std::filesystem::file_size(photo));
    }
  }
  Result<std::unique_ptr<RandomAccessFile>> Open(
      const std::string& path) override {
    return AttemptStorage::Open(PhotoOf(path));
  }
  Result<std::unique_ptr<RandomAccessFile>> OpenWhole(
      const std::string& path, std::uint64_t bytes) override {
    return AttemptStorage::OpenWhole(PhotoOf(path), bytes);
  }
  Result<std::unique_ptr<RandomAccessFile>> OpenForward(
      const std::string& path) override {
    return AttemptStorage::OpenForward(PhotoOf(path));
  }
  std::optional<std::string> NativePath(
      const std::string& path) const override {
    return AttemptStorage::NativePath(PhotoOf(path));
  }
  Result<FileInfo> Stat(const std::string& path) override {
    if (!path.starts_with(kTree)) return AttemptStorage::Stat(path);
    FileInfo info;
    info.kind = path == kTree ? FileKind::kDirectory : FileKind::kRegular;
    const std::uint64_t random = Xxh3_64(AsBytes(path));
    info.size = sizes_.empty() ? 20'000 + random % 180'001
                               : sizes_[random % sizes_.size()];
    info.mtime_ns =
        1'700'000'000'000'000'000 + static_cast<std::int64_t>(random >> 20);
    info.inode = random;
    return info;
  }

 private:
  std::string PhotoOf(const std::string& path) const {
    if (photos_.empty() || !path.starts_with(kTree)) return path;
    return photos_[Xxh3_64(AsBytes(path)) % photos_.size()];
  }

  std::vector<std::string> photos_;
  std::vector<std::uint64_t> sizes_;
};

std::vector<std::string> PhotosBelow(const std::string& tree) {
  std::vector<std::string> photos;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(tree)) {
    if (entry.is_regular_file()) photos.push_back(entry.path());
  }
  std::ranges::sort(photos);
  return photos;
}

double PeakMib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

double CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) +
           static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Names look like ImageNet's, and are different within a class.
void WriteList(const std::string& path, std::uint64_t entries) {
  std::ofstream list(path);
  for (std::uint64_t id = 0; id < entries; ++id) {
    const std::uint64_t label = id * kClasses / entries;
    const auto synset = static_cast<unsigned long long>(
        Xxh3_64(AsBytes(std::to_string(label))) % 100'000'000);
    char line[96];
    const int size = std::snprintf(
        line, sizeof(line), "%llu\t%llu\tn%08llu/n%08llu_%llu.JPEG\n",
        static_cast<unsigned long long>(id),
        static_cast<unsigned long long>(label), synset, synset,
        static_cast<unsigned long long>(id * 7919 % 100'003));
    list.write(line, size);
  }
}

Status MakePlan(const std::string& folder, std::uint64_t entries,
                Storage& storage) {
  const std::string list = folder + "/list.lst";
  WriteList(list, entries);
  TaskPlanOptions options;
  options.pack.source.folders = {{"train", kTree}};
  options.pack.source.list = list;
  options.pack.output = folder + "/out";
  options.plan = folder + "/plan";
  const double cpu_before = CpuSeconds();
  const auto begin = std::chrono::steady_clock::now();
  SHARDINE_ASSIGN_OR_RETURN(const TaskPlan plan,
                            PlanTasks(options, {.storage = &storage}));
  const std::chrono::duration<double> taken =
      std::chrono::steady_clock::now() - begin;
  std::printf(
      "{\"samples\": %llu, \"shards\": %llu, \"tasks\": %llu, "
      "\"plan_bytes\": %llu, \"bytes_per_sample\": %.1f, "
      "\"seconds\": %.1f, \"cpu_seconds\": %.1f, \"peak_mib\": %.0f}\n",
      static_cast<unsigned long long>(plan.samples),
      static_cast<unsigned long long>(plan.shards),
      static_cast<unsigned long long>(plan.tasks),
      static_cast<unsigned long long>(plan.plan_bytes),
      static_cast<double>(plan.plan_bytes) / static_cast<double>(plan.samples),
      taken.count(), CpuSeconds() - cpu_before, PeakMib());
  return Status();
}

// Files of the sizes that a task's shard and its native index have.
Status PutFile(const std::string& path, std::uint64_t bytes) {
  std::ofstream(path).flush();
  return truncate(path.c_str(), static_cast<off_t>(bytes)) == 0
             ? Status()
             : Status::FromErrno(errno, "truncate", path);
}

Status LeaveShard(const OutputFolder& output, const PlanFile& plan,
                  const PlanShard& shard) {
  const PackOptions& pack = plan.head().pack;
  SourceSet source = plan.head().Source();
  SHARDINE_RETURN_IF_ERROR(plan.ReadRows(shard, source));
  SHARDINE_ASSIGN_OR_RETURN(
      DatasetPlan planned,
      MakePackPart(pack, std::move(source), {shard.planned},
                   plan.head().plan_digest, BuiltinFormats()));
  const PlannedShard& part = planned.plan.shards()[0];
  const SourceList& samples = planned.plan.source().samples;
  ShardIndexWriter index;
  IndexBinding binding;
  for (std::uint64_t i = 0; i < part.count; ++i) {
    IndexEntry entry;
    entry.id = samples.id(i);
    samples.GetLabels(i, entry.labels);
    const std::uint64_t size = samples.facts(i).size;
    entry.fields = {{std::string(kImageField),
                     std::string(kBytesDtype),
                     {},
                     {{.offset = binding.shard_bytes, .length = size}}}};
    entry.content_digest = {Xxh3_64(AsBytes(samples.key(i))), i};
    index.Add(entry, samples.key(i));
    binding.shard_bytes += size;
  }
  binding.plan_digest = planned.variants[0].ShardDigest(part);
  const FinishedShard files = FilesOf(planned, part);
  SHARDINE_RETURN_IF_ERROR(
      PutFile(output.PathOf(files.path), binding.shard_bytes));
  SHARDINE_RETURN_IF_ERROR(PutFile(output.PathOf(files.companion), 0));
  SHARDINE_ASSIGN_OR_RETURN(
      AtomicFile sidecar,
      AtomicFile::Create(output.storage(), output.PathOf(files.sidecar)));
  SHARDINE_RETURN_IF_ERROR(index.WriteTo(sidecar, binding));
  SHARDINE_RETURN_IF_ERROR(sidecar.PublishUnsynced());
  SHARDINE_ASSIGN_OR_RETURN(const TaskNote note,
                            DescribeShard(output, planned, part,
                                          {pack.on_bad, EffectiveCheck(pack)}));
  std::ofstream(TaskNotePath(output, part.name)) << TaskNoteText(note);
  return Status();
}

Status LeaveNotes(const std::string& folder, Storage& storage) {
  SHARDINE_ASSIGN_OR_RETURN(
      const auto plan,
      PlanFile::Open(storage, folder + "/plan", BuiltinFormats()));
  const OutputFolder output(storage, folder + "/out");
  SHARDINE_RETURN_IF_ERROR(
      storage.CreateDirectories(output.PathOf(".shardine")));
  for (const PlanShard& shard : plan->shards()) {
    SHARDINE_RETURN_IF_ERROR(LeaveShard(output, *plan, shard));
  }
  return Status();
}

// Seconds until all tasks are done by `workers`, each of which takes the next
// one when it is free.
double Makespan(const std::vector<double>& tasks, std::size_t workers) {
  std::priority_queue<double, std::vector<double>, std::greater<>> free;
  for (std::size_t i = 0; i < workers; ++i) free.push(0);
  double end = 0;
  for (const double seconds : tasks) {
    const double done = free.top() + seconds;
    free.pop();
    free.push(done);
    end = std::max(end, done);
  }
  return end;
}

struct TaskTime {
  std::uint64_t samples = 0;
  double seconds = 0;
  double cpu_seconds = 0;
};

Result<TaskTime> TimeTask(const std::string& folder, std::uint64_t task,
                          Storage& storage) {
  TaskRunOptions options;
  options.plan = folder + "/plan";
  options.tasks = {task};
  options.threads = 1;
  const double cpu_before = CpuSeconds();
  const auto begin = std::chrono::steady_clock::now();
  SHARDINE_ASSIGN_OR_RETURN(const TaskRun run,
                            RunTasks(options, {.storage = &storage}));
  const std::chrono::duration<double> taken =
      std::chrono::steady_clock::now() - begin;
  // The next one needs the room.
  for (const auto& entry :
       std::filesystem::directory_iterator(folder + "/out")) {
    if (entry.is_regular_file()) std::filesystem::remove(entry.path());
  }
  return TaskTime{run.samples, taken.count(), CpuSeconds() - cpu_before};
}

// All tasks are taken to cost as much for a sample as those that were done.
Status RunSome(const std::string& folder, Storage& storage) {
  constexpr std::uint64_t kEvery = 100;
  SHARDINE_ASSIGN_OR_RETURN(
      const auto plan,
      PlanFile::Open(storage, folder + "/plan", BuiltinFormats()));
  TaskTime sum;
  std::uint64_t done = 0;
  for (std::uint64_t task = 0; task < plan->tasks(); task += kEvery) {
    SHARDINE_ASSIGN_OR_RETURN(const TaskTime time,
                              TimeTask(folder, task, storage));
    sum = {sum.samples + time.samples, sum.seconds + time.seconds,
           sum.cpu_seconds + time.cpu_seconds};
    ++done;
  }
  const double each = sum.seconds / static_cast<double>(sum.samples);
  std::vector<double> tasks(plan->tasks());
  for (std::uint64_t task = 0; task < plan->tasks(); ++task) {
    const PlanFile::Range range = plan->ShardsOf(task);
    for (std::size_t i = range.first; i < range.last; ++i) {
      tasks[task] +=
          each * static_cast<double>(plan->shards()[i].planned.count);
    }
  }
  std::printf(
      "{\"tasks_run\": %llu, \"samples_run\": %llu, \"seconds\": %.1f, "
      "\"cpu_seconds\": %.1f, \"makespan_1\": %.0f, \"makespan_64\": %.0f}\n",
      static_cast<unsigned long long>(done),
      static_cast<unsigned long long>(sum.samples), sum.seconds,
      sum.cpu_seconds, Makespan(tasks, 1), Makespan(tasks, 64));
  return Status();
}

Status RunMode(const std::string& what, const std::string& folder,
               const std::string& tree, std::uint64_t entries) {
  SHARDINE_ASSIGN_OR_RETURN(Storage* const local, OutputStorageFor("/"));
  MadeUpTree storage(
      *local, tree.empty() ? std::vector<std::string>() : PhotosBelow(tree));
  if (what == "notes") return LeaveNotes(folder, storage);
  SHARDINE_RETURN_IF_ERROR(MakePlan(folder, entries, storage));
  return what == "run" ? RunSome(folder, storage) : Status();
}

int Run(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const int least = what == "run" ? 4 : 3;
  if (argc < least || (what != "plan" && what != "notes" && what != "run")) {
    std::fprintf(stderr,
                 "usage: bench_scale_plan plan FOLDER [ENTRIES] | notes FOLDER "
                 "| run FOLDER TREE [ENTRIES]\n");
    return 2;
  }
  const std::uint64_t entries =
      argc > least ? std::strtoull(argv[least], nullptr, 10) : kEntries;
  const Status status =
      RunMode(what, argv[2], what == "run" ? argv[3] : "", entries);
  if (status.ok()) return EXIT_SUCCESS;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return EXIT_FAILURE;
}

}  // namespace
}  // namespace shardine

int main(int argc, char** argv) { return shardine::Run(argc, argv); }
