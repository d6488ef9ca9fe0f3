// Copies a log with gravity of its scene changed a little, so that a replay must notice: edit_log FROM TO.
#include <string>

#include "io/mcap_reader.h"
#include "io/mcap_writer.h"
#include "load/scene_json.h"

int main(int argc, char** argv) {
  using namespace gradus;
  if (argc != 3) return 2;
  auto in = McapReader::open(argv[1]);
  auto out = McapWriter::open(argv[2]);
  if (!in || !out) return 1;
  for (const McapAttachmentInfo& a : in->attachments()) {
    auto bytes = in->load(a);
    if (!bytes) return 1;
    std::string text(as_text(*bytes));
    if (a.name == "scene.json") {
      auto scene = scene_from_json(text, argv[1]);
      if (!scene) return 1;
      scene->gravity.z *= 1.0000001;
      text = to_json(*scene);
    }
    out->attachment(a.name, a.media_type, as_byte_view(text));
  }
  McapMessage m;
  const auto schema = out->schema("copy", "", "");
  std::map<std::string, std::uint16_t> channels;
  while (in->next(m)) {
    auto [it, fresh] = channels.try_emplace(m.channel->topic, std::uint16_t{0});
    if (fresh) it->second = out->channel(m.channel->topic, "gradus", schema);
    out->message(it->second, m.log_time, m.data);
  }
  return out->close() ? 0 : 1;
}
