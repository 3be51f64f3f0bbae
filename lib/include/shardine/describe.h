// The options of the verbs, described (shardine/option.h): one function for
// each struct of options. A list is bound to the struct that it was made of,
// and its rules hold for the values that the struct has then: ask again after a
// change. The struct must outlive the list.
#ifndef SHARDINE_DESCRIBE_H_
#define SHARDINE_DESCRIBE_H_

#include <map>
#include <string>

#include "shardine/option.h"

namespace shardine {

struct AuditOptions;
struct CardOptions;
struct ConvertOptions;
struct DoctorOptions;
struct ExtractOptions;
struct IndexOptions;
struct MergeOptions;
struct PackOptions;
struct ReindexOptions;
struct RelabelOptions;
struct ReportOptions;
struct ResizeRequest;
struct ScanOptions;
struct SourceOptions;
struct VerifyOptions;

OptionList DescribeOptions(SourceOptions& source);
OptionList DescribeOptions(PackOptions& pack);
OptionList DescribeOptions(ConvertOptions& convert);
OptionList DescribeOptions(MergeOptions& merge);
OptionList DescribeOptions(RelabelOptions& relabel);
OptionList DescribeOptions(IndexOptions& index);
OptionList DescribeOptions(ReindexOptions& reindex);
OptionList DescribeOptions(ResizeRequest& resize);
OptionList DescribeOptions(VerifyOptions& verify);
OptionList DescribeOptions(AuditOptions& audit);
OptionList DescribeOptions(ReportOptions& report);
OptionList DescribeOptions(CardOptions& card);
OptionList DescribeOptions(ScanOptions& scan);
OptionList DescribeOptions(ExtractOptions& extract);
OptionList DescribeOptions(DoctorOptions& doctor);

// The options that decide the bytes of the output, as
// Provenance::options has them.
template <typename Asked>
std::map<std::string, std::string> RecordedOptions(Asked asked) {
  Asked plain;
  return RecordedOptions(DescribeOptions(asked), DescribeOptions(plain));
}

}  // namespace shardine

#endif  // SHARDINE_DESCRIBE_H_
