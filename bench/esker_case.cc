// A dataset through Esker's public interface.
#include "esker_case.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>

#include "codec_alone.h"
#include "esker/dataset.hpp"
#include "esker/reader.hpp"
#include "esker/writer.hpp"
#include "root_copy.h"

namespace bench {
namespace {

constexpr double kHottest = std::numeric_limits<double>::infinity();

esker::Patch patch_of(const FieldMemory& field) {
  constexpr Index kBytes = sizeof(double);
  esker::Patch patch{
      field.box, field.samples.data(), esker::SampleType::kFloat64, {}, field.component_stride * kBytes};
  for (int a = 0; a < field.box.rank; ++a) patch.stride_bytes[a] = field.strides[a] * kBytes;
  return patch;
}

class EskerCase final : public Case {
 public:
  EskerCase(std::string name, const EskerStyle& style, std::string path, const esker::Communicator& comm,
            esker::Options options, const Workload& workload)
      : name_(std::move(name)),
        style_(style),
        path_(std::move(path)),
        comm_(comm),
        options_(std::move(options)) {
    if (style.scatters) root_copy_.emplace(MPI_COMM_WORLD, workload);
  }

  [[nodiscard]] std::string name() const override { return name_; }

  void begin_write() override {
    writer_ = esker::Writer::create(path_, comm_, options_).value();
    counted_step_ = -1;
  }

  void write_step(const Workload& workload, Index step) override {
    if (step == 0) define(workload);
    writer_->begin_step(static_cast<double>(step)).check();
    for (const Column& column : columns_) {
      const FieldMemory& field = workload.fields[column.field];
      esker::Patch patch = patch_of(field);
      patch.data = field.samples.data() + column.first_component * field.component_stride;
      writer_->put(column.handle, patch).check();
    }
    keep(workload);
    writer_->end_step().check();
    count_stored();
  }

  void end_write() override {
    writer_->close().check();
    count_stored();
  }

  void begin_read() override {
    if (!style_.scatters) reader_ = esker::Reader::open(path_, comm_, options_).value();
    if (style_.scatters && comm_.rank() == 0) dataset_ = esker::Dataset::open(path_).value();
  }

  [[nodiscard]] std::vector<KeptAbove> kept() const override { return style_.kept; }
  [[nodiscard]] bool reads_levels() const override { return !style_.scatters && style_.kept.empty(); }
  void read_step(const Workload& workload, Index step, Samples& samples) override {
    for (const Column& column : columns_) {
      const FieldMemory& field = workload.fields[column.field];
      if (!style_.scatters) {
        if (field.box.empty()) continue;
        auto [query, out, bytes] = ask(column, step, field.box, samples[column.field].data());
        if (workload.halvings > 0) ask_level(query, field, workload.halvings);
        const auto missing = style_.kept.empty() ? esker::MissingBlocks::kAuto : esker::MissingBlocks::kNan;
        reader_->request(query, out, bytes, missing).check();
        continue;
      }
      if (comm_.rank() == 0) {
        const auto [query, out, bytes] =
            ask(column, step, dataset_->box(column.name).value(), root_copy_->whole(column.field));
        dataset_->read(query, out, bytes).check();
      }
      const bool is_last = column.first_component + column.components == field.components;
      if (is_last) root_copy_->scatter(column.field, samples[column.field].data());
    }
    if (!style_.scatters) reader_->read().check();
  }

  void end_read() override {
    dataset_.reset();
    reader_.reset();
  }

  [[nodiscard]] Answer answer(const FieldMemory& field, const double* first) const override {
    Answer answer = dense(field, first);
    if (style_.vectors) return answer;
    for (Index& stride : answer.strides) stride /= field.components;  // one component after the other
    answer.component_stride = field.box.num_samples();
    return answer;
  }

  [[nodiscard]] double tolerance() const override { return largest_error_; }

