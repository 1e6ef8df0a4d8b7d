// Learns from a file of words with labels, then prints the labels of other words.
//   tag TRAINING_FILE MODEL WORD…
#include <croft/croft.h>

#include <iostream>

int main(int argc, char** argv) try {
  if (argc < 4) throw croft::UsageError("usage: tag TRAINING_FILE MODEL WORD...");
  croft::train({argv[1]}, argv[2]);
  croft::Model model = croft::Model::open(argv[2]);
  for (const croft::Label y : model.tag({argv + 3, argv + argc}).y) {
    std::cout << model.label(y) << "\n";
  }
  return 0;
} catch (const croft::Error& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
