// trainer TREE FOLDER: packs an ImageFolder tree into FOLDER and trains a
// softmax regression on it, on random crops of 16 x 16 pixels. Prints the loss
// of each epoch and how many images it knows in the end; fails if that is no
// better than guessing.
#include <shardine/loader.h>
#include <shardine/pack.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr std::uint32_t kSide = 16;
constexpr std::size_t kFeatures = kSide * kSide * 3 + 1;  // and a bias
constexpr int kEpochs = 60;
constexpr float kRate = 0.002F;

// One row of weights for each class.
class Model {
 public:
  explicit Model(std::size_t classes)
      : weights_(classes, std::vector<float>(kFeatures, 0)) {}

  std::vector<float> Probabilities(std::span<const float> image) const {
    std::vector<float> values;
    for (const auto& row : weights_) {
      float value = row.back();
      for (std::size_t i = 0; i < image.size(); ++i) value += row[i] * image[i];
      values.push_back(value);
    }
    const float most = *std::max_element(values.begin(), values.end());
    float sum = 0;
    for (float& value : values) sum += value = std::exp(value - most);
    for (float& value : values) value /= sum;
    return values;
  }

  // One step down the gradient of the cross-entropy, which it returns.
  float Learn(std::span<const float> image, std::size_t label) {
    const std::vector<float> found = Probabilities(image);
    for (std::size_t c = 0; c < weights_.size(); ++c) {
      const float error = found[c] - (c == label ? 1.0F : 0.0F);
      for (std::size_t i = 0; i < image.size(); ++i) {
        weights_[c][i] -= kRate * error * image[i];
      }
      weights_[c].back() -= kRate * error;
    }
    return -std::log(std::max(found[label], 1e-9F));
  }

 private:
  std::vector<std::vector<float>> weights_;
};

shardine::LoaderOptions Options() {
  shardine::LoaderOptions options;
  options.batch_size = 8;
  options.last_batch = shardine::LastBatch::kShort;
  options.transform = shardine::Transform(
      shardine::RandomResizedCrop{
          .width = kSide, .height = kSide, .min_scale = 0.35},
      {shardine::Normalize{.mean = {124, 116, 104}, .std = {58, 57, 57}}});
  options.pixels.type = shardine::PixelType::kFloat32;
  return options;
}

// Calls `visit` with the pixels and label of each image of one epoch.
template <typename Visit>
shardine::Status ForEachImage(shardine::Loader& loader, const Visit& visit) {
  while (true) {
    auto batch = loader.Next();
    if (!batch.ok()) return batch.status();
    if (!batch->has_value()) return {};
    const auto* pixels =
        reinterpret_cast<const float*>((*batch)->pixels().data());
    for (const shardine::Label& label : (*batch)->labels()) {
      visit(std::span(pixels, kFeatures - 1),
            static_cast<std::size_t>(label.integer()));
      pixels += kFeatures - 1;
    }
  }
}

shardine::Status Train(const std::shared_ptr<const shardine::Dataset>& dataset,
                       double& known) {
  auto loader = shardine::Loader::Create(dataset, Options());
  if (!loader.ok()) return loader.status();
  Model model(dataset->classes().size());
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    float loss = 0;
    const shardine::Status status =
        ForEachImage(**loader, [&](auto image, std::size_t label) {
          loss += model.Learn(image, label);
        });
    if (!status.ok()) return status;
    if (epoch % 10 == 9) {
      std::printf(
          "epoch %d: loss %.3f\n", epoch + 1,
          static_cast<double>(loss) / static_cast<double>(dataset->size()));
    }
  }
  std::size_t right = 0;
  const shardine::Status status =
      ForEachImage(**loader, [&](auto image, std::size_t label) {
        const auto found = model.Probabilities(image);
        const auto best = std::max_element(found.begin(), found.end());
        right += static_cast<std::size_t>(best - found.begin()) == label;
      });
  known = static_cast<double>(right) / static_cast<double>(dataset->size());
  return status;
}

shardine::Status Run(const std::string& tree, const std::string& folder) {
  shardine::PackOptions pack;
  pack.source.folders = {{"train", tree}};
  pack.output = folder + "/shards";
  if (const auto packed = shardine::Pack(pack); !packed.ok()) {
    return packed.status();
  }
  const auto dataset = shardine::Dataset::Open(pack.output);
  if (!dataset.ok()) return dataset.status();
  double known = 0;
  shardine::Status status = Train(*dataset, known);
  if (!status.ok()) return status;
  const double guessed = 1 / static_cast<double>((*dataset)->classes().size());
  std::printf("knows %.0f %% of the images; guessing: %.0f %%\n", 100 * known,
              100 * guessed);
  if (known > 2 * guessed) return {};
  return {shardine::Code::kFailed, "has learned nothing"};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: trainer TREE FOLDER\n");
    return 2;
  }
  std::filesystem::remove_all(argv[2]);
  std::filesystem::create_directories(argv[2]);
  const shardine::Status status = Run(argv[1], argv[2]);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
