// Products of a sparse row with a table, and their transpose: as the plain loops say.
#include "core/sparse_rows.h"

#include <gtest/gtest.h>

#include <vector>

#include "croft/core/random.h"

namespace croft::sparse_rows_test {
namespace {

template <class T>
class SparseRows : public testing::Test {};
using Numbers = testing::Types<float, double>;
TYPED_TEST_SUITE(SparseRows, Numbers);

template <class T>
struct Case {
  std::vector<std::uint32_t> index;
  std::vector<T> value;  // empty: 1 each
  Matrix<T> table, row;
  Case(std::size_t columns, std::uint64_t seed) : table(50, columns, 0), row(1, columns, 0) {
    Random random(seed);
    const auto fill = [&](Matrix<T>& matrix) {
      for (std::size_t r = 0; r < matrix.rows(); ++r) {
        for (std::size_t c = 0; c < columns; ++c) matrix(r, c) = static_cast<T>(random.normal());
      }
    };
    fill(table);
    fill(row);
    for (std::uint64_t k = random.below(40); k > 0; --k) {
      index.push_back(static_cast<std::uint32_t>(random.below(50)));
      if (seed % 2 == 0) value.push_back(static_cast<T>(random.normal()));
    }
  }
  T value_of(std::size_t k) const { return value.empty() ? T{1} : value[k]; }
};

TYPED_TEST(SparseRows, SumIsThatOfTheRowsTimesTheirValues) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Case<TypeParam> given(1 + seed, seed);  // rows of all numbers of vectors, half ones too
    Matrix<TypeParam> sum(1, 1 + seed, 7);
    weighted_row_sum(given.index, given.value, given.table, sum.row(0));
    for (std::size_t c = 0; c < sum.stride(); ++c) {
      double expected = 0;
      for (std::size_t k = 0; k < given.index.size(); ++k) {
        expected += double{given.value_of(k)} * double{given.table.row(given.index[k])[c]};
      }
      EXPECT_NEAR(sum.row(0)[c], expected, 1e-4) << seed << " " << c;
    }
  }
}

TYPED_TEST(SparseRows, ARowIsAddedToEachOfTheIndexAndToNoOther) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Case<TypeParam> given(1 + seed, seed);
    Matrix<TypeParam> table = given.table;
    add_weighted_row(given.index, given.value, given.row.row(0), table);
    for (std::uint32_t r = 0; r < table.rows(); ++r) {
      double weight = 0;  // of all its places in the index: it may have several
      for (std::size_t k = 0; k < given.index.size(); ++k) {
        if (given.index[k] == r) weight += double{given.value_of(k)};
      }
      for (std::size_t c = 0; c < table.stride(); ++c) {
        const double expected =
            double{given.table.row(r)[c]} + weight * double{given.row.row(0)[c]};
        EXPECT_NEAR(table.row(r)[c], expected, 1e-4) << seed << " " << r << " " << c;
      }
    }
  }
}

}  // namespace
}  // namespace croft::sparse_rows_test
