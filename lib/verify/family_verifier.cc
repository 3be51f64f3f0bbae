#include "verify/family_verifier.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "base/status_macros.h"
#include "dataset/image_copies.h"
#include "verify/dataset_verifier.h"

namespace shardine {

Result<VerifyResult> FamilyVerifier::Run(const FamilyOutcomeOf& outcome_of) {
  const auto& members = family_.members();
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (members[i].reader == nullptr) continue;
    if (i > 0) CompareWithRoot(members[i]);
    SHARDINE_RETURN_IF_ERROR(VerifyMember(i, outcome_of));
    if (i > 0) continue;
    // After the findings of the original, where the manifest that lists them
    // is.
    for (const DatasetFamily::Member& member : members) {
      if (!member.missing.ok()) result_.findings.push_back(member.missing);
    }
  }
  if (result_.findings.empty() && options_.level != VerifyLevel::kQuick) {
    CompareSplits();
  }
  if (storage_.List(family_.root().directory()).status().code() ==
      Code::kUnsupported) {
    result_.notes.push_back(
        "folders cannot be listed there: nobody looked for files that are "
        "not in the manifest");
  }
  return std::move(result_);
}

void FamilyVerifier::CompareSplits() {
  auto copies = FindSplitCopies(family_.root(), {});
  if (copies.ok()) {
    result_.copies = *std::move(copies);
  } else {
    result_.notes.push_back("the splits were not compared with each other: " +
                            copies.status().ToString());
  }
}

// Conditions between two variants, beside each being sound.
void FamilyVerifier::CompareWithRoot(const DatasetFamily::Member& variant) {
  const Manifest& root = family_.root().manifest();
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
          .At({.path = JoinPath(variant.reader->directory(), kManifestName)}));
}

Status FamilyVerifier::VerifyMember(std::size_t number,
                                    const FamilyOutcomeOf& outcome_of) {
  const DatasetFamily::Member& member = family_.members()[number];
  const VerifyOptions options = OptionsOfMember(options_, member);
  SHARDINE_ASSIGN_OR_RETURN(
      const auto shards,
      DatasetShards::Open(storage_, *member.reader, formats_, options));
  DatasetVerifier verifier(storage_, *shards, options);
  SHARDINE_ASSIGN_OR_RETURN(VerifyResult one,
                            verifier.Run([&](std::size_t shard) {
                              return outcome_of(*shards, number, shard);
                            }));
  result_.shards += one.shards;
  result_.samples += one.samples;
  result_.bytes += one.bytes;
  if (number == 0) result_.contents = std::move(one.contents);
  std::ranges::move(one.findings, std::back_inserter(result_.findings));
  const std::string prefix = member.path.empty() ? "" : member.path + "/";
  for (const std::string& note : one.notes) {
    result_.notes.push_back(prefix + note);
  }
  return Status();
}

}  // namespace shardine