  /// Rank 0 accounts for all files.
  [[nodiscard]] Index stored_bytes() const override { return comm_.rank() == 0 ? stored_bytes_ : 0; }
  [[nodiscard]] std::string details() const override { return details_; }

  void after_write() override {
    details_ = writer_->report_json().value();
    writer_.reset();
    if (style_.tolerance > 0) find_largest_error();
#ifdef ESKER_BENCH_CODECS
    if (style_.times_codecs) add_codec_times();
#endif
  }
  void remove() override {
    if (comm_.rank() == 0) std::filesystem::remove_all(std::filesystem::path(path_).parent_path());
    stored_bytes_ = 0;
  }

 private:
  /// A field of the dataset: one or more components of a field of the workload.
  struct Column {
    std::size_t field = 0;
    int first_component = 0, components = 1;
    std::string name;
    esker::FieldId handle;
  };

  struct Wanted {
    esker::Query query;
    double* out = nullptr;
    std::size_t bytes = 0;
  };
  /// Reads the samples of `box` to their places among all components; `field` points to the first component.
  static Wanted ask(const Column& column, Index step, const Box& box, double* field) {
    const Index count = box.num_samples() * column.components;
    return {{.field = column.name, .step = step, .box = box},
            field + box.num_samples() * column.first_component,
            static_cast<std::size_t>(count) * sizeof(double)};
  }

  /// The query for a level of `field`. The dataset must halve its axes in the order of Workload::at_level;
  /// otherwise its level has other samples.
  void ask_level(esker::Query& query, const FieldMemory& field, Index halvings) const {
    query.box = field.points();
    const auto below = static_cast<int>(halvings);
    query.level = std::max(0, reader_->dataset().max_level(query.field).value() - below);
    const esker::Lattice samples = reader_->dataset().select(query).value();
    for (int a = 0; a < field.box.rank; ++a) {
      if (samples.count[a] == field.box.extent(a) && samples.origin[a] == query.box->lo[a]) continue;
      throw std::runtime_error(std::string(style_.name) + ": the levels of '" + query.field +
                               "' halve the axes in another order");
    }
  }

  /// The last step, if it is committed and was not counted.
  void count_stored() {
    const esker::StepReport& last = writer_->last_step();
    if (last.writers == 0 || last.step == counted_step_) return;
    counted_step_ = last.step;
    stored_bytes_ += last.stored_bytes;
  }

  void keep(const Workload& workload) {
    for (const KeptAbove& level : style_.kept) {
      const auto below = -static_cast<int>(level.halvings);
      if (level.from_temperature == KeptAbove::kEverywhere) {
        for (const auto grid : grids_) writer_->keep(grid, esker::KeepRule::everywhere(below)).check();
        continue;
      }
      const auto flame = static_cast<std::size_t>(workload.flame());
      const auto column =
          std::find_if(columns_.begin(), columns_.end(), [&](const Column& c) { return c.field == flame; });
      const esker::GridId grid = grids_[static_cast<std::size_t>(workload.fields[flame].grid)];
      writer_->keep(grid, esker::KeepRule::in_range(column->handle, level.from_temperature, kHottest, below))
          .check();
    }
  }

  /// Throws if the dataset records an error above the tolerance, or none.
  void find_largest_error() {
    const auto dataset = esker::Dataset::open(path_).value();
    largest_error_ = 0;
    for (const esker::Field& field : dataset.schema().fields()) {
      const std::vector<double> errors = dataset.largest_errors(field.name).value();
      for (const double error : errors) largest_error_ = std::max(largest_error_, error);
    }
    if (largest_error_ > 0 && largest_error_ <= style_.tolerance) return;
    throw std::runtime_error(std::string(style_.name) + ": the largest recorded error is " +
                             std::to_string(largest_error_) + ", expected at most " +
                             std::to_string(style_.tolerance));
  }

#ifdef ESKER_BENCH_CODECS
  /// The times of the codecs of all grids.
  void add_codec_times() {
    CodecTimes sum;
    const esker::Dataset dataset = esker::Dataset::open(path_).value();
    for (const esker::PartInfo& part : dataset.parts()) {
      const CodecTimes times = time_codecs(MPI_COMM_WORLD, part.path);
      sum.compress_s += times.compress_s;
      sum.decode_s += times.decode_s;
    }
    details_.erase(details_.rfind('}'));
    details_ += ",\"codec_alone\": {\"compress_s\": " + std::to_string(sum.compress_s) +
                ", \"decode_s\": " + std::to_string(sum.decode_s) + "}}";
  }
#endif

