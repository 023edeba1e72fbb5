#include "formats/registry/dual_writer.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "format/schema_json.h"

namespace esker {
namespace {

/// The layouts of one, followed by those of the other.
class DualStepLayouts final : public StepLayouts {
 public:
  DualStepLayouts(std::unique_ptr<StepLayouts> first, std::unique_ptr<StepLayouts> second)
      : first_(std::move(first)), second_(std::move(second)) {
    for (const StepLayouts* from : {first_.get(), second_.get()}) {
      const int first_layout = static_cast<int>(layouts.size());
      for (Column column : from->columns) {
        column.layout += first_layout;
        columns.push_back(column);
      }
      layouts.insert(layouts.end(), from->layouts.begin(), from->layouts.end());
    }
  }

  [[nodiscard]] std::string file_path(int layout, Index file, Index step) const override {
    const auto [of, number] = find(layout);
    return of->file_path(number, file, step);
  }
  [[nodiscard]] bool shares_files(int layout) const override {
    const auto [of, number] = find(layout);
    return of->shares_files(number);
  }
  [[nodiscard]] int shared_file(int layout) const override {
    const auto [of, number] = find(layout);
    return of->shared_file(number);
  }
  [[nodiscard]] bool fits(Index step) const override { return first_->fits(step) && second_->fits(step); }
  /// Of the first format; those of the second one are in names.
  [[nodiscard]] bool needs_places() const override { return first_->needs_places(); }
  Status take_places(const std::string& places) override { return first_->take_places(places); }
  [[nodiscard]] Index step_offset_bytes(int layout, Index step) const override {
    const auto [of, number] = find(layout);
    return of->step_offset_bytes(number, step);
  }
  void encode(int layout, const Piece& piece, std::span<std::byte> bytes) const override {
    const auto [of, number] = find(layout);
    of->encode(number, piece, bytes);
  }
  [[nodiscard]] Index list_bytes() const override { return first_->list_bytes() + second_->list_bytes(); }
  [[nodiscard]] bool has_encoding() const override {
    return first_->has_encoding() || second_->has_encoding();
  }
  [[nodiscard]] Index encode_scratch_bytes() const override {
    return first_->encode_scratch_bytes() + second_->encode_scratch_bytes();
  }
  using StepLayouts::has_heads;
  [[nodiscard]] bool has_heads(int layout) const override {
    const auto [of, number] = find(layout);
    return of->has_heads(number);
  }
  void add_sums(int layout, const Piece& piece, std::span<const std::byte> stored,
                PieceHead& head) const override {
    const auto [of, number] = find(layout);
    of->add_sums(number, piece, stored, head);
  }
  [[nodiscard]] bool compresses(int layout) const override {
    const auto [of, number] = find(layout);
    return of->compresses(number);
  }
  [[nodiscard]] Index compress_scratch_bytes() const override {
    return std::max(first_->compress_scratch_bytes(), second_->compress_scratch_bytes());
  }
  Status compress(int layout, const Piece& piece, std::span<const std::byte> samples,
                  std::span<std::byte> stored, std::span<std::byte> scratch,
                  PieceRecord& record) const override {
    const auto [of, number] = find(layout);
    return of->compress(number, piece, samples, stored, scratch, record);
  }
  [[nodiscard]] std::optional<std::uint32_t> raw_form(int layout, const Piece& piece) const override {
    const auto [of, number] = find(layout);
    return of->raw_form(number, piece);
  }
  [[nodiscard]] Index raw_headers_bytes(int layout) const override {
    const auto [of, number] = find(layout);
    return of->raw_headers_bytes(number);
  }
  Status find_raw(int layout, const Layout::Run& pieces, std::span<const std::byte> headers,
                  const Layout::VisitPiece& visit) const override {
    const auto [of, number] = find(layout);
    return of->find_raw(number, pieces, headers, visit);
  }
  [[nodiscard]] Index compressed_room(int layout, const Piece& piece) const override {
    const auto [of, number] = find(layout);
    return of->compressed_room(number, piece);
  }
  [[nodiscard]] bool has_checksums() const override {
    return first_->has_checksums() || second_->has_checksums();
  }
  [[nodiscard]] std::uint64_t checksum(int layout, const Piece& piece, std::uint32_t form,
                                       std::span<const std::byte> stored) const override {
    const auto [of, number] = find(layout);
    return of->checksum(number, piece, form, stored);
  }
  using StepLayouts::sums_parts;
  [[nodiscard]] bool sums_parts(int layout) const override {
    const auto [of, number] = find(layout);
    return of->sums_parts(number);
  }
  [[nodiscard]] std::vector<std::byte> file_headers(int layout, Index file, Index step,
                                                    std::span<const PieceRecord> records,
                                                    std::span<const PieceHead> heads) const override {
    const auto [of, number] = find(layout);
    return of->file_headers(number, file, step, records, heads);
  }
  [[nodiscard]] std::vector<std::byte> file_end(int layout, Index file,
                                                std::span<const PieceRecord> records) const override {
    const auto [of, number] = find(layout);
    return of->file_end(number, file, records);
  }

 private:
  [[nodiscard]] std::pair<const StepLayouts*, int> find(int layout) const {
    const int num_first = static_cast<int>(first_->layouts.size());
    if (layout < num_first) return {first_.get(), layout};
    return {second_.get(), layout - num_first};
  }

