#include "python/comm_ranks.h"

#include <algorithm>

namespace croft::python {

namespace py = pybind11;

namespace {

std::vector<std::string> strings_of(const py::object& list) {
  std::vector<std::string> out;
  for (const py::handle each : list) out.push_back(each.cast<std::string>());
  return out;
}

}  // namespace

CommRanks::CommRanks(py::object comm) : comm_(std::move(comm)) {
  in_place_ = py::module_::import("mpi4py.MPI").attr("IN_PLACE");
  rank_ = comm_.attr("Get_rank")().cast<std::size_t>();
  size_ = comm_.attr("Get_size")().cast<std::size_t>();
}

void CommRanks::sum(std::span<double> numbers) {
  constexpr std::size_t kPiece = std::size_t{1} << 27;  // counts of MPI are ints
  const py::gil_scoped_acquire lock;
  const py::object frombuffer = py::module_::import("numpy").attr("frombuffer");
  for (std::size_t at = 0; at < numbers.size(); at += kPiece) {
    const std::span<double> piece = numbers.subspan(at, std::min(kPiece, numbers.size() - at));
    const auto bytes = py::memoryview::from_memory(static_cast<void*>(piece.data()),
                                                   static_cast<py::ssize_t>(piece.size_bytes()));
    comm_.attr("Allreduce")(in_place_, frombuffer(bytes, "f8"));
  }
}

std::vector<std::string> CommRanks::gather(std::string_view bytes) {
  const py::gil_scoped_acquire lock;
  return strings_of(comm_.attr("allgather")(py::bytes(bytes)));
}

void CommRanks::hand_to_first(std::string_view bytes, const Take& take) {
  if (rank_ != 0) {
    const py::gil_scoped_acquire lock;
    comm_.attr("send")(py::bytes(bytes), 0);
    return;
  }
  take(bytes);
  for (std::size_t r = 1; r < size_; ++r) {
    std::string other;
    {
      const py::gil_scoped_acquire lock;
      other = comm_.attr("recv")(py::none(), r).cast<std::string>();
    }
    take(other);
  }
}

void CommRanks::broadcast(std::string& bytes) {
  const py::gil_scoped_acquire lock;
  bytes = comm_.attr("bcast")(py::bytes(bytes), 0).cast<std::string>();
}

std::vector<std::string> CommRanks::exchange(const std::vector<std::string>& to) {
  const py::gil_scoped_acquire lock;
  py::list list;
  for (const std::string& each : to) list.append(py::bytes(each));
  return strings_of(comm_.attr("alltoall")(list));
}

}  // namespace croft::python
