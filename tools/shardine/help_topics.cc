#include "shardine/help_topics.h"

#include <algorithm>

#include "cli/columns.h"
#include "cli/exit_code.h"

namespace shardine {
namespace {

constexpr char kLists[] =
    "Lists of samples, for --list of pack, list, resize, plan and index, and "
    "for\n"
    "relabel:\n"
    "\n"
    "  .lst   id, labels, path; tabs between:   7  0  hounds/a.jpg\n"
    "         Blanks count as tabs where a line can be read in one way only.\n"
    "  text   a path and a label:               hounds/a.jpg 0\n"
    "         Ids are the numbers of the lines, from 0.\n"
    "  CSV    or with ; or tabs:                path,label,split\n"
    "         Without a header one value is the path of an image, all others\n"
    "         are labels.\n"
    "  JSON   an array of paths, or of objects; or an object a line:\n"
    "         [{\"path\": \"hounds/a.jpg\", \"label\": 0, \"id\": 7}]\n"
    "  -      any of these from standard input\n"
    "\n"
    "Columns of tables, in any case:\n"
    "\n"
    "  path, file_name, image, filepath, filename, key, ImageId\n"
    "                      the file; its suffix may be missing\n"
    "  label, labels, class, category, target\n"
    "                      numbers or names, or a list of them: [1, 2]\n"
    "  split               the split of the sample\n"
    "  id                  a whole number; else ids count the rows\n"
    "  group               is kept in one split by --split\n"
    "  mask_file_name      a file that is the field mask, and so for any name\n"
    "  any other           a field of the sample, as group is\n"
    "\n"
    "metadata.csv and metadata.jsonl in a folder of SOURCE are tables of the\n"
    "images there and below: labels and fields, no list. --metadata-file none\n"
    "turns that off.\n"
    "\n"
    "Parquet, archives and UTF-16 are no lists; write CSV or JSON lines.\n"
    "\n"
    "Relative paths start at SOURCE, or at the folder that --list-root names.\n"
    "All files have to lie below SOURCE: the key of a sample is its path from\n"
    "there. A path that comes twice is two samples; the second has #2 in its\n"
    "key.\n"
    "\n"
    "Other text files. Each may be a table with these names in its header:\n"
    "\n"
    "  --label-map FILE       lines \"name number\", names in order, or JSON;\n"
    "                         name, label\n"
    "  --class-names FILE     the same\n"
    "  --val-labels FILE      lines \"file label\", or a label a line;\n"
    "                         path, label\n"
    "  --blacklist FILE       keys or file names to leave out, one a line; "
    "path\n"
    "  --class-text FILE      lines \"name, tab, text\"; name, text\n"
    "  --bounding-boxes FILE  lines \"file,xmin,ymin,xmax,ymax\", each of 0 to "
    "1;\n"
    "                         path, xmin, ymin, xmax, ymax\n"
    "\n"
    "Annotations (--annotations) become fields of all samples:\n"
    "\n"
    "  coco:FILE.json         instances, keypoints, captions, LVIS\n"
    "  voc:DIR                Annotations/*.xml of Pascal VOC\n"
    "  yolo:data.yaml         labels/*.txt beside images/\n"
    "\n"
    "datumaro and panlabel convert other forms to COCO.\n"
    "\n"
    "shardine list writes the .lst of a folder tree.\n";

std::string ListsText() { return kLists; }

std::string ExitCodesText() {
  std::string text;
  for (const ExitCodeText& each : ExitCodeTexts()) {
    const std::string name = std::to_string(static_cast<int>(each.code));
    text += Hanging(std::string(5 - name.size(), ' ') + name,
                    std::string(each.name) + ". " + each.text, 7);
  }
  return text + "\nAn exit code of 5, 6 or 130 is worth another try.\n";
}

std::string EnvironmentText() {
  std::string text;
  for (const Variable& variable : Variables()) {
    text += Hanging("", variable.names, 2) + Hanging("", variable.text, 6);
  }
  return text + "\nOptions come before the environment.\n";
}

}  // namespace

std::span<const Variable> Variables() {
  static constexpr Variable kVariables[] = {
      {"AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN",
       "keys of s3://"},
      {"AWS_PROFILE", "the profile to take keys and region from"},
      {"AWS_CONFIG_FILE, AWS_SHARED_CREDENTIALS_FILE",
       "files of profiles (default: in ~/.aws)"},
      {"AWS_REGION, AWS_DEFAULT_REGION", "the region of buckets"},
      {"AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL",
       "another service that speaks S3"},
      {"AWS_ENDPOINT_URL_STS, AWS_ENDPOINT_URL_SSO",
       "other services for credentials"},
      {"AWS_ROLE_ARN, AWS_ROLE_SESSION_NAME, AWS_WEB_IDENTITY_TOKEN_FILE",
       "a role by a token of a web identity"},
      {"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI, "
       "AWS_CONTAINER_CREDENTIALS_FULL_URI, AWS_CONTAINER_AUTHORIZATION_TOKEN, "
       "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
       "credentials of a container"},
      {"AWS_EC2_METADATA_DISABLED",
       "true: no credentials of the machine's own"},
      {"AWS_NO_SIGN_REQUEST", "YES: public buckets, without keys"},
      {"AWS_REQUEST_PAYER", "requester: buckets whose readers pay"},
      {"AWS_VIRTUAL_HOSTING", "TRUE: the bucket stands in the host's name"},
      {"GS_ACCESS_KEY_ID, GS_SECRET_ACCESS_KEY, GS_NO_SIGN_REQUEST, "
       "CPL_GS_ENDPOINT",
       "the same of gs://"},
      {"CURL_CA_BUNDLE, SSL_CERT_FILE, AWS_CA_BUNDLE",
       "a file of certificates of one's own"},
      {"http_proxy, https_proxy, HTTPS_PROXY, all_proxy, no_proxy, NO_PROXY",
       "proxies"},
      {"SHARDINE_REMOTE_REQUESTS", "requests under way at most (default: 512)"},
      {"SHARDINE_REMOTE_PATIENCE",
       "seconds without progress before the work fails (default: 120)"},
      {"XDG_CACHE_HOME, HOME",
       "where ~/.cache/shardine is, and the files of profiles"},
      {"TMPDIR", "where shards for a server are written first"},
      {"JOB_COMPLETION_INDEX, AWS_BATCH_JOB_ARRAY_INDEX, SLURM_ARRAY_TASK_ID, "
       "SLURM_PROCID, "
       "SLURM_NTASKS, OMPI_COMM_WORLD_RANK, OMPI_COMM_WORLD_SIZE",
       "the task of run-task --index-from-env, and what other launchers say"},
      {"LOCAL_WORLD_SIZE",
       "processes of this machine, which share its processors"},
      {"SHARDINE_PYTHON", "the Python of shardine run"},
      {"SHARDINE_LIBEXEC_DIR", "where shardine-hdf5-scan lies"},
      {"SHARDINE_SIMD", "a lower level of the processor's, for tests"},
  };
  return kVariables;
}

std::span<const HelpTopic> HelpTopics() {
  static constexpr HelpTopic kTopics[] = {
      {"exit-codes", ExitCodesText},
      {"lists", ListsText},
      {"environment", EnvironmentText},
  };
  return kTopics;
}

const HelpTopic* FindTopic(std::string_view name) {
  const auto topics = HelpTopics();
  const auto found = std::ranges::find(topics, name, &HelpTopic::name);
  return found == topics.end() ? nullptr : &*found;
}

}  // namespace shardine
