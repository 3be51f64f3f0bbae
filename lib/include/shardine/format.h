// What is public about formats: the table of those built in.
#ifndef SHARDINE_FORMAT_H_
#define SHARDINE_FORMAT_H_

namespace shardine {

class FormatRegistry;

// RecordIO and whatever else this build has. Never destroyed.
const FormatRegistry& BuiltinFormats();

}  // namespace shardine

#endif  // SHARDINE_FORMAT_H_
