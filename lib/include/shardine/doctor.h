// Doctor: the time of an epoch of a dataset, or of a folder of images, on this
// machine, its limit, and the one thing to change.
//
// The question is from the tutorial of full ImageNet: 1 TiB of images, read at
// random in pages of 4 KiB, takes 677 hours of a disk with 110 seeks a second,
// and 6.7 hours of an SSD with a hundred times as many.
#ifndef SHARDINE_DOCTOR_H_
#define SHARDINE_DOCTOR_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shardine/job.h"
#include "shardine/status.h"

namespace shardine {

struct DoctorOptions {
  // A dataset, here or on a server, or a folder with images.
  std::string target;
  std::string split = {};  // of a dataset; empty: the one with most samples
  unsigned threads = 0;    // that decode; 0: this process's share
};

// A local disk, read past the cache of the kernel where that is possible.
struct StorageRates {
  double seeks = 0;         // random reads of 4 KiB a second, by all readers
  double random_bytes = 0;  // a second, after the first page of such a read
  double sequential = 0;    // bytes a second
  unsigned readers = 1;     // at a time, as many as a loader has
  // The bytes came from memory: the disk itself may be slower.
  bool from_memory = false;
};

struct ServerRates {
  double latency = 0;     // seconds that a small range takes, the median
  double bytes = 0;       // a second, of several large ranges at a time
  unsigned requests = 1;  // under way at a time, at most
};

// The images of one variant.
struct ImageRates {
  std::string variant;  // "original", "sz/320"
  // The variant does not exist: its images were made in memory, of a sample.
  bool estimated = false;
  double bytes = 0;  // of an image, the mean
  // Images a second that a core makes random crops of 224 x 224 pixels of; 0:
  // there is nothing to decode.
  double decoded = 0;
  // The same once they are packed, by their entry points; 0: they are packed.
  double decoded_packed = 0;
};

// Ways to read an epoch.
enum class EpochReading : std::uint8_t {
  kLooseFiles,
  kShuffledShards,
  kBlocks,        // SampleOrder::kBlocks
  kRemoteCold,    // shuffled, of a server
  kRemoteBlocks,  // SampleOrder::kBlocks, of a server
  kRemoteWarm,    // of a cache that holds all samples
};

enum class EpochLimit : std::uint8_t {
  kSeeks,
  kStorageRate,
  kLatency,
  kNetworkRate,
  kDecoding,
};

struct EpochRow {
  EpochReading reading = EpochReading::kLooseFiles;
  std::string variant;
  double images_per_second = 0;
  double hours = 0;  // of an epoch
  EpochLimit limit = EpochLimit::kDecoding;
  // The row's subject does not exist here, or could not be measured.
  bool estimated = false;
};

// The thing to change; each costs less than those after it.
enum class EpochChange : std::uint8_t {
  kNothing,  // nothing makes an epoch a fifth shorter
  kPack,     // the folder into shards
  kBlocks,   // the order of the loader
  kCache,    // keep the samples on this machine
  kSize,     // train on smaller images
};

struct DoctorResult {
  std::string target;
  std::string split;  // empty: a folder of images
  std::uint64_t samples = 0;
  // There was no time to find all files of the folder: samples are at least so
  // many, and hours are of those.
  bool more_samples = false;
  unsigned threads = 1;
  std::optional<StorageRates> storage = {};  // of the target, if it is local
  std::optional<ServerRates> server = {};    // of the target, if it is not
  // The disk of the cache of servers, if samples are kept there.
  std::optional<StorageRates> cache = {};
  std::vector<ImageRates> images = {};  // the original first
  // An epoch read at random in pages of 4 KiB, as the tutorial counts; 0: of a
  // server.
  double page_hours = 0;
  std::vector<EpochRow> rows = {};
  // The places in `rows` of the target as a shuffled loader reads it now, and
  // after the change: equal where that is kNothing.
  std::size_t now = 0;
  std::size_t then = 0;
  EpochChange change = EpochChange::kNothing;
};

// Measures for ten seconds at most, and writes nothing: random and sequential
// reads of the target's own files, or ranges of 64 MiB of a server at most;
// random crops of up to 200 images, on one thread; the same images at 320 and
// 160 pixels, if those variants do not exist.
//
// The model, for images of B bytes:
//   loose files      2 / seeks + B / random_bytes seconds an image: a seek for
//                    the inode and one for the data;
//   shuffled shards  1 / seeks + B / random_bytes;
//   blocks           B / sequential;
//   remote cold      latency / requests, or B / bytes if that is longer;
//   remote blocks    the same, a request for each 8 MiB;
//   remote warm      as shuffled shards, of the cache's disk;
// the first 4 KiB of B come with the seek. Decoding takes 1 / (decoded *
// threads), at the same time: the longer one is the row's time and its limit.
// hours = samples * time / 3600.
//
// kNotFound: neither a dataset nor a folder with images; kInvalidArgument: no
// such split; kCorrupt: the dataset is damaged, or no image of it can be
// decoded; kIo, kRemote, kCancelled.
Result<DoctorResult> Doctor(const DoctorOptions& options, const Job& job = {});

}  // namespace shardine

#endif  // SHARDINE_DOCTOR_H_