  void define(const Workload& workload) {
    std::map<char, esker::DimId> dims;
    grids_.clear();
    for (const GridExtent& grid : workload.grids) {
      std::vector<esker::DimId> of_grid;
      for (int a = 0; a < grid.rank; ++a) {
        const auto [dim, is_new] = dims.try_emplace(grid.axes[a]);
        if (is_new) dim->second = writer_->def_dim(std::string(1, grid.axes[a]), grid.extent[a]).value();
        of_grid.push_back(dim->second);
      }
      grids_.push_back(writer_->def_grid(grid.axes, of_grid).value());
    }
    columns_.clear();
    for (std::size_t f = 0; f < workload.fields.size(); ++f) {
      const FieldMemory& field = workload.fields[f];
      const int width = style_.vectors ? field.components : 1;
      for (int c = 0; c < field.components; c += width) {
        const std::string name =
            width == field.components ? field.name : field.name + "_" + std::to_string(c);
        const auto handle = writer_->def_field(grids_[field.grid], name, esker::SampleType::kFloat64,
                                               {.components = width, .stored_bits = style_.stored_bits});
        columns_.push_back({f, c, width, name, handle.value()});
      }
    }
  }

  std::string name_;
  const EskerStyle& style_;
  std::string path_;
  esker::Communicator comm_;
  esker::Options options_;
  std::optional<esker::Writer> writer_;
  std::optional<esker::Reader> reader_;
  std::optional<esker::Dataset> dataset_;  // rank 0, to scatter
  std::optional<RootCopy> root_copy_;
  std::vector<esker::GridId> grids_;
  std::vector<Column> columns_;
  Index stored_bytes_ = 0;
  Index counted_step_ = -1;
  double largest_error_ = 0;
  std::string details_;
};

std::vector<EskerStyle> default_styles() {
  return {
      // A rank that holds only part of a block cannot compute its checksum.
      {.name = "idx_one_phase", .options = {{"aggregate", "false"}, {"checksums", "false"}}},
      {.name = "idx_two_phase"},
      {.name = "idx_three_phase", .options = {{"restructure", "default"}}},
      {.name = "idx_vectors", .vectors = true},
      {.name = "cdf5", .options = {{"format", "cdf5"}}},
      {.name = "cdf5_and_idx", .options = {{"format", "cdf5+idx"}}},
#ifdef ESKER_BENCH_NETCDF4
      {.name = "netcdf4", .options = {{"format", "netcdf4"}}},
      // One chunk per field and step, so that samples are stored as in a contiguous dataset.
      {.name = "hdf5",
       .options = {{"format", "hdf5"}, {"chunks", "1099511627776,1099511627776,1099511627776"}}},
      {.name = "hdf5_decomposition",
       .options = {{"format", "hdf5"}, {"chunks", "decomposition"}},
       .needs_chunks = true},
#endif
      {.name = "zarr", .options = {{"format", "zarr"}}},
  };
}

std::vector<EskerStyle> styles_on_request() {
  return {
      {.name = "idx_async", .options = {{"async", "true"}}},
      {.name = "cdf5_async", .options = {{"format", "cdf5"}, {"async", "true"}}},
#ifdef ESKER_BENCH_NETCDF4
      {.name = "hdf5_zip",
       .options = {{"format", "hdf5"}, {"chunks", "decomposition"}, {"compression", "zip"}},
       .needs_chunks = true},
      {.name = "netcdf4_async", .options = {{"format", "netcdf4"}, {"async", "true"}}},
#endif
      {.name = "zarr_levels", .options = {{"format", "zarr"}, {"levels", "auto"}}},
      {.name = "zarr_means", .options = {{"format", "zarr"}, {"levels", "auto"}, {"level_values", "mean"}}},
      {.name = "zarr_zstd", .options = {{"format", "zarr"}, {"compression", "zstd"}}},
      {.name = "cdf5_scatter", .options = {{"format", "cdf5"}}, .scatters = true},
      {.name = "idx_tuned", .options = {{"tune", "auto"}, {"tune_cache", "false"}}},
      {.name = "idx_read_in_two_phases", .options = {{"aggregate_reads", "true"}}},
      {.name = "idx_read_by_messages", .options = {{"aggregate_reads", "true"}, {"transport", "messages"}}},
      {.name = "idx_read_by_get", .options = {{"aggregate_reads", "true"}, {"transport", "get"}}},
      {.name = "cdf5_read_in_two_phases", .options = {{"format", "cdf5"}, {"aggregate_reads", "true"}}},
      {.name = "idx_zip", .options = {{"compression", "zip"}}, .times_codecs = true},
      {.name = "idx_lz4", .options = {{"compression", "lz4"}}, .times_codecs = true},
      {.name = "idx_zfp_reversible", .options = {{"compression", "zfp-reversible"}}, .times_codecs = true},
      {.name = "idx_zfp_accuracy",
       .options = {{"compression", "zfp-accuracy=1e-3"}},
       .tolerance = 1e-3,
       .times_codecs = true},
      {.name = "idx_32_bits", .tolerance = 1e-4, .stored_bits = 32},
      {.name = "idx_16_bits", .tolerance = 1, .stored_bits = 16},
      {.name = "idx_8_bits", .tolerance = 100, .stored_bits = 8},
      {.name = "idx_4_bits", .tolerance = 1e4, .stored_bits = 4},
      {.name = "idx_1_bit", .tolerance = 1e7, .stored_bits = 1},
      {.name = "idx_adaptive", .kept = {{0, 1200}, {6, 800}, {9}}},
      {.name = "idx_1_of_2", .kept = {{1}}},
      {.name = "idx_1_of_4", .kept = {{2}}},
      {.name = "idx_1_of_8", .kept = {{3}}},
      {.name = "idx_1_of_16", .kept = {{4}}},
      {.name = "idx_1_of_32", .kept = {{5}}},
      {.name = "idx_1_of_64", .kept = {{6}}},
  };
}

}  // namespace

const std::vector<EskerStyle>& esker_styles() {
  static const std::vector<EskerStyle> styles = [] {
    std::vector<EskerStyle> all = default_styles();
    for (EskerStyle style : styles_on_request()) {
      style.is_on_request = true;
      all.push_back(std::move(style));
    }
    return all;
  }();
  return styles;
}

std::unique_ptr<Case> esker_case(const std::string& name, const std::string& directory,
                                 const esker::Communicator& comm, const EskerStyle& style,
                                 const esker::Options& options, const Workload& workload) {
  const auto needs_flame = [](const KeptAbove& level) {
    return level.from_temperature > KeptAbove::kEverywhere;
  };
  if (workload.flame() < 0 && std::any_of(style.kept.begin(), style.kept.end(), needs_flame)) {
    throw std::runtime_error(std::string(style.name) + ": the workload has no flame; s3d_adaptive has one");
  }
  esker::Options used = options;
  used.set("report", "none").check();
  for (const auto& [option, value] : style.options) used.set(option, value).check();
  const std::string path = directory + "/" + style.name + "/run";
  return std::make_unique<EskerCase>(name, style, path, comm, used, workload);
}

}  // namespace bench
