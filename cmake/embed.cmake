# cmake -DDIST=<folder> -DOUTPUT=<file.cpp> -P embed.cmake: the files of a built page as a C++ table.
file(GLOB_RECURSE files RELATIVE ${DIST} ${DIST}/*)
list(SORT files)
set(arrays "")
set(table "")
set(number 0)
foreach(file ${files})
  get_filename_component(extension ${file} LAST_EXT)
  set(type "application/octet-stream")
  if(extension STREQUAL ".html")
    set(type "text/html; charset=utf-8")
  elseif(extension STREQUAL ".js")
    set(type "text/javascript; charset=utf-8")
  elseif(extension STREQUAL ".css")
    set(type "text/css; charset=utf-8")
  elseif(extension STREQUAL ".svg")
    set(type "image/svg+xml")
  endif()
  file(READ ${DIST}/${file} hex HEX)
  string(LENGTH "${hex}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(APPEND arrays "const unsigned char kFile${number}[] = {${bytes}};\n")
  string(APPEND table "    {\"/${file}\", \"${type}\", {reinterpret_cast<const char*>(kFile${number}), ${size}}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUTPUT} "// Written by cmake/embed.cmake from web/dist.
#include \"server/assets.h\"

namespace gradus::view {
namespace {
${arrays}
const Asset kAssets[] = {
${table}};
}  // namespace

std::span<const Asset> assets() { return kAssets; }

const Asset* find_asset(std::string_view path) {
  for (const Asset& a : kAssets)
    if (a.path == path) return &a;
  return nullptr;
}

}  // namespace gradus::view
")
