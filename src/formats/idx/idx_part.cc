#include "formats/idx/idx_part.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <span>
#include <string_view>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "formats/idx/block_query.h"
#include "formats/idx/cell_blocks.h"
#include "formats/idx/cell_header.h"
#include "formats/idx/cell_heads.h"
#include "formats/idx/joined_parts.h"
#include "formats/idx/pidx_header.h"
#include "formats/idx/pidx_partitions.h"
#include "formats/idx/plain_blocks.h"
#include "formats/idx/record_sum.h"
#include "formats/idx/upsampling.h"
#include "grid/cells.h"
#include "grid/points.h"
#include "grid/selection.h"

namespace esker::idx {

IdxPart::IdxPart(std::shared_ptr<Store> store, std::string idx_path, Header header,
                 std::optional<CommitRecord> record, std::vector<Index> times, FilenameTemplate files)
    : idx_path_(std::move(idx_path)),
      header_(std::move(header)),
      blocks_(block_grid(header_)),
      record_(std::move(record)),
      times_(std::move(times)),
      sets_(std::make_unique<PartSets>()) {
  const std::string directory = std::filesystem::path(idx_path_).parent_path().string();
  files_ = std::make_unique<BlockFiles>(std::move(store), directory.empty() ? "" : directory + "/",
                                        std::filesystem::path(idx_path_).replace_extension().string(),
                                        std::move(files), header_, record_ && record_->checksums);
  if (header_.brick_digits > 0)
    merged_blocks_.emplace(blocks_.mask(), blocks_.bits_per_block(), blocks_.box());
  record_absent();
}

IdxPart::~IdxPart() = default;

void IdxPart::record_absent() {
  if (!record_ || record_->absent.empty()) return;
  std::map<std::string_view, int> number;
  for (std::size_t f = 0; f < header_.fields.size(); ++f)
    number[header_.fields[f].name] = static_cast<int>(f);
  for (const auto& [step, names] : record_->absent) {
    for (const std::string& name : names) {
      const auto field = number.find(name);
      if (field != number.end()) absent_.insert({step, field->second});
    }
  }
}

Result<std::unique_ptr<IdxPart>> IdxPart::open(std::shared_ptr<Store> store, const std::string& idx_path) {
  ESKER_ASSIGN_OR_RETURN(auto part, open_file(store, idx_path));
  auto partitions = open_pidx_partitions(store, *part);
  if (!partitions.ok()) return partitions.status().with_context(idx_path);
  part->partitions_ = std::move(*partitions);
  return part;
}

Result<std::unique_ptr<IdxPart>> IdxPart::open_file(std::shared_ptr<Store> store,
                                                    const std::string& idx_path) {
  ESKER_ASSIGN_OR_RETURN(const std::string text, read_text(*store, idx_path, kMaxHeaderBytes));
  return of_text(std::move(store), idx_path, text);
}

Result<std::unique_ptr<IdxPart>> IdxPart::of_text(std::shared_ptr<Store> store, const std::string& idx_path,
                                                  const std::string& text) {
  const std::string stem = std::filesystem::path(idx_path).stem().string();
  auto parsed = parse_header(text, stem);
  if (!parsed.ok()) return parsed.status().with_context(idx_path);
  Header header = std::move(*parsed);
  std::vector<Index> times{0};
  if (header.time) {
    auto listed = header.time->list(kMaxSteps);
    if (!listed.ok()) return listed.status().with_context(idx_path);
    times = std::move(*listed);
  }
  std::optional<CommitRecord> record;
  if (const std::string* json = header.find_other(kRecordKey)) {
    auto parsed_record = parse_commit_record(*json);
    if (!parsed_record.ok()) return parsed_record.status().with_context(idx_path);
    record = std::move(*parsed_record);
    ESKER_RETURN_IF_ERROR(check_record_sum(header, *record).with_context(idx_path));
  }
  auto files = FilenameTemplate::parse(pidx_filename_template(header, stem),
                                       header.time ? header.time->path_template : "");
  if (!files.ok()) return files.status().with_context(idx_path);
  return std::unique_ptr<IdxPart>(new IdxPart(std::move(store), idx_path, std::move(header),
                                              std::move(record), std::move(times), std::move(*files)));
}

std::unique_ptr<IdxPart> IdxPart::of_parts(std::shared_ptr<Store> store, const std::string& path,
                                           Header header, std::optional<CommitRecord> record,
                                           std::vector<JoinedPart> parts) {
  std::vector<Index> times = parts.front().part->times();
  for (const JoinedPart& joined : parts) {
    if (joined.part->times().size() < times.size()) times = joined.part->times();
  }
  std::unique_ptr<IdxPart> whole(new IdxPart(std::move(store), path, std::move(header), std::move(record),
                                             std::move(times), FilenameTemplate()));
  whole->partitions_ = std::move(parts);
  return whole;
}

Index IdxPart::step_at(Index time) const {
  const auto found = std::lower_bound(times_.begin(), times_.end(), time);
  return found != times_.end() && *found == time ? found - times_.begin() : -1;
}

bool IdxPart::has(int field, Index step) const { return !absent_.contains({step, field}); }

Lattice IdxPart::select(const Box& box, int level) const {
  return select_samples(header_.bitmask, clip(box, header_.box), level);
}

Status IdxPart::check_readable(const FieldEntry& field) const {
  if (!field.filter.empty()) {
    return error(Code::kUnsupported, "{}: field '{}' is stored with the filter '{}', which is not supported",
                 idx_path_, field.name, field.filter);
  }
  return header_.cells && header_.cells->is_pidx ? check_chunked_field(*header_.cells, field) : Status();
}

Status IdxPart::read(const std::vector<int>& columns, Index step, const ReadTarget& target,
                     const ReadContext& context) const {
  for (const int column : columns) ESKER_RETURN_IF_ERROR(check_readable(header_.fields[column]));
  const bool derives =
      context.missing == MissingBlocks::kNearest || context.missing == MissingBlocks::kLinear;
  if (derives && (!partitions_.empty() || header_.cells || header_.brick_digits > 0)) {
    return error(Code::kUnsupported,
                 "{}: filling cells, bricks, and partitions with their own .idx, from coarser samples is not "
                 "supported",
                 idx_path_);
  }
  if (target.samples.num_samples() == 0) return {};
  ReadTarget of_column = target;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    ESKER_RETURN_IF_ERROR(
        read_column(columns[c], step, of_column,
                    context.piece(static_cast<Index>(c), static_cast<Index>(columns.size()))));
    of_column.out += header_.fields[columns[c]].sample_bytes();
  }
  return {};
}

