#include "hdf5/hdf5_output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/status_macros.h"

namespace shardine {

Result<std::unique_ptr<Hdf5Output>> Hdf5Output::Create(Storage& storage,
                                                       std::string path) {
  SHARDINE_RETURN_IF_ERROR(CheckHdf5Library(path));
  SHARDINE_ASSIGN_OR_RETURN(NativeFile native,
                            NativeFile::Create(storage, std::move(path)));
  std::unique_ptr<Hdf5Output> output(new Hdf5Output(std::move(native)));
  const int descriptor =
      open(output->native_.native_path().c_str(), O_RDWR | O_TRUNC | O_CLOEXEC);
  if (descriptor < 0) {
    return Status::FromErrno(errno, "open", output->path());
  }
  output->target_.descriptor = descriptor;
  const Hdf5Lock lock;
  const Hdf5Id create(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  const Hdf5Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  const bool set = H5Pset_obj_track_times(create.get(), false) >= 0 &&
                   SetOutputDriver(access.get(), output->target_) &&
                   H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG) >= 0 &&
                   H5Pset_libver_bounds(access.get(), H5F_LIBVER_EARLIEST,
                                        H5F_LIBVER_LATEST) >= 0;
  if (set) {
    output->file_ = Hdf5Id(
        H5Fcreate("x", H5F_ACC_TRUNC, create.get(), access.get()), H5Fclose);
  }
  if (!output->file_.valid()) return output->Error("create");
  return output;
}

Status Hdf5Output::Error(std::string_view action) const {
  if (target_.error == 0) return Hdf5Error(action, path());
  return Status::FromErrno(target_.error, "write", path());
}

Hdf5Output::~Hdf5Output() {
  const Hdf5Lock lock;
  file_.Reset();
  if (target_.descriptor >= 0) close(target_.descriptor);
}

Result<std::uint64_t> Hdf5Output::Finish() {
  hsize_t size = 0;
  {
    const Hdf5Lock lock;
    if (H5Fflush(file_.get(), H5F_SCOPE_GLOBAL) < 0 ||
        H5Fget_filesize(file_.get(), &size) < 0 || !file_.Reset()) {
      return Error("write");
    }
  }
  SHARDINE_RETURN_IF_ERROR(native_.Commit());
  return std::uint64_t{size};
}

}  // namespace shardine
