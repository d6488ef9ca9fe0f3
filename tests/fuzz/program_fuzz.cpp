/// Any bytes as answers of a program, as a line and as a frame: taken whole, or refused and nothing has changed. And as
/// the first line of a connection.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "link/program/hello.h"
#include "link/program/lines.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::vector<std::string> joints{"HeadYaw", "HeadPitch", "LKneePitch"};
  gradus::Orders orders;
  for (auto* list : {&orders.target, &orders.stiffness, &orders.velocity, &orders.torque, &orders.kp, &orders.kd})
    list->assign(joints.size(), 0.5);
  const gradus::Orders before = orders;
  const auto same = [&] {
    return orders.target == before.target && orders.stiffness == before.stiffness &&
           orders.velocity == before.velocity && orders.torque == before.torque && orders.kp == before.kp &&
           orders.kd == before.kd;
  };
  std::string end;
  const std::string fault = gradus::take_line(text, joints, orders, end);
  if (fault.empty() ? !orders.fault().empty() : !same()) std::abort();
  orders = before;
  const std::string wrong = gradus::take_frame(std::as_bytes(std::span(data, size)), orders);
  if (wrong.empty() ? !orders.fault().empty() : !same()) std::abort();
  gradus::Hello hello;
  if (gradus::read_hello(text, hello).empty() && !hello.images.empty() && !hello.binary) std::abort();
  return 0;
}
