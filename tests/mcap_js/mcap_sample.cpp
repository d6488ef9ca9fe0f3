/// Writes the logs that read_log.mjs checks, into the folder given:
///   whole.mcap  3 topics, many chunks, attachment, metadata     full.mcap  the same, ended by a full disk
///   cut.mcap    the same without its last third, as after a crash
#include <cstdio>

#include "io/foxglove_schemas.h"
#include "unit/io/log_fixtures.h"

namespace {

using namespace gradus;

constexpr std::uint64_t kStep = 10'000'000;  // [ns]
constexpr int kSteps = 1000;

void describe_scene(McapWriter& log, std::uint16_t channel) {
  const foxglove::Vector corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const std::uint32_t indices[] = {0, 1, 2};
  const foxglove::Shape shapes[] = {
      {foxglove::ShapeKind::cube, {}, {0.1, 0.2, 0.3}, {}, {}, {}},
      {foxglove::ShapeKind::sphere, {{0, 0, 0.5}, {1, 0, 0, 0}}, {0.2, 0.2, 0.2}, {1, 0.5, 0, 1}, {}, {}},
      {foxglove::ShapeKind::cylinder, {}, {0.1, 0.1, 1}, {}, {}, {}},
      {foxglove::ShapeKind::triangles, {}, {}, {}, corners, indices},
  };
  const foxglove::Entity entities[] = {{"blue1.base", "blue1.base.shapes", shapes}};
  std::string json;
  foxglove::append_scene_update(json, 0, entities);
  log.message(channel, 0, as_byte_view(json));
}

/// Step i: base at x = i / 7, turned; the hash topic every tenth step.
void log_step(McapWriter& log, int i, std::uint16_t poses, std::uint16_t hashes) {
  const auto time = static_cast<std::uint64_t>(i) * kStep;
  const foxglove::FrameTransform transforms[] = {
      {"world", "blue1.base", {{i / 7.0, -0.5, 1e-9 * i}, {0.5, 0.5, -0.5, 0.5}}},
      {"world", "ball \"β\"", {{0, 0, 0.07}, {1, 0, 0, 0}}},
  };
  std::vector<std::uint8_t> message;
  foxglove::append_frame_transforms(message, time, transforms);
  log.message(poses, time, std::as_bytes(std::span(message)));
  if (i % 10 == 0) {
    const std::string hash = "{\"step\":" + std::to_string(i) + ",\"hash\":\"00ff\"}";
    log.message(hashes, time, as_byte_view(hash));
  }
}

std::string log_bytes(std::uint64_t capacity) {
  std::string bytes;
  McapWriter log(std::make_unique<test::MemorySink>(bytes, capacity), test::small_chunks(8'000));
  const std::uint16_t poses_schema =
      log.schema(foxglove::kFrameTransforms, foxglove::kProtobuf, foxglove::frame_transforms_schema());
  const std::uint16_t scene_schema =
      log.schema(foxglove::kSceneUpdate, foxglove::kJsonSchema, foxglove::scene_update_schema());
  const std::uint16_t scene = log.channel("scene", foxglove::kJson, scene_schema);
  const std::uint16_t poses = log.channel("poses", foxglove::kProtobuf, poses_schema, {{"frame", "world"}});
  const std::uint16_t hashes = log.channel("hash", foxglove::kJson, 0);
  log.metadata("run", {{"scene", "levels.toml"}, {"seed", "7"}});
  log.attachment("scene.toml", "application/toml", as_byte_view("[world]\nstep = \"1 ms\"\n"));
  describe_scene(log, scene);
  for (int i = 0; i < kSteps; ++i) log_step(log, i, poses, hashes);
  log.close();
  return bytes;
}

/// One message of each kind that has to do with images.
std::string image_bytes() {
  std::string bytes;
  McapWriter log(std::make_unique<test::MemorySink>(bytes, ~0ull), test::small_chunks(8'000));
  const std::vector<std::uint8_t> rows = {1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<std::uint8_t> message;
  const auto put = [&](std::string_view name, const std::string& schema, const char* topic) {
    const std::uint16_t channel = log.channel(topic, foxglove::kProtobuf, log.schema(name, foxglove::kProtobuf, schema));
    log.message(channel, kStep, std::as_bytes(std::span(message)));
    message.clear();
  };
  foxglove::append_raw_image(message, kStep, "blue1.camera_top", {2, 2, 4, "yuyv", rows});
  put(foxglove::kRawImage, foxglove::raw_image_schema(), "raw");
  foxglove::append_compressed_image(message, kStep, "blue1.camera_top", "jpeg", rows);
  put(foxglove::kCompressedImage, foxglove::compressed_image_schema(), "compressed");
  foxglove::append_camera_calibration(message, kStep, "blue1.camera_top", {640, 480, 600, 601, 320, 240, {-0.28, 0.09, 0.0008, -0.0005, -0.012}});
  put(foxglove::kCameraCalibration, foxglove::camera_calibration_schema(), "calibration");
  log.close();
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: mcap_sample FOLDER\n");
    return 2;
  }
  const std::string folder = argv[1];
  const std::string whole = log_bytes(~0ull);
  test::write_text(folder + "/whole.mcap", whole);
  test::write_text(folder + "/images.mcap", image_bytes());
  test::write_text(folder + "/full.mcap", log_bytes(whole.size() / 2));
  test::write_text(folder + "/cut.mcap", whole.substr(0, whole.size() * 2 / 3));
  return 0;
}