std::string IdxPart::block_sets_path_at(Index time) const {
  const std::string first = files_->path(0, 0, time);
  return (std::filesystem::path(first).parent_path() / kBlockSetsName).string();
}

Result<PartSets::Sets> IdxPart::sets_at(Index step) const {
  return sets_->load(files_->store(), block_sets_path(step), record_->sets.at(step), blocks_,
                     header_.fields.size());
}

Result<std::shared_ptr<const BlockSet>> IdxPart::blocks_at(int field, Index step) const {
  if (!is_sparse(step)) return std::shared_ptr<const BlockSet>();
  ESKER_ASSIGN_OR_RETURN(const PartSets::Sets sets, sets_at(step));
  auto blocks = sets->columns[static_cast<std::size_t>(field)].blocks;
  if (blocks || !has(field, step)) return blocks;
  return error(Code::kDataLoss, "{}: does not hold field '{}', but {} says that the step does",
               block_sets_path(step), header_.fields[static_cast<std::size_t>(field)].name, idx_path_);
}

Status IdxPart::read_column(int column, Index step, const ReadTarget& target,
                            const ReadContext& context) const {
  const Index time = times_[static_cast<std::size_t>(step)];
  if (!partitions_.empty()) return read_joined_parts(partitions_, column, time, target, context);
  const std::unique_ptr<BlockForm> form = form_of(column, step, context.bits);
  const FieldEntry& field = header_.fields[column];
  std::vector<std::byte> fill(static_cast<std::size_t>(field.sample_bytes()),
                              static_cast<std::byte>(field.default_value & 0xff));
  for (std::size_t at = 0; at < fill.size() && !context.fill_value.empty(); at += context.fill_value.size()) {
    std::copy(context.fill_value.begin(), context.fill_value.end(), fill.data() + at);
  }
  ESKER_ASSIGN_OR_RETURN(const auto stored, blocks_at(column, step));
  const BlockQuery::Column of_blocks{*files_,   blocks_of_step(step), *form, column, time, fill,
                                     is_ours(), stored.get()};
  const bool is_sparse = context.missing == MissingBlocks::kAuto && stored;
  if (is_sparse || context.missing == MissingBlocks::kNearest || context.missing == MissingBlocks::kLinear) {
    const MissingBlocks method = is_sparse ? MissingBlocks::kNearest : context.missing;
    return Upsampling(of_blocks, field, method, context).read(target);
  }
  BlockQuery query(of_blocks, target, context);
  const Box box = target.samples.bounds();
  if (!header_.cells) return query.run(box, target.start_level, target.level);
  const int finest = blocks_.mask().max_level();  // the finer levels are inside cells
  const int start_level = target.level <= finest ? target.start_level : 0;
  return query.run(cells_meeting(box, blocks_.mask().rank()), start_level, std::min(target.level, finest));
}

