/// Problems as the public interface tells them.
#pragma once
#include "base/result.h"
#include "gradus/gradus.h"

namespace gradus {

/// Throws all errors in one text.
[[noreturn]] inline void fail(const Diagnostics& notes) {
  std::string text;
  for (const Diagnostic& d : notes)
    if (d.severity == Severity::error) text += (text.empty() ? "" : "\n") + to_string(d);
  throw Error(text);
}

}  // namespace gradus
