// Findings: the problems that verify() finds, in the order of discovery, up to the maximum of a report.
#pragma once

#include <string>

#include "base/readable.h"
#include "esker/types/status.hpp"
#include "esker/types/verify_report.hpp"

namespace esker {

class Findings {
 public:
  explicit Findings(VerifyReport& report) : report_(report) {}

  void add(bool is_error, const std::string& path, const std::string& text) {
    ++(is_error ? report_.num_errors : report_.num_warnings);
    if (!full()) report_.findings.push_back({is_error, readable(path), readable(text)});
  }
  void error(const std::string& path, const std::string& text) { add(true, path, text); }
  /// Why something could not be read; `what` names it.
  void error(const std::string& path, const Status& why, const std::string& what = {}) {
    if (why.code() == Code::kIoError) ++report_.num_unreadable;
    error(path, what.empty() ? why.message() : what + ": " + why.message());
  }
  void warning(const std::string& path, const std::string& text) { add(false, path, text); }
  [[nodiscard]] bool full() const {
    return static_cast<Index>(report_.findings.size()) >= VerifyReport::kMaxFindings;
  }

 private:
  VerifyReport& report_;
};

}  // namespace esker
