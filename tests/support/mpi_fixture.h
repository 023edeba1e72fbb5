// A directory that all ranks of an MPI test share; rank 0 creates and removes it.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "comm/gather.h"
#include "esker/mpi.hpp"

namespace esker::testing_support {

class MpiTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto base = std::filesystem::temp_directory_path() / ("esker-mpi-" + std::to_string(::getpid()));
    directory_ = share_text(*comm_.get(), base.string(), 0).value();
    if (comm_.rank() == 0) std::filesystem::create_directories(directory_);
    comm_.get()->barrier();
  }
  void TearDown() override {
    comm_.get()->barrier();
    if (comm_.rank() == 0) std::filesystem::remove_all(directory_);
  }

  [[nodiscard]] std::string path(const std::string& name) const { return directory_ + "/" + name; }
  [[nodiscard]] bool is_last_rank() const { return comm_.rank() == comm_.size() - 1; }

  /// Whether `status` has this code and the same text on all ranks.
  void expect_everywhere(const Status& status, Code code) {
    EXPECT_EQ(code_name(status.code()), std::string(code_name(code))) << status.message();
    EXPECT_EQ(share_text(*comm_.get(), status.message(), 0).value(), status.message());
  }

  Communicator comm_ = mpi_communicator(MPI_COMM_WORLD);
  std::string directory_;
};

}  // namespace esker::testing_support