  std::unique_ptr<StepLayouts> first_, second_;
};

}  // namespace

DualWriter::DualWriter(std::unique_ptr<StagedWriter> first, std::unique_ptr<FormatWriter> second,
                       std::string name)
    : first_(std::move(first)), second_(std::move(second)), name_(std::move(name)) {}

Status DualWriter::check_target() {
  ESKER_RETURN_IF_ERROR(second_->check_target());
  return first_->check_target();
}

bool DualWriter::replaces_existing() const {
  return first_->replaces_existing() || second_->replaces_existing();
}

Status DualWriter::define(const Schema& schema) {
  ESKER_RETURN_IF_ERROR(second_->define(schema));
  return first_->define(schema);
}

Status DualWriter::create(bool durable) {
  ESKER_RETURN_IF_ERROR(first_->stage(durable));
  ESKER_RETURN_IF_ERROR(second_->create(durable));
  return first_->publish(durable);
}

Result<std::string> DualWriter::read_existing() {
  ESKER_ASSIGN_OR_RETURN(std::string second, second_->read_existing());
  ESKER_RETURN_IF_ERROR(second_->restore(second));
  if (second_->times().empty()) ESKER_RETURN_IF_ERROR(finish_creation());
  ESKER_ASSIGN_OR_RETURN(std::string first, first_->read_existing());
  return pack_texts({std::move(second), std::move(first)});
}

// Left by a run that died between the creation of the second half and the renaming of the first one.
Status DualWriter::finish_creation() {
  ESKER_ASSIGN_OR_RETURN(const std::string staged, first_->read_staged());
  if (staged.empty()) return {};
  ESKER_RETURN_IF_ERROR(first_->restore(staged));
  const bool is_same = print_schema_outline(second_->schema()) == print_schema_outline(first_->schema());
  return is_same && first_->times().empty() ? first_->publish(true) : Status();
}

Status DualWriter::restore(const std::string& existing) {
  const std::vector<std::string> texts = unpack_texts(existing);
  ESKER_RETURN_IF_ERROR(second_->restore(texts.at(0)));
  ESKER_RETURN_IF_ERROR(first_->restore(texts.at(1)));
  if (print_schema_outline(second_->schema()) != print_schema_outline(first_->schema())) {
    return error(Code::kDataLoss, "{} and {} have different fields", first_->metadata_paths().front(), name_);
  }
  const auto &a = second_->times(), &b = first_->times();
  times_.assign(a.begin(), std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first);
  return {};
}

// A run that died between the two commits leaves one extra step in the first format; other differences are
// errors.
Status DualWriter::check_steps(const std::optional<double>& to_time) const {
  const auto &in_second = second_->times(), &in_first = first_->times();
  const bool is_killed = times_.size() == in_second.size() && in_first.size() <= in_second.size() + 1;
  if (is_killed) return {};
  const auto goes_to = [&](const std::vector<double>& times) {
    return times_.size() == times.size() || (to_time && times[times_.size()] > *to_time);
  };
  if (goes_to(in_second) && goes_to(in_first)) return {};
  const std::string remedy = times_.empty()
                                 ? std::string("move one of them away")
                                 : fmt::format("`esker repair {} --to-time {}` drops all later ones",
                                               first_->metadata_paths().front(), times_.back());
  return error(Code::kDataLoss, "{} has {} steps and {} has {}; only the first {} are the same; {}", name_,
               in_second.size(), first_->metadata_paths().front(), in_first.size(), times_.size(), remedy);
}

Status DualWriter::reclaim(bool durable) {
  ESKER_RETURN_IF_ERROR(rewind(static_cast<Index>(times_.size()), durable));
  ESKER_RETURN_IF_ERROR(second_->reclaim(durable));
  return first_->reclaim(durable);
}

Status DualWriter::check_ours() {
  ESKER_RETURN_IF_ERROR(second_->check_ours());
  return first_->check_ours();
}

Status DualWriter::check_step_place(Index step) {
  ESKER_RETURN_IF_ERROR(second_->check_step_place(step));
  return first_->check_step_place(step);
}

std::unique_ptr<StepLayouts> DualWriter::lay_out(const std::vector<bool>& present,
                                                 const StepHints& hints) const {
  return std::make_unique<DualStepLayouts>(first_->lay_out(present, hints), second_->lay_out(present, hints));
}

std::unique_ptr<StepLayouts> DualWriter::lay_out_sparse(const std::vector<bool>& present,
                                                        const StepHints& hints,
                                                        const KeptFields& kept) const {
  return std::make_unique<DualStepLayouts>(first_->lay_out(present, hints),
                                           second_->lay_out_sparse(present, hints, kept));
}

Result<std::string> DualWriter::prepare(Index step, double time, const std::vector<bool>& present) {
  return first_->prepare(step, time, present);
}

Status DualWriter::commit(const StoredStep& stored, bool durable) {
  ESKER_RETURN_IF_ERROR(second_->check_ours());
  ESKER_RETURN_IF_ERROR(first_->commit(stored, durable));
  ESKER_RETURN_IF_ERROR(second_->commit(stored, durable));
  times_ = second_->times();
  return {};
}

// The target is recorded first, so that reclaim() continues where this has failed. Then both are checked
// before either is changed. They change in the reverse order, so that the first format has the steps of the
// second one at any time, also when rewinding that fails.
Status DualWriter::rewind(Index num_steps, bool durable) {
  times_.resize(static_cast<std::size_t>(num_steps));
  ESKER_RETURN_IF_ERROR(check_ours());
  ESKER_RETURN_IF_ERROR(second_->rewind(num_steps, durable));
  return first_->rewind(num_steps, durable);
}

std::vector<std::string> DualWriter::metadata_paths() const {
  return joined(second_->metadata_paths(), first_->metadata_paths());
}

std::vector<std::string> DualWriter::joined(std::vector<std::string> paths,
                                            const std::vector<std::string>& more) {
  paths.insert(paths.end(), more.begin(), more.end());
  return paths;
}

}  // namespace esker
