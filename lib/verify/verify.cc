#include "shardine/verify.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "dataset/dataset_format.h"
#include "dataset/dataset_reader.h"
#include "io/storage_for.h"
#include "verify/dataset_verifier.h"
#include "verify/verify_file.h"

namespace shardine {
namespace {

// The dataset of a folder and, below it, the variants that its manifest lists.
class FamilyVerifier {
 public:
  FamilyVerifier(ReadableStorage& storage, const FormatRegistry& formats,
                 const VerifyOptions& options, const ProgressFunction& progress)
      : storage_(storage),
        formats_(formats),
        options_(options),
        progress_(progress) {}

  Result<VerifyResult> Run(const DatasetReader& root,
                           const std::stop_token& stop) {
    progress_.AddToTotal(root.manifest().samples(),
                         root.manifest().shard_bytes());
    SHARDINE_RETURN_IF_ERROR(OpenVariants(root));
    SHARDINE_RETURN_IF_ERROR(VerifyOne(root, options_, "", stop));
    // Variants are opened first, so that the progress knows its total. What was
    // found on the way is reported after the findings of the original, where
    // the manifest that lists them is.
    std::ranges::move(missing_, std::back_inserter(result_.findings));
    VerifyOptions of_variants = options_;
    // The images of a size are no files of the tree; their other samples are
    // compared with the original's.
    of_variants.against.clear();
    of_variants.list.clear();
    for (const Variant& variant : variants_) {
      CompareWithRoot(root.manifest(), variant);
      SHARDINE_RETURN_IF_ERROR(VerifyOne(*variant.reader, of_variants,
                                         variant.child->path + "/", stop));
    }
    if (storage_.List(root.directory()).status().code() == Code::kUnsupported) {
      result_.notes.push_back(
          "folders cannot be listed there: nobody looked for files that are "
          "not in the manifest");
    }
    result_.samples = progress_.progress().samples;
    result_.bytes = progress_.progress().bytes;
    return std::move(result_);
  }

 private:
  struct Variant {
    const ManifestChild* child = nullptr;
    std::unique_ptr<DatasetReader> reader;
  };

  Status OpenVariants(const DatasetReader& root) {
    for (const ManifestChild& child : root.manifest().variants) {
      auto reader =
          DatasetReader::Open(storage_, JoinPath(root.directory(), child.path));
      if (reader.ok()) {
        progress_.AddToTotal((*reader)->manifest().samples(),
                             (*reader)->manifest().shard_bytes());
        variants_.push_back({&child, *std::move(reader)});
        continue;
      }
      const Code code = reader.status().code();
      // A listed variant that is damaged or gone is damage of this dataset.
      // That a disk cannot be read at the moment is none.
      if (code != Code::kCorrupt && code != Code::kNotFound) {
        return std::move(reader).status();
      }
      missing_.push_back(std::move(reader).status());
    }
    return Status();
  }

  // What must be true of two variants beside each being sound.
  void CompareWithRoot(const Manifest& root, const Variant& variant) {
    const Manifest& manifest = variant.reader->manifest();
    std::string wrong;
    // Manifests of schema 1 have no binding digests, and a family may be of
    // both schemas.
    const bool bound = root.has_bindings() && manifest.has_bindings();
    if (manifest.content_digest() != variant.child->content_digest ||
        (bound && manifest.binding_digest() != variant.child->binding_digest)) {
      wrong = "holds other content than the manifest above it says";
    } else if (manifest.variant.parent_digest != root.content_digest()) {
      wrong = "was made of other images than the original has";
    } else if (manifest.names_digest() != root.names_digest() ||
               manifest.order_digest() != root.order_digest()) {
      wrong = "has other samples than the original, or another order";
    }
    if (wrong.empty()) return;
    result_.findings.push_back(
        Status(Code::kCorrupt, wrong)
            .At({.path =
                     JoinPath(variant.reader->directory(), kManifestName)}));
  }

  // `prefix` goes before names of files in notes.
  Status VerifyOne(const DatasetReader& dataset, const VerifyOptions& options,
                   const std::string& prefix, const std::stop_token& stop) {
    SHARDINE_ASSIGN_OR_RETURN(const FormatAndLayout format,
                              FormatOf(dataset, formats_));
    SHARDINE_ASSIGN_OR_RETURN(
        VerifyResult one,
        DatasetVerifier(storage_, dataset, format, options, progress_)
            .Run(stop));
    result_.shards += one.shards;
    std::ranges::move(one.findings, std::back_inserter(result_.findings));
    for (const std::string& note : one.notes) {
      result_.notes.push_back(prefix + note);
    }
    return Status();
  }

  ReadableStorage& storage_;
  const FormatRegistry& formats_;
  const VerifyOptions& options_;
  SharedProgress progress_;
  std::vector<Variant> variants_;
  std::vector<Status> missing_;
  VerifyResult result_;
};

}  // namespace

Result<VerifyResult> Verify(const VerifyOptions& options, const Job& job) {
  const StopScope scope(job.stop);
  if (options.against.empty() && !options.list.empty()) {
    return Status(Code::kInvalidArgument,
                  "a list needs the folder that its paths are below");
  }
  if (options.list.empty() && !options.list_root.empty()) {
    return Status(Code::kInvalidArgument,
                  "a folder that a list's paths start from needs the list");
  }
  SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const storage,
                            StorageFor(job, options.target));
  SHARDINE_ASSIGN_OR_RETURN(const FileInfo info, storage->Stat(options.target));
  const std::string file = job.formats.ShardFileAt(*storage, options.target);
  // A folder that is a record file, as an LMDB is, is verified as one file,
  // unless it has a manifest as well, which knows more about it.
  const bool bare =
      file != options.target &&
      !storage->Stat(JoinPath(options.target, kManifestName)).ok();
  const bool manifest = FileNameOf(options.target) == kManifestName;
  if ((info.kind != FileKind::kDirectory && !manifest) || bare) {
    if (!options.against.empty()) {
      return Status(Code::kInvalidArgument,
                    "is one shard file, whose images are not compared with "
                    "their files; those of a dataset are")
          .At({.path = options.target});
    }
    VerifyOptions of_file = options;
    of_file.target = file;
    return VerifyFile(*storage, of_file, job);
  }
  auto dataset = DatasetReader::Open(*storage, options.target);
  if (!dataset.ok()) {
    // A damaged manifest is what verification is there to find; the result says
    // so instead of failing.
    if (dataset.status().code() != Code::kCorrupt) {
      return std::move(dataset).status();
    }
    VerifyResult result;
    result.findings.push_back(std::move(dataset).status());
    return result;
  }
  const ManifestVariant& variant = (*dataset)->manifest().variant;
  if (!options.against.empty() && variant.short_side > 0) {
    return Status(Code::kInvalidArgument, "holds images at another size (" +
                                              variant.name +
                                              "), which are no files of a tree")
        .At({.path = options.target});
  }
  return FamilyVerifier(*storage, job.formats, options, job.progress)
      .Run(**dataset, job.stop);
}

}  // namespace shardine
