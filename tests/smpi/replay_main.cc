// Replays the writes of a step event by event: each writer sends its writes to storage targets, a few at a
// time, over links that writers and targets share. Reads a JSON object, prints the simulated seconds.
//
//   {"in_flight": writes of a writer at a time,
//    "links": [bytes per second ...],
//    "writers": [[links ...] ...], "targets": [[links ...] ...],   numbers of the links on the way
//    "writes": [[writer, target, bytes] ...]}                      in the order of each writer
#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

namespace s4u = simgrid::s4u;

namespace {

struct Write {
  s4u::Host* target = nullptr;
  std::uint64_t bytes = 0;
};

class Replay {
 public:
  explicit Replay(const nlohmann::json& input)
      : zone_(s4u::create_star_zone("machine")), most_in_flight_(input.at("in_flight")) {
    for (const double bandwidth : input.at("links")) {
      links_.push_back(
          zone_->create_link(fmt::format("link{}", links_.size()), bandwidth)->set_latency(0)->seal());
    }
    for (const auto& links : input.at("writers")) {
      writers_.push_back(add_host(fmt::format("writer{}", writers_.size())));
      zone_->add_route(writers_.back()->get_netpoint(), nullptr, nullptr, nullptr, route(links), false);
    }
    for (const auto& links : input.at("targets")) {
      targets_.push_back(add_host(fmt::format("target{}", targets_.size())));
      zone_->add_route(nullptr, targets_.back()->get_netpoint(), nullptr, nullptr, route(links), false);
    }
    zone_->seal();
    writes_.resize(writers_.size());
    for (const auto& write : input.at("writes")) {
      writes_.at(write.at(0)).push_back({targets_.at(write.at(1)), write.at(2)});
    }
  }

  void start() const {
    for (std::size_t w = 0; w < writers_.size(); ++w) {
      s4u::Actor::create("writer", writers_[w], [this, w] { send(w); });
    }
  }

 private:
  s4u::Host* add_host(const std::string& name) { return zone_->create_host(name, 1e9)->seal(); }

  void send(std::size_t writer) const {
    std::vector<s4u::CommPtr> in_flight;
    const auto take_one = [&] { in_flight.erase(in_flight.begin() + s4u::Comm::wait_any(in_flight)); };
    for (const Write& write : writes_[writer]) {
      if (in_flight.size() == most_in_flight_) take_one();
      in_flight.push_back(s4u::Comm::sendto_async(writers_[writer], write.target, write.bytes));
    }
    while (!in_flight.empty()) take_one();
  }

  [[nodiscard]] std::vector<s4u::LinkInRoute> route(const std::vector<std::size_t>& numbers) const {
    std::vector<s4u::LinkInRoute> links;
    for (const std::size_t number : numbers) links.emplace_back(links_.at(number));
    return links;
  }

  s4u::NetZone* zone_;
  std::size_t most_in_flight_;
  std::vector<const s4u::Link*> links_;
  std::vector<s4u::Host*> writers_, targets_;
  std::vector<std::vector<Write>> writes_;  // [writer]
};

}  // namespace

// The network is a fluid one without protocol: links share their bandwidth, and nothing else costs time.
int main(int argc, char** argv) {
  s4u::Engine engine(&argc, argv);
  for (const char* setting :
       {"network/model:CM02", "network/TCP-gamma:0", "network/crosstraffic:0", "network/bandwidth-factor:1",
        "network/latency-factor:1", "contexts/stack-size:64"}) {
    s4u::Engine::set_config(setting);
  }
  if (argc != 2) {
    fmt::print(stderr, "usage: {} INPUT.json\n", argv[0]);
    return 2;
  }
  try {
    const Replay replay(nlohmann::json::parse(std::ifstream(argv[1])));
    replay.start();
    engine.run();
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", argv[1], error.what());
    return 2;
  }
  fmt::print("{}\n", s4u::Engine::get_clock());
}
