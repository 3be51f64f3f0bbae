#include "cli/advice.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <string_view>

#include "shardine/shell_quoted.h"

namespace shardine {
namespace {

struct Advice {
  int error;
  const char* text;
};

constexpr Advice kAdvice[] = {
    {EACCES, "ls -ld shows who may use it"},
    {EAGAIN, "allow more with ulimit -u, or use fewer threads with -j"},
    {EDQUOT, "make room and run the same command again"},
    {EFBIG, "allow more with ulimit -f, or make smaller shards"},
    {EIO, "dmesg may say more"},
    {EMFILE, "allow more with ulimit -n and run the same command again"},
    {ENAMETOOLONG, "shorten it"},
    {ENFILE, "run the same command again when there is less going on"},
    {ENOENT, "look for a typing error"},
    {ENOMEM, "use fewer threads with -j, or allow more with ulimit -v"},
    {ENOSPC, "make room and run the same command again"},
    {ENOTDIR, "look for a typing error"},
    {EPERM, "choose another place"},
    {EROFS, "choose another place"},
};

struct CommandHelp {
  std::string_view message;  // a part of it
  const char* text;
};

// Advice of relabel and index.
constexpr char kMatchAdvice[] =
    "--by id or position (index: --list-by) asks for another match; rows of "
    "other samples are to be removed";

constexpr char kTargetAdvice[] =
    "pack the folder of images alone; --label-map FILE makes them classes";

// The command that takes the pairs which the message names, or empty.
std::string PairAdvice(const std::string& message) {
  constexpr std::string_view kPairs = "; the pairs of ";
  constexpr std::string_view kFlat = " without class folders are ";
  constexpr std::string_view kDeep = " are ";
  const std::size_t begin = message.rfind(kPairs);
  if (begin == message.npos) return "";
  const std::string rest = message.substr(begin + kPairs.size());
  const bool is_flat = rest.find(kFlat) != rest.npos;
  const std::string_view between = is_flat ? kFlat : kDeep;
  const std::size_t end = rest.rfind(between);
  if (end == rest.npos) return "";
  return "shardine pack " + ShellQuoted(rest.substr(0, end)) + " OUT" +
         (is_flat ? " --unlabelled" : "") + " --format webdataset --pair " +
         ShellQuoted(rest.substr(end + between.size())) +
         "; --label-map FILE makes them classes";
}

constexpr char kNamesAdvice[] =
    "--names id of extract gives each sample a file of its own";

constexpr char kByIdAdvice[] = "--format webdataset:keys=id names them by ids";

constexpr CommandHelp kCommandHelp[] = {
    {"metadata files of the source are read",
     "--metadata-file none takes the images without it"},
    {"metadata-file not given, now auto",
     "--metadata-file none keeps the meaning that the dataset was made with"},
    {"made with kinds jpeg,png;",
     "--kinds jpeg,png keeps the meaning that the dataset was made with"},
    {", made with kinds ",
     "--kinds with these keeps the meaning that the dataset was made with"},
    {"image layouts hwc, chw",
     "--image-layout of convert, with --encode, names that order"},
    {"; the kinds are ", "--kinds with it takes such images, too"},
    {"no label, for lack of class folders",
     "--val-labels FILE gives labels, --unlabelled takes them without"},
    {"no label here, this one first", "--unlabelled takes them without"},
    {" that cannot be)", "--bad-annotations skip leaves out and lists them"},
    {"not below the source",
     "SOURCE can be any folder that all files of the list lie in, such as /; "
     "--list-root DIR says where its relative paths start, if not there"},
    {"pairs of an image and its target", kTargetAdvice},
    {"is named as targets are", kTargetAdvice},
    {" no images, first ",
     "--empty-classes keep numbers such classes, drop leaves them out"},
    {"two class names are one in Unicode",
     "--unite-classes makes them one class"},
    {"rows of the list is of one of the", kMatchAdvice},
    {" of no sample, by their ", kMatchAdvice},
    {" would hold label ",
     "--lossy-labels writes it so: the sidecar index keeps the exact labels, "
     "which other programs do not read"},
    {"the writer has ended, and took back", "write all samples with a new one"},
    {"the disk is too small: ", "--no-space-check begins all the same"},
    {"is a file on a server, not a dataset",
     "shardine convert FILE OUT makes a dataset of it"},
    {"is a file, not a dataset",
     "shardine index makes a dataset of shard files"},
    {"is in another place than the dataset that is to name it",
     "shardine convert reads shard files where they lie"},
    {"only shards of a pack that is not finished",
     "else shardine index SHARD... OUT makes a dataset of them"},
    {"the layouts' parameter database picks one",
     "shardine index FILE OUT --format LAYOUT:database=NAME"},
    {"is a tar file of tar files",
     "tar -xf FILE in a new folder unpacks it; shardine index takes shards of "
     "samples, shardine pack folders of images"},
    {"is another index than the one of this file",
     "--replace writes this file's in its place"},
    {"; holding out ",
     "--min-per-class N of pack or --where EXPR of convert leaves such classes "
     "out"},
    {" is too small for split ",
     "--small-classes train leaves such classes in train"},
    {" no group, this one first",
     "--group-by '^(PATTERN|.*)' makes each other key a group of its own"},
    {"shares cut the samples of one split, ",
     "--where 'split = \"NAME\"' takes those of one"},
    {"a seed is of splits that are cut; ",
     "--split train=0.9,val=0.1 or --hold-out N cuts, --reshuffle SEED makes a "
     "new order"},
    {"the names or numbers of their inputs before the keys",
     "--prefix '{n}/' does so"},
    {"the numbers of their inputs and their ids there before the keys",
     "--prefix '{n}/{id}/' does so"},
    {"a key that cannot name files of an archive", kByIdAdvice},
    {"twice, which would make one sample of two", kByIdAdvice},
    {" holds no key twice", "convert --prefix '{id}/' tells keys apart by ids"},
    {" labels, the first sample ",
     "convert --where 'labels = 1' takes the samples of one number of labels"},
    {"the key is no path inside", kNamesAdvice},
    {"the key has a name ", kNamesAdvice},
    {" have one name", kNamesAdvice},
    {" a file and a folder of one name", kNamesAdvice},
    {"which holds another sample of this extraction", kNamesAdvice},
    {"has this key more than once", kNamesAdvice},
    {" to name a folder by", kNamesAdvice},
    {"is there and is no unchanged file of a card",
     "--out DIR writes elsewhere, --overwrite replaces it"},
    {"a card of a dataset on a server needs a folder", "--out DIR names one"},
    {"do not add up to the digests of the manifest",
     "shardine verify says more"},
};

}  // namespace

std::string CommandAdvice(const Status& status) {
  const auto* found =
      std::ranges::find_if(kCommandHelp, [&](const CommandHelp& help) {
        return status.message().find(help.message) != std::string::npos;
      });
  if (found == std::end(kCommandHelp)) return "";
  const std::string pairs = PairAdvice(status.message());
  return found->text == kTargetAdvice && !pairs.empty() ? pairs : found->text;
}

bool IsSidecarMissing(const Status& status) {
  const std::string& path = status.where().path;
  return status.system_error() == ENOENT && path.ends_with(".sdx") &&
         path.find("/.shardine/") != path.npos;
}

std::string SystemAdvice(const Status& status) {
  if (IsSidecarMissing(status)) return kSidecarAdvice;
  const auto* found =
      std::ranges::find(kAdvice, status.system_error(), &Advice::error);
  return found == std::end(kAdvice) ? "" : found->text;
}

}  // namespace shardine
