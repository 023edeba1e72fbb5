#include "examples/raw_format/raw_format.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "format/schema_json.h"
#include "formats/registry/formats.h"
#include "formats/registry/suffix.h"
#include "layout/row_major.h"
#include "read/counted_file.h"
#include "read/lattice_dataset.h"
#include "read/row_major_reader.h"
#include "store/commit.h"

namespace esker::raw {
namespace {

constexpr const char* kMagic = "eskerraw";
constexpr Index kPieceBytes = Index{64} << 10;

// ---- files ----

struct Files {
  std::string stem;

  [[nodiscard]] std::string header() const { return stem + ".raw"; }
  [[nodiscard]] std::string directory() const { return stem + ".samples"; }
  [[nodiscard]] std::string samples(const Field& field, Index step) const {
    return fmt::format("{}/{}.{}", directory(), field.name, step);
  }
};

struct Header {
  Schema schema;
  std::vector<double> times;
};

std::string print_header(const Schema& schema, const std::vector<double>& times) {
  return fmt::format("{} 1\n{}\n{}", kMagic, print_reals(times), print_schema(schema));
}

/// Texts of any content: kDataLoss, kUnsupported.
Result<Header> parse_header(const std::string& text) {
  const std::size_t first = text.find('\n'), second = text.find('\n', first + 1);
  if (text.substr(0, first) != fmt::format("{} 1", kMagic) || second == std::string::npos) {
    return error(Code::kDataLoss, "expected '{} 1' and two more lines, found '{}'", kMagic, excerpt(text));
  }
  Header header;
  const std::string_view times = std::string_view(text).substr(first, second - first);
  ESKER_ASSIGN_OR_RETURN(header.times, parse_reals(times, text.size()));
  ESKER_ASSIGN_OR_RETURN(header.schema, parse_schema(text.substr(second + 1)));
  return header;
}

bool is_stored_at(const Field& field, Index step) {
  return field.fixed ? step == 0 : step % field.every == 0;
}

// ---- writing ----

/// One layout and one file per field.
class RawStepLayouts final : public StepLayouts {
 public:
  RawStepLayouts(Files files, const Schema& schema, const std::vector<bool>& present)
      : files_(std::move(files)) {
    for (std::size_t f = 0; f < present.size(); ++f) {
      if (!present[f]) continue;
      const Field& field = schema.fields()[f];
      const Box box = schema.box_of(schema.grid_of(field));
      columns.push_back({static_cast<int>(f), 0, static_cast<int>(layouts.size()), 0});
      layouts.push_back(std::make_shared<RowMajorLayout>(box.rank, box.hi, field.sample_bytes(), 0,
                                                         within_a_call(kPieceBytes)));
      fields_.push_back(field);
    }
  }
  [[nodiscard]] std::string file_path(int layout, Index /*file*/, Index step) const override {
    return files_.samples(fields_[static_cast<std::size_t>(layout)], step);
  }

 private:
  Files files_;
  std::vector<Field> fields_;  // of each layout
};

class RawWriter final : public FormatWriter {
 public:
  explicit RawWriter(const WriterTarget& target)
      : store_(target.store), files_{target.stem}, options_(target.options), lock_(target.lock) {}

