// The other programs that read each layout.
#ifndef SHARDINE_FORMAT_READERS_H_
#define SHARDINE_FORMAT_READERS_H_

#include <string_view>
#include <utility>

namespace shardine {

// For people: "MXNet, DALI". `layout`: without parameters.
constexpr std::string_view FormatReaders(std::string_view layout) {
  constexpr std::pair<std::string_view, std::string_view> kReaders[] = {
      {"recordio/mxnet", "MXNet, DALI"},
      {"tfrecord/imagenet", "TensorFlow, DALI"},
      {"tfrecord/tfds", "TensorFlow, TensorFlow Datasets"},
      {"lmdb/folder2lmdb", "Efficient-PyTorch's ImageFolderLMDB, its forks"},
      {"lmdb/datum", "py-lmdb with Caffe's datum.proto, DALI"},
      {"lmdb/fields", "py-lmdb and NumPy"},
      {"lmdb/tensorpack", "tensorpack"},
      {"lmdb/images", "py-lmdb, by the order of the keys"},
      {"lmdb/pytorch-lmdb", "PyTorch-LMDB"},
      {"lmdb/stylegan2", "StyleGAN2 in PyTorch"},
      {"lmdb/ocr", "deep-text-recognition-benchmark"},
      {"hdf5/fuel", "h5py, Fuel"},
      {"hdf5/array", "h5py, under BigGAN's names"},
      {"hdf5/caffe", "h5py, Caffe"},
      {"webdataset", "webdataset, timm, DALI, tar"}};
  for (const auto& [name, readers] : kReaders) {
    if (name == layout) return readers;
  }
  return "programs of its own";
}

}  // namespace shardine

#endif  // SHARDINE_FORMAT_READERS_H_
