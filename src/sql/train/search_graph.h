// Settings of the training of a general CRF, chosen by cross-validation over the instances of a
// database.  docs/search.md.
#pragma once
#include <functional>

#include "app/search/search.h"

namespace croft {

// The search of app/search, whose sequences are instances: trainings run one after the other, each
// on request.threads.  Each trains on some instances and is scored on others as croft evaluate
// scores them, all domains together.
//   request : its options are those of train, with --spec and --database; its data and format have
//             no meaning
// Throws UsageError, Error, and as the trainings.
SearchedSettings search_graph_settings(const SearchRequest& request,
                                       const std::function<void(const SearchProgress&)>& progress);

}  // namespace croft