  Status check_target() override {
    const std::string parent = std::filesystem::path(files_.stem).parent_path().string();
    ESKER_RETURN_IF_ERROR(make_directories(*store_, parent, options_.fsync != Fsync::kNone));
    ESKER_RETURN_IF_ERROR(lock_->acquire());
    ESKER_ASSIGN_OR_RETURN(replaces_existing_, store_->exists(files_.header()));
    const std::string path = replaces_existing_ ? files_.header() : files_.directory();
    ESKER_ASSIGN_OR_RETURN(const bool exists, store_->exists(path));
    ESKER_ASSIGN_OR_RETURN(const FormatEntry* format, format_of_file(*store_, path));
    if (!exists || (options_.overwrite && format && format->magic == kMagic)) return {};
    return error(Code::kAlreadyExists,
                 "{} exists; choose another path, or set the option overwrite to replace a raw dataset",
                 path);
  }
  [[nodiscard]] bool replaces_existing() const override { return replaces_existing_; }
  Status define(const Schema& schema) override {
    schema_ = schema;
    return {};
  }
  // From the rename on, the dataset is the new one; the next writer that appends removes what is left of the
  // old.
  Status create(bool durable) override {
    ESKER_RETURN_IF_ERROR(put_header(durable));
    return store_->remove_all(files_.directory());
  }
  Result<std::string> read_existing() override {
    ESKER_RETURN_IF_ERROR(lock_->acquire());
    auto text = read_text(*store_, files_.header(), kMaxSidecarBytes);
    return text.ok() ? text : Result<std::string>(text.status().with_context("no dataset to append to"));
  }
  Status restore(const std::string& existing) override {
    ESKER_ASSIGN_OR_RETURN(Header header, parse_header(existing));
    schema_ = std::move(header.schema);
    times_ = std::move(header.times);
    text_ = or_text_ = existing;
    return {};
  }
  Status check_ours() override {
    ESKER_RETURN_IF_ERROR(lock_->check_held());
    ESKER_ASSIGN_OR_RETURN(const std::string found, read_text(*store_, files_.header(), kMaxSidecarBytes));
    if (found == text_ || found == or_text_) return {};
    return error(Code::kDataLoss, "{} is not what this writer left: another program changed it",
                 files_.header());
  }
  [[nodiscard]] const Schema& schema() const override { return schema_; }
  [[nodiscard]] const std::vector<double>& times() const override { return times_; }
  [[nodiscard]] std::unique_ptr<StepLayouts> lay_out(const std::vector<bool>& present,
                                                     const StepHints& /*hints*/) const override {
    return std::make_unique<RawStepLayouts>(files_, schema_, present);
  }
  Status commit(const StoredStep& stored, bool durable) override {
    ESKER_RETURN_IF_ERROR(check_ours());
    times_.resize(static_cast<std::size_t>(stored.step));
    times_.push_back(stored.time);
    return put_header(durable);
  }
  // The target is recorded first, so that reclaim() continues where this has failed.
  Status rewind(Index num_steps, bool durable) override {
    times_.resize(static_cast<std::size_t>(num_steps));
    ESKER_RETURN_IF_ERROR(check_ours());
    const bool is_done = text_ == or_text_ && text_ == print_header(schema_, times_);
    return is_done ? Status() : put_header(durable);
  }
  Status reclaim(bool durable) override {
    const auto num_steps = static_cast<Index>(times_.size());
    ESKER_RETURN_IF_ERROR(rewind(num_steps, durable));
    const auto paths = data_paths(0, num_steps);
    const std::set<std::string> committed(paths.begin(), paths.end());
    ESKER_ASSIGN_OR_RETURN(const auto names, store_->list(files_.directory()));
    for (const std::string& name : names) {
      const std::string path = files_.directory() + "/" + name;
      if (!committed.contains(path)) ESKER_RETURN_IF_ERROR(store_->remove(path));
    }
    return store_->remove(temporary_of(files_.header()));
  }
  [[nodiscard]] std::vector<std::string> data_paths(Index first, Index end) const override {
    std::vector<std::string> paths;
    for (Index step = first; step < end; ++step) {
      for (const Field& field : schema_.fields()) {
        if (is_stored_at(field, step)) paths.push_back(files_.samples(field, step));
      }
    }
    return paths;
  }
  [[nodiscard]] std::vector<std::string> metadata_paths() const override { return {files_.header()}; }
  Status release() override { return lock_->release(); }
  [[nodiscard]] std::string stem() const override { return files_.stem; }

 private:
  /// After an error the header is the old or the new one.
  Status put_header(bool durable) {
    or_text_ = print_header(schema_, times_);
    ESKER_RETURN_IF_ERROR(replace_file(*store_, files_.header(), or_text_, durable));
    text_ = or_text_;
    return {};
  }

