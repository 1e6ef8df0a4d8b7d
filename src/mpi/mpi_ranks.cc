// Ranks over MPI.  Counts of MPI are ints, so long messages go in pieces.
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "mpi/mpi_module.h"

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 27;  // numbers or bytes of one message

class MpiRanks final : public croft::Ranks {
 public:
  MpiRanks() {
    int rank = 0, size = 0;
    MPI_Comm_dup(MPI_COMM_WORLD, &all_);
    MPI_Comm_rank(all_, &rank);
    MPI_Comm_size(all_, &size);
    rank_ = static_cast<std::size_t>(rank);
    size_ = static_cast<std::size_t>(size);
  }
  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return size_; }

  Traffic traffic() const override { return traffic_; }

  // The sums are exact: MPI may add in any order.
  void sum(std::span<double> numbers) override {
    const double start = MPI_Wtime();
    for (std::size_t at = 0; at < numbers.size(); at += kPiece) {
      const std::size_t count = std::min(kPiece, numbers.size() - at);
      MPI_Allreduce(MPI_IN_PLACE, numbers.data() + at, static_cast<int>(count), MPI_DOUBLE, MPI_SUM,
                    all_);
    }
    traffic_.seconds += MPI_Wtime() - start;
    traffic_.bytes += numbers.size_bytes();
  }

  std::vector<std::string> gather(std::string_view bytes) override {
    const double start = MPI_Wtime();
    const std::vector<std::uint64_t> sizes = sizes_of_all(bytes.size());
    std::vector<std::string> all(size_);
    const std::uint64_t total = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
    if (total < kAtOnce) {
      gather_at_once(bytes, sizes, all);
    } else {
      for (std::size_t r = 0; r < size_; ++r) {
        all[r] = r == rank_ ? std::string(bytes) : std::string(sizes[r], '\0');
        broadcast_from(r, all[r]);
      }
    }
    traffic_.seconds += MPI_Wtime() - start;
    traffic_.bytes += total;
    return all;
  }

  void hand_to_first(std::string_view bytes, const Take& take) override {
    const std::vector<std::uint64_t> sizes = sizes_of_all(bytes.size());
    if (rank_ != 0) {
      send(bytes, 0);
      return;
    }
    take(bytes);
    for (std::size_t r = 1; r < size_; ++r) {
      std::string other(sizes[r], '\0');
      receive(other, r);
      take(other);
    }
  }

  void broadcast(std::string& bytes) override {
    std::uint64_t size = bytes.size();
    MPI_Bcast(&size, 1, MPI_UINT64_T, 0, all_);
    bytes.resize(size);
    broadcast_from(0, bytes);
  }

  // With the process at each distance in turn: no two messages of one are under way at once.
  std::vector<std::string> exchange(const std::vector<std::string>& to) override {
    std::vector<std::uint64_t> out(size_), in(size_);
    std::ranges::transform(to, out.begin(), [](const std::string& each) { return each.size(); });
    MPI_Alltoall(out.data(), 1, MPI_UINT64_T, in.data(), 1, MPI_UINT64_T, all_);
    std::vector<std::string> from(size_);
    from[rank_] = to[rank_];
    for (std::size_t distance = 1; distance < size_; ++distance) {
      const std::size_t next = (rank_ + distance) % size_,
                        last = (rank_ + size_ - distance) % size_;
      from[last].resize(in[last]);
      std::vector<MPI_Request> requests;
      start_send(to[next], next, requests);
      receive(from[last], last);
      MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    }
    return from;
  }

 private:
  static constexpr std::size_t kAtOnce = std::size_t{1} << 30;  // bytes that go to all at once

  std::vector<std::uint64_t> sizes_of_all(std::uint64_t size) {
    std::vector<std::uint64_t> sizes(size_);
    MPI_Allgather(&size, 1, MPI_UINT64_T, sizes.data(), 1, MPI_UINT64_T, all_);
    return sizes;
  }
  void gather_at_once(std::string_view bytes, const std::vector<std::uint64_t>& sizes,
                      std::vector<std::string>& all) {
    std::vector<int> count(size_), begin(size_);
    int end = 0;
    for (std::size_t r = 0; r < size_; ++r) {
      count[r] = static_cast<int>(sizes[r]);
      begin[r] = end;
      end += count[r];
    }
    std::string joined(static_cast<std::size_t>(end), '\0');
    MPI_Allgatherv(bytes.data(), count[rank_], MPI_BYTE, joined.data(), count.data(), begin.data(),
                   MPI_BYTE, all_);
    for (std::size_t r = 0; r < size_; ++r) {
      all[r] = joined.substr(static_cast<std::size_t>(begin[r]), sizes[r]);
    }
  }
  void broadcast_from(std::size_t root, std::string& bytes) {
    for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
      MPI_Bcast(bytes.data() + at, piece(bytes.size(), at), MPI_BYTE, static_cast<int>(root), all_);
    }
  }
  static int piece(std::size_t size, std::size_t at) {
    return static_cast<int>(std::min(kPiece, size - at));
  }
  void send(std::string_view bytes, std::size_t to) {
    for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
      MPI_Send(bytes.data() + at, piece(bytes.size(), at), MPI_BYTE, static_cast<int>(to), 0, all_);
    }
  }
  void start_send(const std::string& bytes, std::size_t to, std::vector<MPI_Request>& requests) {
    for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
      requests.emplace_back();
      MPI_Isend(bytes.data() + at, piece(bytes.size(), at), MPI_BYTE, static_cast<int>(to), 0, all_,
                &requests.back());
    }
  }
  void receive(std::string& bytes, std::size_t from) {
    for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
      MPI_Recv(bytes.data() + at, piece(bytes.size(), at), MPI_BYTE, static_cast<int>(from), 0,
               all_, MPI_STATUS_IGNORE);
    }
  }

  MPI_Comm all_ = MPI_COMM_NULL;
  std::size_t rank_ = 0, size_ = 1;
  Traffic traffic_;
};

char host[MPI_MAX_PROCESSOR_NAME + 1] = "";

}  // namespace

croft::Ranks* croft_mpi_start(int* argc, char*** argv) {
  int provided = 0;
  MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
  int length = 0;
  MPI_Get_processor_name(host, &length);
  static MpiRanks ranks;
  return &ranks;
}

const char* croft_mpi_host() { return host; }

void croft_mpi_end(int status, const char* message, int descriptor) {
  constexpr auto kPatience = std::chrono::seconds(3);
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  const auto start = std::chrono::steady_clock::now();
  for (int done = 0;;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) break;
    if (status != 0 && std::chrono::steady_clock::now() - start > kPatience) {
      if (::write(descriptor, message, std::strlen(message)) < 0) status = 1;
      MPI_Abort(MPI_COMM_WORLD, status);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  MPI_Finalize();
}