namespace {

/// Sets the samples at `indices` to `level` where all coarser levels are stored.
void raise(const Lattice& samples, const Box& indices, int level, std::vector<std::int8_t>& levels) {
  for_each_index_point(indices, [&](const Point& index) {
    Index at = 0;
    for (int a = samples.rank; a-- > 0;) at = at * samples.count[a] + index[a];
    std::int8_t& here = levels[static_cast<std::size_t>(at)];
    if (here == level - 1) here = static_cast<std::int8_t>(level);
  });
}

/// The places that a block refines: on each axis from a multiple of the coarser samples' distance on.
Box places_of(const Lattice& block) {
  Box places = block.bounds();
  for (int a = 0; a < places.rank; ++a) {
    places.lo[a] = block.origin[a] / block.stride[a] * block.stride[a];
    places.hi[a] = places.lo[a] + block.count[a] * block.stride[a];
  }
  return places;
}

/// Level by level, raises the samples at the places of stored blocks. At the upper end of an axis there may
/// be no samples that refine a place: there the level counts as stored. -1 without block 0, the coarsest.
std::vector<std::int8_t> levels_of(const BlockSet& blocks, const Lattice& samples) {
  const BlockGrid& grid = blocks.grid();
  const Bitmask& mask = grid.mask();
  const int coarsest = grid.bits_per_block();
  std::vector<std::int8_t> levels(static_cast<std::size_t>(samples.num_samples()), -1);
  if (!blocks.contains(0)) return levels;
  std::fill(levels.begin(), levels.end(), static_cast<std::int8_t>(coarsest));
  for (int level = coarsest + 1; level <= mask.max_level(); ++level) {
    const Lattice added = mask.samples_new_at(level);
    const int axis = mask.digit(level);
    Box wide = samples.bounds(), last = grid.box();
    for (int a = 0; a < wide.rank; ++a) {
      wide.lo[a] = std::max<Index>(0, wide.lo[a] - added.stride[a]);
      wide.hi[a] += added.stride[a];
    }
    blocks.for_each_block_meeting(wide, level, [&](Index block) {
      raise(samples, samples.indices_in(places_of(grid.lattice(block))), level, levels);
    });
    const Index half = added.stride[axis] / 2;
    last.lo[axis] = round_up(std::max<Index>(0, last.hi[axis] - half), added.stride[axis]);
    raise(samples, samples.indices_in(last), level, levels);
  }
  return levels;
}

}  // namespace

