// EpochModel: from measurements to the table of an epoch and the change to
// make. The formulas are in shardine/doctor.h.
#ifndef SHARDINE_DOCTOR_EPOCH_MODEL_H_
#define SHARDINE_DOCTOR_EPOCH_MODEL_H_

#include "shardine/doctor.h"

namespace shardine {

// Sets page_hours, rows, now, then and change from the other members, and
// nothing else. REQUIRES: samples, threads, and one of storage and server; an
// image rate of the original first, all bytes above 0.
void FillEpochTable(DoctorResult& result);

}  // namespace shardine

#endif  // SHARDINE_DOCTOR_EPOCH_MODEL_H_
