/// Where the robots, fields, motions and scenes are that come with gradus: beside the installed program or library
/// (PREFIX/share/gradus, wherever PREFIX was moved to), in the checkout that it was built from, in the prefix it was
/// built for. The first one counts first.
#pragma once
#include "load/find_file.h"

namespace gradus {

/// Folders that exist, for a program, or a library in somebody else's program, that this function is part of.
LoadOptions shipped_files();
/// A file as it is named, or else of the shipped ones: "robots/kidsize.toml", or "levels" for kind "scenes". Unchanged
/// if it is nowhere; whoever opens it says so.
std::string find_shipped(const std::string& name, const std::string& kind);

}  // namespace gradus
