#include <algorithm>

#include "features/text/tokenizer.h"

namespace croft {

// By kind, so that the list can be read; and what a word such as "don't" or "we'll" falls into.
const std::vector<std::string>& english_stop_words() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> list = {
        // articles, demonstratives, quantifiers
        "a", "an", "the", "this", "that", "these", "those", "some", "any", "each", "every",
        "either", "neither", "both", "all", "such", "no", "other", "another", "much", "many",
        "more", "most", "few", "less", "least", "several", "own", "same",
        // pronouns
        "i", "me", "my", "mine", "myself", "you", "your", "yours", "yourself", "yourselves", "he",
        "him", "his", "himself", "she", "her", "hers", "herself", "it", "its", "itself", "we", "us",
        "our", "ours", "ourselves", "they", "them", "their", "theirs", "themselves", "one", "ones",
        "who", "whom", "whose", "which", "what", "whoever", "whatever", "whichever", "someone",
        "something", "anyone", "anything", "everyone", "everything", "nobody", "nothing",
        // auxiliaries
        "be", "am", "is", "are", "was", "were", "been", "being", "have", "has", "had", "having",
        "do", "does", "did", "doing", "done", "will", "would", "shall", "should", "can", "could",
        "may", "might", "must", "cannot", "ought",
        // prepositions
        "about", "above", "across", "after", "against", "along", "among", "around", "as", "at",
        "before", "behind", "below", "beneath", "beside", "besides", "between", "beyond", "by",
        "despite", "down", "during", "except", "for", "from", "in", "inside", "into", "like",
        "near", "of", "off", "on", "onto", "out", "outside", "over", "per", "since", "through",
        "throughout", "to", "toward", "towards", "under", "until", "up", "upon", "via", "with",
        "within", "without",
        // conjunctions
        "and", "or", "but", "nor", "so", "yet", "if", "because", "although", "though", "unless",
        "whereas", "whether", "while", "than", "then", "else",
        // adverbs that carry little of a topic
        "not", "only", "very", "too", "also", "just", "even", "ever", "never", "here", "there",
        "where", "when", "why", "how", "again", "already", "always", "still", "thus", "hence",
        "however", "therefore", "rather", "quite", "perhaps", "once", "now", "often", "almost",
        "otherwise", "somewhere", "anywhere", "everywhere", "elsewhere",
        // pieces of contractions
        "ll", "ve", "re", "don", "doesn", "didn", "isn", "aren", "wasn", "weren", "hasn", "haven",
        "hadn", "won", "wouldn", "shouldn", "couldn", "mustn", "ain"};
    std::ranges::sort(list);
    return list;
  }();
  return words;
}

}  // namespace croft
