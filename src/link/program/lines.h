/// What programs outside are told of a robot and what they may ask of it, in two forms [docs/controllers.md]: one JSON
/// object a line, and frames of little-endian doubles for speed. Used over pipes (process) and sockets (tcp).
///
///   lines    {"k": 12, "time": 0.12, "q": […], …}⏎                        answer: {"target": […]}⏎
///   frames   u32 bytes, then all numbers of the state as the schema says   answer: u32 bytes, u32 mask, lists of the
///   mask
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "link/program/image_frames.h"
#include "link/program/image_share.h"
#include "link/program/orders.h"

namespace gradus {

/// The first line: robot, kind, joints, limits, motors, feet, period.
std::string robot_line(const std::string& robot, const RobotKind& kind, double period);
/// The same, with what a state and an answer are made of in the binary form.
std::string schema_line(const std::string& robot, const RobotKind& kind, double period, const RobotOutput& state,
                        const Orders& orders);

void append_state_line(const RobotOutput& state, std::string& out, ImageShare* images = nullptr);
void append_state_frame(const RobotOutput& state, Bytes& out, ImageFrames* images = nullptr);

/// An answer. "" or what is wrong with it; then nothing has changed. end: filled if the program wants the run to end.
std::string take_line(std::string_view line, const std::vector<std::string>& joints, Orders& orders, std::string& end);
/// A program that can save is asked with this line, answers {"state": ANYTHING}, and is given that back later. [take_state: "" or
/// what is wrong; state: as it is to be given back]
inline constexpr std::string_view kSaveLine = "{\"save\":true}\n";
std::string take_state(std::string_view line, std::string& state);
std::string restore_line(std::string_view state);
/// payload: what follows the length.
std::string take_frame(ByteView payload, Orders& orders);
/// Bytes of the longest answer that a frame may announce.
std::size_t longest_answer(const Orders& orders);

/// Names of a robot's joints, in the order of all lists.
std::vector<std::string> joint_names(const RobotKind& kind);

}  // namespace gradus