  std::shared_ptr<Store> store_;
  Files files_;
  Options options_;
  std::shared_ptr<WriterLock> lock_;
  Schema schema_;
  std::vector<double> times_;
  std::string text_, or_text_;  // the header; it is one of these
  bool replaces_existing_ = false;
};

// ---- reading ----

class RawDataset final : public LatticeDataset {
 public:
  static Result<std::unique_ptr<OpenedDataset>> open(const std::shared_ptr<Store>& store,
                                                     const std::string& path) {
    std::unique_ptr<RawDataset> dataset(new RawDataset(store, path));
    ESKER_ASSIGN_OR_RETURN(const std::string text, read_text(*store, path, kMaxSidecarBytes));
    auto header = parse_header(text);
    if (!header.ok()) return header.status().with_context(path);
    dataset->schema = std::move(header->schema);
    dataset->times = std::move(header->times);
    dataset->header_bytes_ = static_cast<Index>(text.size());
    ESKER_RETURN_IF_ERROR(dataset->list_parts());
    return std::unique_ptr<OpenedDataset>(std::move(dataset));
  }

  [[nodiscard]] ReadUnit read_unit(int field, int /*level*/) const override { return {box(field).hi}; }
  [[nodiscard]] Result<Index> stored_bytes() const override { return header_bytes_; }
  [[nodiscard]] Result<StorageInfo> storage() const override {
    StorageInfo info{1, header_bytes_};
    for_each_file([&](int field, Index /*step*/) {
      ++info.files;
      info.bytes += field_bytes(field);
    });
    return info;
  }
  Status verify(VerifyReport& report, const std::function<void(double)>& progress) const override {
    Findings findings(report);
    report.files = 1;
    report.bytes = header_bytes_;
    for_each_file([&](int field, Index step) {
      const Status status = check_file(files_.samples(field_at(field), step), field_bytes(field));
      if (!status.ok()) findings.error(path_, status.message());
      ++report.files;
      report.bytes += field_bytes(field);
      if (progress) progress(static_cast<double>(step) / static_cast<double>(times.size()));
    });
    look_for_writer(findings);
    return {};
  }

 private:
  RawDataset(std::shared_ptr<Store> store, const std::string& path)
      : LatticeDataset(std::move(store), path), files_{stem_of(path)} {
    is_ours_ = true;
  }
  Status read_lattice(int field, Index step, const Lattice& samples, std::byte* out,
                      ReadCounters& counters) const override {
    ESKER_ASSIGN_OR_RETURN(const auto file,
                           store_->open(files_.samples(field_at(field), step), OpenMode::kRead));
    const CountedFile counted(*file, counters);
    RowMajorReader reader(counted, 0, box(field).hi, field_at(field).sample_bytes(), samples);
    return reader.read(out, [](std::span<std::byte>) {});
  }
  [[nodiscard]] Index field_bytes(int field) const {
    return box(field).num_samples() * field_at(field).sample_bytes();
  }
  template <class Visit>
  void for_each_file(const Visit& visit) const {
    for (Index step = 0; step < std::ssize(times); ++step) {
      for (int field = 0; field < static_cast<int>(schema.fields().size()); ++field) {
        if (is_stored_at(field_at(field), step)) visit(field, step);
      }
    }
  }
  /// Reads a file of samples, which must have this size.
  [[nodiscard]] Status check_file(const std::string& path, Index expected_bytes) const {
    constexpr Index kMostBytes = Index{4} << 20;
    ESKER_ASSIGN_OR_RETURN(const auto file, store_->open(path, OpenMode::kRead));
    ESKER_ASSIGN_OR_RETURN(const Index found_bytes, file->size_bytes());
    if (found_bytes != expected_bytes) {
      return error(Code::kDataLoss, "{}: {} bytes, expected {}", path, found_bytes, expected_bytes);
    }
    std::vector<std::byte> bytes;
    for (Index at = 0; at < found_bytes; at += kMostBytes) {
      bytes.resize(static_cast<std::size_t>(std::min(kMostBytes, found_bytes - at)));
      ESKER_RETURN_IF_ERROR(file->read_at(bytes, at));
    }
    return {};
  }

  Files files_;
  Index header_bytes_ = 0;
};

Result<std::unique_ptr<FormatWriter>> make_writer(const WriterTarget& target) {
  return std::unique_ptr<FormatWriter>(std::make_unique<RawWriter>(target));
}

}  // namespace

Status register_raw_format() {
  FormatEntry entry;
  entry.names = {"raw"};
  entry.help = "raw (an example)";
  entry.title = "raw datasets";
  entry.suffixes = {".raw"};
  entry.magic = kMagic;
  entry.make_writer = make_writer;
  entry.open = RawDataset::open;
  return register_format(std::move(entry));
}

}  // namespace esker::raw
