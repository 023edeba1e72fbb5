#include "exchange/directory.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <utility>

#include "base/macros.h"
#include "comm/agree.h"
#include "comm/deliver.h"
#include "grid/coverage.h"

namespace esker {
namespace {

/// The wire format of a box, or of a query for one.
struct Entry {
  Index list = 0, rank = 0, patch = 0;
  Point lo{}, hi{};
};

/// The bytes for other ranks.
struct BoxMessages {
  std::map<int, std::vector<Entry>> of_rank;
  std::vector<OutgoingMessage> outgoing;  // refer to the bytes

  void wrap() {
    for (const auto& [rank, entries] : of_rank) outgoing.push_back({rank, std::as_bytes(std::span(entries))});
  }
};

template <class Visit>
void for_each_entry(const Delivery& delivery, const Visit& visit) {
  for (auto bytes = delivery.bytes; !bytes.empty(); bytes = bytes.subspan(sizeof(Entry))) {
    Entry entry;
    std::memcpy(&entry, bytes.data(), sizeof(Entry));
    visit(entry);
  }
}

Entry make_entry(int list, const HeldBox& held) {
  return {list, held.rank, held.patch, held.box.lo, held.box.hi};
}

HeldBox held_box(const Entry& entry, int n_axes) {
  return {Box(n_axes, entry.lo, entry.hi), static_cast<int>(entry.rank), static_cast<int>(entry.patch)};
}

using Lists = std::vector<std::shared_ptr<KnownBoxes>>;

/// [list] -> the boxes that other ranks sent, in the order of ranks.
std::vector<std::vector<HeldBox>> read_boxes(const Deliveries& received, const Lists& lists) {
  std::vector<std::vector<HeldBox>> boxes(lists.size());
  for (const Delivery& delivery : received.deliveries) {
    for_each_entry(delivery, [&](const Entry& entry) {
      const auto list = static_cast<std::size_t>(entry.list);
      boxes[list].push_back(held_box(entry, lists[list]->domain().rank));
    });
  }
  return boxes;
}

// Per list: the sums of the extents of all boxes, the number of boxes without and with empty ones. After the
// lists: 1 for a rank that holds a box. As reals, which are exact for sums up to 2^53.
constexpr std::size_t kSumsOfList = kMaxRank + 2;

std::vector<double> add_up(const std::vector<BoxList>& lists) {
  std::vector<double> sums(lists.size() * kSumsOfList + 1);
  for (std::size_t l = 0; l < lists.size(); ++l) {
    double* of_list = &sums[l * kSumsOfList];
    for (const Box& box : lists[l].boxes) {
      sums.back() = 1;
      ++of_list[kMaxRank + 1];
      if (box.empty()) continue;
      for (int a = 0; a < kMaxRank; ++a) of_list[a] += static_cast<double>(box.extent(a));
      ++of_list[kMaxRank];
    }
  }
  return sums;
}

BoxTotals totals_of(const double* of_list) {
  BoxTotals totals;
  for (int a = 0; a < kMaxRank; ++a) totals.extents[a] = static_cast<Index>(of_list[a]);
  totals.n_boxes = static_cast<Index>(of_list[kMaxRank]);
  totals.n_put = static_cast<Index>(of_list[kMaxRank + 1]);
  return totals;
}

/// This rank's boxes, addressed to the owners of the bricks that they intersect.
BoxMessages messages_to_owners(const Lists& lists, int rank) {
  BoxMessages messages;
  for (std::size_t l = 0; l < lists.size(); ++l) {
    const std::vector<Box> boxes = lists[l]->boxes_of(rank);
    const DirectoryOwners& owners = lists[l]->owners();
    for (std::size_t p = 0; p < boxes.size(); ++p) {
      const Entry entry = make_entry(static_cast<int>(l), {boxes[p], rank, static_cast<int>(p)});
      owners.for_each_brick(boxes[p], [&](Index brick, const Box&) {
        messages.of_rank[owners.owner_of(brick)].push_back(entry);
      });
    }
  }
  messages.wrap();
  return messages;
}

/// The first defect in the brick that `rank` is the owner of.
std::optional<DirectoryDefect> find_defect(int list, const KnownBoxes& known, int rank,
                                           const std::vector<HeldBox>& received, const BoxList& rules) {
  const Index brick = known.owners().brick_of(rank);
  if (brick < 0) return std::nullopt;
  std::vector<Box> boxes;
  for (const HeldBox& held : received) boxes.push_back(held.box);
  const auto found = rules.may_share_borders ? find_inner_overlap(boxes)
                                             : find_coverage_defect(known.owners().bricks().box(brick), boxes,
                                                                    rules.may_have_gaps);
  if (!found) return std::nullopt;
  DirectoryDefect defect{list, found->where, std::nullopt, std::nullopt};
  if (found->second >= 0) {
    defect.first = received[static_cast<std::size_t>(found->first)];
    defect.second = received[static_cast<std::size_t>(found->second)];
  }
  return defect;
}

}  // namespace

Result<Directory> Directory::publish(Comm& comm, const std::vector<BoxList>& mine) {
  std::vector<double> sums;
  ESKER_RETURN_IF_ERROR(all_do(comm, "share boxes", [&] {
    sums = add_up(mine);
    return Status();
  }));
  comm.all_reduce_sum(sums);
  Directory directory(comm);
  BoxMessages messages;
  const Status made = guarded("share boxes", [&] {
    directory.start(mine, sums);
    messages = messages_to_owners(directory.lists_, comm.rank());
    return Status();
  });
  ESKER_ASSIGN_OR_RETURN(const Deliveries received, deliver(comm, made, messages.outgoing));
  ESKER_RETURN_IF_ERROR(all_do(comm, "share boxes", [&] {
    directory.keep(read_boxes(received, directory.lists_), mine);
    return Status();
  }));
  return directory;
}

void Directory::start(const std::vector<BoxList>& mine, const std::vector<double>& sums) {
  num_holders_ = static_cast<int>(sums.back());
  for (std::size_t l = 0; l < mine.size(); ++l) {
    lists_.push_back(std::make_shared<KnownBoxes>(mine[l].domain, comm_->size(), comm_->rank(), mine[l].boxes,
                                                  totals_of(&sums[l * kSumsOfList])));
  }
}

void Directory::keep(std::vector<std::vector<HeldBox>> received, const std::vector<BoxList>& mine) {
  for (std::size_t l = 0; l < received.size(); ++l) {
    if (!defect_) {
      defect_ = find_defect(static_cast<int>(l), *lists_[l], comm_->rank(), received[l], mine[l]);
    }
    kept_.emplace_back(std::move(received[l]));
  }
}

namespace {

/// A rank's queries to the owners.
struct BoxRequests {
  std::vector<std::optional<BoxQueries>> of_list;  // none: enough is known
  BoxMessages messages;
};

BoxRequests make_requests(const Lists& lists, const std::function<void(const VisitRegion&)>& regions) {
  std::vector<std::vector<Box>> regions_of(lists.size());
  regions([&](const Distribution& holders, const Box& region) {
    const Distribution::Known known = holders.known_by(region);
    const auto list =
        std::find_if(lists.begin(), lists.end(), [&](auto& l) { return l.get() == known.boxes; });
    regions_of[static_cast<std::size_t>(list - lists.begin())].push_back(known.region);
  });
  BoxRequests requests;
  for (std::size_t l = 0; l < lists.size(); ++l) {
    const DirectoryOwners& owners = lists[l]->owners();
    BoxQueries queries = queries_for(owners, std::move(regions_of[l]));
    auto& asked = requests.of_list.emplace_back();
    if (lists[l]->knows(queries)) continue;
    for (const auto& [brick, box] : queries) {
      const Entry entry = make_entry(static_cast<int>(l), {box, -1, -1});
      requests.messages.of_rank[owners.owner_of(brick)].push_back(entry);
    }
    asked = std::move(queries);
  }
  requests.messages.wrap();
  return requests;
}

BoxMessages answer(const Deliveries& received, const std::vector<BoxIndex>& kept, const Lists& lists) {
  BoxMessages messages;
  for (const Delivery& delivery : received.deliveries) {
    auto& answers = messages.of_rank[delivery.rank];
    for_each_entry(delivery, [&](const Entry& query) {
      const auto list = static_cast<std::size_t>(query.list);
      const Box where(lists[list]->domain().rank, query.lo, query.hi);
      for (const HeldBox* held : kept[list].meeting(where)) {
        answers.push_back(make_entry(static_cast<int>(list), *held));
      }
    });
  }
  messages.wrap();
  return messages;
}

}  // namespace

Status Directory::learn_all() {
  ESKER_RETURN_IF_ERROR(learn([&](const VisitRegion& visit) {
    for (const auto& list : lists_) visit(*list, list->domain());
  }));
  knows_all_ = true;
  return {};
}

Status Directory::learn_regions(const std::function<void(const VisitRegion&)>& regions) {
  BoxRequests requests;
  const Status mine = guarded("learn boxes", [&] {
    requests = make_requests(lists_, regions);
    return Status();
  });
  bool any_requests = false;
  ESKER_RETURN_IF_ERROR(
      agree(*comm_, Ballot{mine, "", 0, "", !requests.messages.outgoing.empty()}, &any_requests));
  if (!any_requests) return {};
  ESKER_ASSIGN_OR_RETURN(const Deliveries queries, deliver(*comm_, requests.messages.outgoing));
  BoxMessages answers;
  const Status made = guarded("learn boxes", [&] {
    answers = answer(queries, kept_, lists_);
    return Status();
  });
  ESKER_ASSIGN_OR_RETURN(const Deliveries received,
                         deliver(*comm_, made, answers.outgoing, requests.messages.outgoing.size()));
  return all_do(*comm_, "learn boxes", [&] {
    auto boxes = read_boxes(received, lists_);
    for (std::size_t l = 0; l < lists_.size(); ++l) {
      if (requests.of_list[l]) lists_[l]->learn(std::move(*requests.of_list[l]), std::move(boxes[l]));
    }
    return Status();
  });
}

}  // namespace esker
