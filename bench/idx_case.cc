// An IDX dataset through Esker's public interface.
#include "idx_case.h"

#include <filesystem>
#include <optional>

#include "esker/dataset.hpp"
#include "esker/writer.hpp"

namespace bench {
namespace {

esker::Patch patch_of(const FieldMemory& field) {
  constexpr Index kBytes = sizeof(double);
  esker::Patch patch{
      field.box, field.samples.data(), esker::SampleType::kFloat64, {}, field.component_stride * kBytes};
  for (int a = 0; a < field.box.rank; ++a) patch.stride_bytes[a] = field.strides[a] * kBytes;
  return patch;
}

class IdxCase final : public Case {
 public:
  IdxCase(std::string name, std::string path, const esker::Communicator& comm, esker::Options options)
      : name_(std::move(name)), path_(std::move(path)), comm_(comm), options_(std::move(options)) {}

  [[nodiscard]] std::string name() const override { return name_; }

  void begin_write() override { writer_ = esker::Writer::create(path_, comm_, options_).value(); }

  void write_step(const Workload& workload, Index step) override {
    if (step == 0) define(workload);
    writer_->begin_step(static_cast<double>(step)).check();
    for (std::size_t f = 0; f < workload.fields.size(); ++f) {
      writer_->put(handles_[f], patch_of(workload.fields[f])).check();
    }
    writer_->end_step().check();
    stored_bytes_ += writer_->last_step().stored_bytes;
  }

  void end_write() override { writer_->close().check(); }

  void begin_read() override { dataset_ = esker::Dataset::open(path_).value(); }

  void read_step(const Workload& workload, Index step, Samples& samples) override {
    for (std::size_t f = 0; f < workload.fields.size(); ++f) {
      const FieldMemory& field = workload.fields[f];
      const esker::Query query{.field = field.name, .step = step, .box = field.box};
      dataset_->read(query, samples[f].data(), samples[f].size() * sizeof(double)).check();
    }
  }

  void end_read() override { dataset_.reset(); }

  [[nodiscard]] Answer answer(const FieldMemory& field, const double* first) const override {
    return dense(field, first);
  }

  /// Rank 0 answers for all files.
  [[nodiscard]] Index stored_bytes() const override { return comm_.rank() == 0 ? stored_bytes_ : 0; }
  [[nodiscard]] std::string details() const override { return details_; }

  void after_write() override {
    details_ = writer_->report_json().value();
    writer_.reset();
  }
  void remove() override {
    if (comm_.rank() == 0) std::filesystem::remove_all(std::filesystem::path(path_).parent_path());
    stored_bytes_ = 0;
  }

 private:
  void define(const Workload& workload) {
    constexpr const char* kAxes[] = {"x", "y", "z"};
    std::vector<esker::DimId> dims;
    const GridExtent& volume = workload.grids.front();
    for (int a = 0; a < volume.rank; ++a)
      dims.push_back(writer_->def_dim(kAxes[a], volume.extent[a]).value());
    std::vector<esker::GridId> grids;
    for (const GridExtent& grid : workload.grids) {
      grids.push_back(writer_->def_grid(grid.name, {dims.begin(), dims.begin() + grid.rank}).value());
    }
    handles_.clear();
    for (const FieldMemory& field : workload.fields) {
      handles_.push_back(writer_
                             ->def_field(grids[field.grid], field.name, esker::SampleType::kFloat64,
                                         {.components = field.components})
                             .value());
    }
  }

  std::string name_, path_;
  esker::Communicator comm_;
  esker::Options options_;
  std::optional<esker::Writer> writer_;
  std::optional<esker::Dataset> dataset_;
  std::vector<esker::FieldId> handles_;
  Index stored_bytes_ = 0;
  std::string details_;
};

}  // namespace

std::unique_ptr<Case> idx_case(const std::string& directory, const esker::Communicator& comm, bool aggregate,
                               const esker::Options& options) {
  esker::Options used = options;
  used.set("report", "none").check();
  used.set("aggregate", aggregate ? "true" : "false").check();
  if (!aggregate)
    used.set("checksums", "false").check();  // a rank that holds a part of a block can make none
  const std::string name = aggregate ? "idx_two_phase" : "idx_one_phase";
  return std::make_unique<IdxCase>(name, directory + "/" + name + "/run.idx", comm, used);
}

}  // namespace bench
