// The program of a profile's credential_process.
#ifndef SHARDINE_REMOTE_CREDENTIAL_PROCESS_H_
#define SHARDINE_REMOTE_CREDENTIAL_PROCESS_H_

#include <string>

#include "remote/credential_source.h"
#include "shardine/environment.h"

namespace shardine {

// Runs it by the shell with these variables. Ends with the stop of this
// thread's work, which ends the program, too. Its output counts where its exit
// status cannot be had, because the process ignores SIGCHLD.
Result<FetchedCredentials> CredentialsOfProcess(const Environment& environment,
                                                const std::string& command);

}  // namespace shardine

#endif  // SHARDINE_REMOTE_CREDENTIAL_PROCESS_H_