Status IdxPart::stored_levels(const std::vector<int>& columns, Index step, const Lattice& samples,
                              std::span<std::int8_t> out) const {
  std::fill(out.begin(), out.end(), static_cast<std::int8_t>(header_.bitmask.max_level()));
  for (const int column : columns) {
    ESKER_ASSIGN_OR_RETURN(const auto stored, blocks_at(column, step));
    if (!stored) continue;
    const std::vector<std::int8_t> levels = levels_of(*stored, samples);
    std::transform(out.begin(), out.end(), levels.begin(), out.begin(),
                   [](std::int8_t a, std::int8_t b) { return std::min(a, b); });
  }
  return {};
}

std::unique_ptr<BlockForm> IdxPart::form_of(int column, Index step, int bits) const {
  const FieldEntry& field = header_.fields[column];
  if (has_heads(header_)) {
    const CellForm form = cell_form(header_, column);
    return std::make_unique<GroupedCellBlocks>(blocks_, form, bits > 0 ? bits : form.bits, field, column);
  }
  if (header_.cells) return std::make_unique<PidxChunkBlocks>(blocks_, header_.cells->pidx_zfp_bits, field);
  return std::make_unique<PlainBlocks>(blocks_of_step(step), field, column);
}

Result<std::vector<std::byte>> IdxPart::load_block(const BlockAt& at, const StoredBlock& stored) const {
  const std::unique_ptr<BlockForm> form = form_of(at.column, at.step, 0);
  ESKER_RETURN_IF_ERROR(form->check(at.block, stored));
  std::vector<std::byte> bytes(static_cast<std::size_t>(stored.size_bytes));
  ESKER_RETURN_IF_ERROR(stored.file->file->read_at(bytes, stored.offset_bytes));
  ESKER_RETURN_IF_ERROR(form->check_bytes(at.block, stored, bytes));
  if (!form->is_encoded(stored)) return bytes;
  std::vector<std::byte> samples(static_cast<std::size_t>(form->decoded_bytes()));
  ESKER_RETURN_IF_ERROR(form->decode(at.block, stored, bytes, samples));
  return samples;
}

void IdxPart::place_block(const BlockAt& at, const StoredBlock& stored, std::span<const std::byte> samples,
                          const ReadTarget& target) const {
  form_of(at.column, at.step, 0)->place(at.block, stored.order, samples.data(), target);
}

std::vector<Lattice> IdxPart::samples_of_block(const BlockAt& at) const {
  const Lattice stored = blocks_of_step(at.step).lattice(at.block);
  std::vector<Lattice> lattices{stored};
  if (header_.cells) lattices = samples_of_cells(stored, header_.bitmask.rank());
  for (Lattice& samples : lattices) samples = samples.sub(samples.indices_in(header_.box));
  return lattices;
}

Index IdxPart::num_blocks() const {
  Index sum = partitions_.empty() ? blocks_.num_existing() : 0;
  for (const JoinedPart& joined : partitions_) sum += joined.part->num_blocks();
  return sum;
}

Status IdxPart::add_file(const std::string& path, StorageInfo& info) const {
  const auto file = files_->store().open(path, OpenMode::kRead);
  if (file.status().code() == Code::kNotFound) return {};
  ESKER_RETURN_IF_ERROR(file.status());
  ESKER_ASSIGN_OR_RETURN(const Index bytes, (*file)->size_bytes());
  info.bytes += bytes;
  ++info.files;
  return {};
}

Status IdxPart::add_storage(StorageInfo& info, Index num_steps) const {
  for (const JoinedPart& joined : partitions_) {
    ESKER_RETURN_IF_ERROR(joined.part->add_storage(info, joined.part->num_steps_within(num_steps)));
  }
  if (!partitions_.empty()) return {};
  const auto times = std::span(times_).first(static_cast<std::size_t>(num_steps));
  return files_->for_each_stored(
      blocks_, times, [&](const BlockFiles::OnStorage& file) { return add_file(file.path, info); });
}

}  // namespace esker::idx
