// A file with a dataset next to it, and what ought to be in the dataset.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "companion/companion.h"
#include "formats/registry/open_dataset.h"
#include "support/read_box.h"
#include "unit/shared_cdf/shared_file_case.h"

namespace esker::testing_support {

/// A file with a dataset next to it.
struct Pair {
  std::unique_ptr<cdf::SharedFile> file;
  std::unique_ptr<Companion> companion;

  Pair(const Communicator& comm, const std::shared_ptr<Store>& store, const std::string& format = "idx",
       const std::function<void(cdf::Header&)>& define = define_all_shapes) {
    const Options options = quiet();
    file = cdf::SharedFile::create(comm.get(), store, "run.nc", cdf::Version::kData64, true, options).value();
    define(file->definition());
    companion = std::make_unique<Companion>(comm.get(), store, *file, options, format, true);
    end_definition();
  }
  /// Opens the file, and continues its dataset.
  struct Opened {};
  Pair(const Communicator& comm, const std::shared_ptr<Store>& store, Opened) {
    const Options options = quiet();
    file = cdf::SharedFile::open(comm.get(), store, "run.nc", true, Result<Options>(options)).value();
    companion = std::make_unique<Companion>(comm.get(), store, *file, options, "idx", true);
    companion->resume().check();
  }
  static Options quiet() {
    Options options;
    options.report = "none";
    return options;
  }
  void end_definition() {
    file->end_definition({}).check();
    companion->take_definition().check();
  }
  Status put(std::span<cdf::Access> accesses) {
    file->put({}, accesses).check();
    companion->note(accesses);
    return companion->follow(accesses);
  }
  Status sync() {
    file->sync().check();
    return companion->commit();
  }
  Status close() {
    file->sync().check();
    const Status closed = companion->close();
    file->close().check();
    return closed;
  }
};

/// The values of a variable, or of one record of it, that Esker reads as a field with this box.
inline std::vector<std::byte> values_in_file(cdf::SharedFile& file, const Field& field, Index step) {
  const cdf::Header& header = file.header();
  cdf::Access access;
  while (header.variables[static_cast<std::size_t>(access.variable)].name != field.name) ++access.variable;
  const cdf::Variable& variable = header.variables[static_cast<std::size_t>(access.variable)];
  for (const int dim : variable.dims) {
    access.start.push_back(0);
    access.count.push_back(header.dims[static_cast<std::size_t>(dim)].length);
  }
  if (header.is_record(variable)) access.start[0] = step, access.count[0] = 1;
  std::vector<std::byte> values(static_cast<std::size_t>(header.value_bytes(variable)));
  access.memory_type = variable.type;
  access.target = values.data();
  file.get_alone({&access, 1}).check();
  return values;
}

/// Bytes of values in the steps of a dataset, which are compared with those in the file.
inline int compare_values(const OpenedDataset& dataset, cdf::SharedFile& file) {
  int compared = 0;
  const auto& fields = dataset.schema.fields();
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const Index n_steps = fields[f].fixed ? 1 : static_cast<Index>(dataset.times.size());
    for (Index step = 0; step < n_steps; ++step) {
      const auto expected = values_in_file(file, fields[f], step);
      std::vector<std::byte> found(expected.size());
      const int number = static_cast<int>(f);
      read_box(dataset, number, step, dataset.box(number), dataset.bitmask(number).value().max_level(),
               found.data())
          .check();
      EXPECT_TRUE(found == expected) << fields[f].name << " " << step;
      compared += static_cast<int>(found.size());
    }
  }
  return compared;
}

inline std::unique_ptr<cdf::SharedFile> open_to_read(const std::shared_ptr<Store>& store) {
  return cdf::SharedFile::open(serial_comm(), store, "run.nc", false, Result<Options>(Options())).value();
}

/// The same for a whole dataset with exactly these fields. Without `times` its steps are numbered.
inline int compare(const std::shared_ptr<Store>& store, const std::string& path,
                   const std::set<std::string>& expected, std::vector<double> times = {}) {
  const auto file = open_to_read(store);
  const auto dataset = open_dataset(store, path);
  EXPECT_TRUE(dataset.ok()) << dataset.status().message();
  if (!dataset.ok()) return 0;
  std::set<std::string> found;
  bool has_records = false;
  for (const Field& field : (*dataset)->schema.fields()) {
    found.insert(field.name);
    has_records = has_records || !field.fixed;
  }
  EXPECT_EQ(found, expected);
  const Index n_steps = has_records ? file->header().num_records : 1;
  if (times.empty()) {
    for (Index step = 0; step < n_steps; ++step) times.push_back(static_cast<double>(step));
  }
  EXPECT_EQ((*dataset)->times, times);
  EXPECT_EQ(std::ssize(times), n_steps);
  return compare_values(**dataset, *file);
}

}  // namespace esker::testing_support
