#include "server/recording.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace gradus::view {
namespace {

std::string base64(std::string_view text) {
  return to_base64({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

TEST(Recording, base64_is_that_of_the_standard) {  // RFC 4648, section 10
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foob"), "Zm9vYg==");
  EXPECT_EQ(base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
}

/// A robot may have any name; none may end the element that holds the scene and start a script of its own.
TEST(Recording, no_name_can_break_out_of_its_element) {
  auto scene = std::make_shared<SceneDescription>();
  scene->name = "</script><script>alert(1)</script><!-- ";
  Recording recording(scene);
  recording.add(Frame{});
  const std::string html = recording.to_html();
  EXPECT_EQ(html.find("<script>alert"), std::string::npos);
  const std::string open = "id=\"gradus-scene\">";
  const std::size_t begin = html.find(open) + open.size(), end = html.find("</script>", begin);
  const auto j = nlohmann::json::parse(html.substr(begin, end - begin));
  EXPECT_EQ(j["name"], scene->name) << "and it is still the same name";
  std::size_t closing = 0, opening = 0;
  for (std::size_t at = html.find("</script>"); at != html.npos; at = html.find("</script>", at + 1)) ++closing;
  for (std::size_t at = html.find("<script type="); at != html.npos; at = html.find("<script type=", at + 1)) ++opening;
  EXPECT_EQ(opening, 3u);
  EXPECT_EQ(closing, 3u);
}

}  // namespace
}  // namespace gradus::view
