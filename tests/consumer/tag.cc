// Learns from a file of words with labels, then prints the labels of other words.
//   tag TRAINING_FILE MODEL WORD…
#include <croft/core/error.h>
#include "app/label/tagger.h"
#include "app/train/train_request.h"

#include <iostream>

int main(int argc, char** argv) try {
  if (argc < 4) throw croft::UsageError("usage: tag TRAINING_FILE MODEL WORD...");
  croft::TrainRequest request;
  request.data = {argv[1]};
  request.output = argv[2];
  croft::train_model(request);

  const auto model = croft::ChainModel::open(request.output);
  croft::ColumnSequence words;
  for (int k = 3; k < argc; ++k) words.append_row(argv[k]);
  croft::Extractor::Scratch scratch;
  croft::TextSequence sequence;
  model->extractor().extract(words, false, scratch, sequence);
  croft::Tagger tagger(*model);
  for (const croft::Label y : tagger.tag(sequence, {}).y) std::cout << model->label(y) << "\n";
  return 0;
} catch (const croft::Error& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
