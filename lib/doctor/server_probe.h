// ServerProbe: how long a server takes to answer, and how fast its bytes come.
#ifndef SHARDINE_DOCTOR_SERVER_PROBE_H_
#define SHARDINE_DOCTOR_SERVER_PROBE_H_

#include <stop_token>
#include <vector>

#include "doctor/storage_probe.h"
#include "io/readable_storage.h"
#include "shardine/doctor.h"
#include "shardine/status.h"

namespace shardine {

// Up to 20 ranges of 4 KiB, one after the other, for two seconds at most;
// then ranges of 4 MiB, four at a time, until 64 MiB, the bytes of the files or
// a second and a half are over.
// `files` are looked at in turn, four at most. kRemote, kNotFound, kCancelled;
// kInvalidArgument: there are no bytes.
Result<ServerRates> ProbeServer(ReadableStorage& storage,
                                const std::vector<ProbedFile>& files,
                                const std::stop_token& stop);

}  // namespace shardine

#endif  // SHARDINE_DOCTOR_SERVER_PROBE_H_
