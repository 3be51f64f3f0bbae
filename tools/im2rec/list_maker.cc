#include "im2rec/list_maker.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/check.h"
#include "base/status_macros.h"
#include "im2rec/python_shuffle.h"
#include "io/atomic_file.h"
#include "io/attempt_storage.h"

namespace shardine {

namespace {

// im2rec.py calls random.seed(100) before it shuffles. With the same seed and
// the same generator its lists come out byte for byte.
constexpr std::uint32_t kOriginalSeed = 100;
constexpr std::size_t kBufferSize = 1 << 20;

using Images = std::span<const ListedImage>;

Status WriteList(Storage& storage, const std::string& path, Images images) {
  OwnAttempt own(storage, path);
  SHARDINE_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::Create(own, path));
  std::string text;
  for (const ListedImage& image : images) {
    // "%d\t%f\t%s\n"; a label is a whole number here.
    text += std::to_string(image.id) + '\t' + std::to_string(image.label) +
            ".000000\t" + image.path + '\n';
    if (text.size() < kBufferSize) continue;
    SHARDINE_RETURN_IF_ERROR(file.Append(AsBytes(text)));
    text.clear();
  }
  SHARDINE_RETURN_IF_ERROR(file.Append(AsBytes(text)));
  return file.Publish();
}

// images[begin:end] as Python slices: bounds outside are cut off.
Images Slice(Images images, std::size_t begin, std::size_t end) {
  end = std::min(end, images.size());
  begin = std::min(begin, end);
  return images.subspan(begin, end - begin);
}

// As int(count * ratio) of the original: toward zero, of a product of doubles.
std::size_t Share(std::size_t count, double ratio) {
  return static_cast<std::size_t>(static_cast<double>(count) * ratio);
}

class ListWriter {
 public:
  ListWriter(Storage& storage, const ListOptions& options)
      : storage_(storage), options_(options) {}

  // `chunk_size` counts, not the chunk's own size: the last one is shorter.
  Status WriteChunk(const std::string& stem, Images chunk,
                    std::size_t chunk_size) {
    if (options_.train_ratio == 1.0) return Write(stem + ".lst", chunk);
    const std::size_t test = Share(chunk_size, options_.test_ratio);
    const std::size_t train = Share(chunk_size, options_.train_ratio);
    const Images rest = Slice(chunk, test + train, chunk.size());
    if (options_.test_ratio != 0) {
      SHARDINE_RETURN_IF_ERROR(
          Write(stem + "_test.lst", Slice(chunk, 0, test)));
    }
    // The original writes a validation list by this comparison of doubles, so
    // 0.9 and 0.1 have none, and the images that rounding leaves over are in no
    // list.
    if (options_.train_ratio + options_.test_ratio < 1.0) {
      SHARDINE_RETURN_IF_ERROR(Write(stem + "_val.lst", rest));
    } else {
      written_.left_over += rest.size();
    }
    return Write(stem + "_train.lst", Slice(chunk, test, test + train));
  }

  WrittenLists Finish() && { return std::move(written_); }

 private:
  Status Write(const std::string& path, Images images) {
    SHARDINE_RETURN_IF_ERROR(WriteList(storage_, path, images));
    written_.paths.push_back(path);
    return {};
  }

  Storage& storage_;
  const ListOptions& options_;
  WrittenLists written_;
};

}  // namespace

Result<WrittenLists> WriteLists(Storage& storage, const ListOptions& options,
                                std::vector<ListedImage> images) {
  SHARDINE_CHECK(options.chunks > 0);
  if (options.shuffle) {
    PythonShuffle(std::span<ListedImage>(images), kOriginalSeed);
  }
  const std::size_t size =
      // Rounded up, as the original has it; the usual sum before the division
      // could wrap.
      images.size() / options.chunks + (images.size() % options.chunks != 0);
  ListWriter writer(storage, options);
  for (std::uint64_t i = 0; i < options.chunks; ++i) {
    std::string stem = options.prefix;
    if (options.chunks > 1) stem += '_' + std::to_string(i);
    SHARDINE_RETURN_IF_ERROR(
        writer.WriteChunk(stem, Slice(images, i * size, (i + 1) * size), size));
  }
  return std::move(writer).Finish();
}

}  // namespace shardine
