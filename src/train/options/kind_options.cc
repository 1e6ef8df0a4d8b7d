// What a kind of model, or a few of them, have for themselves.
#include "train/boosting/regression_tree_fit.h"
#include "train/options/training_options.h"

namespace croft {

std::span<const OptionRow> generative_options() {
  using namespace option;
  constexpr const char* kBayes = "Naive Bayes (--model naive-bayes)";
  constexpr const char* kHmm = "Hidden Markov models (--model hmm)";
  constexpr const char* kEm = "Hidden variables (several kinds)";
  static const auto kRows = with_common({
      common(kNaiveBayesBit, kBayes),
      choice("event", "MODEL=auto",
             {"auto", "multinomial", "bernoulli", "complement", "gaussian", "categorical"},
             "What attributes are: multinomial (counts), bernoulli (there or not), complement, "
             "gaussian (measurements) or categorical (COLUMN=VALUE; all columns of a table, also "
             "of numbers); auto: columns of a table gaussian or categorical, all else "
             "multinomial")
          .upfront()
          .at_first("auto"),
      number("alpha", "NUMBER=1", "Added to each count: 1 is Laplace's, less Lidstone's").upfront(),
      words("prior-probabilities", "PRIORS=learnt",
            "Of the labels: learnt, uniform, LABEL=P,LABEL=P,… or a file of lines LABEL TAB P")
          .or_file(),
      number("binarize", "NUMBER=0",
             "bernoulli: an attribute is there where its value is above this"),
      number("variance-floor", "NUMBER=1e-9",
             "gaussian: this share of the largest variance is added to all"),
      flag("complement-norm", "complement: the weights of a label sum to 1"),
      common(kHmmBit, kHmm),
      number("smoothing", "NUMBER=0.1, of bayes-net 0",
             "Added to the count of every value of every label, that of all unknown ones too")
          .upfront()
          .of(kHmmBit | kBayesNetBit),
      number("transition-smoothing", "NUMBER",
             "Added to the count of every start, transition and end; default: as --smoothing"),
      whole("rare", "N",
            "Values seen N times or less stand in for unknown ones; 0: none; default: 1, with "
            "--suffix 10"),
      whole("suffix", "N=0",
            "Tell unknown values apart by their last N letters, or less; 0: do not")
          .at_first("0")
          .between(0, 64),
      whole("states", "N",
            "Labels in all; without --partial the data has none, and every column is observed")
          .upfront()
          .between(1, 65536),
      number("generative-weight", "NUMBER=1",
             "--objective multi-conditional: the weight of log p(x|y) beside log p(y|x)"),
      number("coupling", "NUMBER=1",
             "--objective hybrid: how strongly a prior holds the parameters of p(y|x) to those of "
             "p(x); 0: not at all"),
      common(kHmmBit | kNaiveBayesBit | kBayesNetBit | kGraphBit | kHiddenChainBit | kMixtureBit,
             kEm),
      whole("em-iterations", "N=100, of mixture 1000",
            "Iterations at most of Baum-Welch, or of the EM of naive-bayes, bayes-net, mixture and "
            "of "
            "graph and hidden-chain (otherwise trained by the gradient), where labels are not "
            "known; 0, of the first three: only what is known counts"),
      whole("starts", "N",
            "Random starts where labels are not known, of which the best is kept; default: 1, "
            "of hmm without any labels 5")
          .upfront()
          .of(kHmmBit | kBayesNetBit | kGraphBit | kHiddenChainBit)
          .from(1),
      number("start-deviation", "NUMBER=0.1",
             "Training starts at random weights of this standard deviation")
          .of(kHiddenChainBit | kGraphBit),
      common(kBayesNetBit, "Bayesian networks (--model bayes-net)"),
      file("structure", "FILE",
           "The network, BIF or UAI's BAYES, whose variables and parents are taken, with "
           "--learn-structure only variables and states; DATA is a table with a column of states "
           "for each variable, -o ends in .bif or .uai, --init gives tables for EM to start from")
          .upfront()
          .outside(),
      choice(
          "learn-structure", "METHOD", {"hill-climbing", "exact", "pc"},
          "Learn the edges, too: hill-climbing (by score, with a tabu list and 10 --starts; --init "
          "gives edges to start from), exact (the best score, up to 20 variables), or pc (tests "
          "of independence); variables are the columns of DATA")
          .upfront(),
      choice("network-score", "SCORE=bic", {"bic", "bdeu"},
             "hill-climbing, exact: the score of a network")
          .beside("learn-structure"),
      number("equivalent-sample-size", "N=1", "bdeu: how many cases its prior weighs as")
          .beside("learn-structure"),
      whole("max-parents", "N",
            "Parents that a variable may have; of pc: variables that a test is given")
          .beside("learn-structure"),
      whole("tabu", "N=10",
            "hill-climbing: steps for which a changed edge is left alone, and steps without a "
            "better network before it ends")
          .beside("learn-structure"),
      number("significance", "P=0.01", "pc: variables are independent where the p-value is above")
          .beside("learn-structure"),
      whole("bootstrap", "N",
            "Learn the structure from N samples of DATA, too, to say how sure each edge is")
          .beside("learn-structure")
          .from(1),
      file("edges", "FILE", "CSV of the edges of these samples, with their confidence")
          .written_as("the edges ")
          .beside("bootstrap")
          .outside(),
  });
  return kRows;
}

OptionRow query_seconds_row() {
  return option::number("query-seconds", "N=600", "What a query of the spec may take of time")
      .at_first("600")
      .between(0.001, 1e9);
}

OptionRow query_memory_row() {
  return option::size("query-memory", "SIZE=4G",
                      "What a query of the spec, and its result, may take of memory")
      .at_first("4G");
}

std::span<const OptionRow> structure_options() {
  using namespace option;
  constexpr const char* kPool = "Pools of experts (--model pool)";
  constexpr const char* kCode = "Error-correcting codes (--model error-correcting)";
  constexpr const char* kJoint = "Joint features of x and y (--model maxent)";
  constexpr const char* kSegments = "Segments (--model segment, boosted-segment)";
  constexpr const char* kTrees =
      "Gradient tree boosting (--model boosted-chain, boosted-maxent, boosted-segment)";
  constexpr const char* kLogic = "Markov logic (--model logic)";
  constexpr const char* kGraphs = "Graphs from tables (--model graph)";
  constexpr KindSet kOfSegments = kSegmentBit | kBoostedSegmentBit;
  static const auto kRows = with_common({
      words("hidden-states", "K=2|LABEL=K",
            "States that each label has: K, or LABEL=K of one label; may be given several times")
          .upfront()
          .of(kHiddenChainBit)
          .in("Hidden states (--model hidden-chain)")
          .repeated(),
      common(kPoolBit, kPool),
      words("experts", "EXPERTS",
            "Experts to train: all (every feature), random:N (features dealt to N), "
            "random:N:FRACTION (N, each with that share of the features), position (past, "
            "present, future), labels (one for each chunk type, label or --label-classes class); "
            "may be given several times")
          .upfront()
          .repeated(),
      file("expert", "MODEL",
           "A chain that is trained already, as one expert of a pool, or a model of single labels, "
           "as one component of a mixture; may be given several times")
          .upfront()
          .of(kPoolBit | kMixtureBit)
          .repeated()
          .outside(),
      choice("pool-weights", "HOW=free", {"free", "dirichlet", "uniform", "unit"},
             "Of the experts: free, dirichlet (on the simplex, with a prior), both learnt on "
             "--holdout, or without it on DATA; uniform (1/N each) or unit (1 each)")
          .at_first("free"),
      number("dirichlet", "ALPHA=1",
             "Of the Dirichlet prior; above 1 it draws to equal weights, below to few experts"),
      common(kErrorCorrectingBit, kCode),
      words("code", "CODE=one-vs-rest",
            "one-vs-rest, all-pairs, random[:BITS] (the best of some draws), "
            "minimum-loss[:BITS[:CANDIDATES]] (the BITS of so many random ones that leave the "
            "least loss on --holdout, or on DATA), or a file of lines LABEL BITS of 0, 1 and -; "
            "BITS: 10 log2 of the labels, CANDIDATES: twice as many")
          .upfront()
          .at_first("one-vs-rest"),
      choice("decoder", "DECODER=product", {"product", "marginal", "distance", "bits"},
             "How the chains' answers make a label, unless predict names another: product (a "
             "chain over labels), marginal, distance or bits")
          .at_first("product"),
      common(kJointBit, kJoint),
      file("joint-template", "FILE",
           "Lines such as u1:%x[-1,0] * %y[suffix,3]: an observation times a part of the "
           "label; labels with the same part share the weight")
          .of(kJointBit, "it goes with --model maxent"),
      file("label-classes", "FILE",
           "Lines LABEL CLASS, for %y[class] in the joint templates, and for --experts labels "
           "of --model pool")
          .of(kJointBit | kPoolBit,
              "it goes with --joint-template, and with --experts labels of --model pool"),
      common(kOfSegments, kSegments),
      file("segment-template", "FILE|none",
           "Lines such as U1:%length or U2:%lower: features of a segment as a whole; none: "
           "there are none; without: the length (docs/segments.md)")
          .upfront(),
      file("gazetteer", "[NAME=]FILE",
           "Names, one a line, for %gazetteer in the segment template; behind a TAB the list "
           "that it is in, otherwise NAME, or the file's; may be given several times")
          .repeated()
          .outside(),
      words("max-length", "[LABEL=]N",
            "Positions that a segment may have, or one of that label; without: those of the "
            "longest one in the data; may be given several times")
          .upfront()
          .repeated(),
      words("text-attribute", "PREFIX",
            "With --format attributes, what the attribute starts with that has a position's "
            "word, for segment templates, such as w="),
      choice("label-scheme", "SCHEME=auto", {"auto", "bio", "bio1", "ioe", "bioes", "raw", "none"},
             "How labels spell segments: bio, bio1, ioe, bioes, raw (each a segment), none (runs "
             "of a label), or auto; with --format spans and any kind, how spans become labels: "
             "bio (auto), bio1, ioe or bioes")
          .at_first("auto"),
      common(kBoosted, kTrees),
      whole("rounds", "N=100", "Rounds, each with a tree for every label")
          .upfront()
          .at_first("100"),
      number("shrinkage", "SHARE=0.3",
             "The share of each tree that is added, above 0 and not above 1")
          .upfront()
          .at_first("0.3"),
      whole("depth", "N=20", "Tests on the way to a leaf at most; 0: trees are constants")
          .upfront()
          .at_first("20"),
      whole("leaves", "N=31", "Leaves of a tree at most")
          .upfront()
          .at_first("31")
          .between(1, kMostLeaves),
      number("min-child-weight", "NUMBER=1",
             "Sum of second derivatives, p (1 - p) of each position, that a leaf has at least")
          .at_first("1"),
      whole("min-child-count", "N=1", "Positions that a leaf has at least").at_first("1").from(1),
      number("min-gain", "NUMBER=0",
             "A test must lower the objective by more than this, to second order")
          .at_first("0"),
      number("row-share", "SHARE=1", "Of the sequences, drawn anew for each round").at_first("1"),
      number("feature-share", "SHARE=1", "Of the attributes, drawn anew for each tree")
          .at_first("1"),
      number("trim", "SHARE=0.1",
             "Grow trees without the positions of the smallest gradients, which together have "
             "this share of the sum of all")
          .at_first("0.1"),
      whole("bins", "N=255", "Bins of a numeric attribute at most").at_first("255").between(2, 256),
      choice("trees", "HOW=label", {"label", "shared"},
             "label: a tree for each label a round; shared: one, whose leaves have a value for "
             "each")
          .at_first("label"),
      flag("pair-trees",
           "boosted-chain: trees also for each pair of neighbouring labels that the data has")
          .of(kBoostedChainBit),
      common(kGraphBit, kGraphs),
      file("spec", "FILE",
           "TOML: queries for variables and cliques; see docs/graphs_from_tables.md. Or templates "
           "of "
           "GRMM")
          .upfront()
          .outside(),
      file("database", "FILE",
           "A file of SQLite; or files NAME.csv, NAME.tsv, each a table NAME (give the option "
           "several times); or files with data lines of GRMM")
          .upfront()
          .repeated()
          .outside(),
      query_seconds_row().outside(),
      query_memory_row().outside(),
      size("memory", "SIZE=8G",
           "What junction trees may take: a number with K, M, G or T (powers of 1024)")
          .of(kGraphBit | kLogicBit),
      whole("inference-iterations", "N",
            "Iterations of inference in each evaluation, where it iterates")
          .from(1),
      number("damping", "NUMBER=0", "Share of the old message in the new one, in [0, 1)"),
      words("search", "SEARCH=auto",
            "How perceptron and max-margin find the best labelling: auto, junction-tree, "
            "max-product, trw-s, graph-cut, alpha-expansion"),
      flag("pairs", "sample-rank: proposals that change two neighbouring variables at once, too"),
      common(kLogicBit, kLogic),
      file("program", "FILE",
           "The network (.mln) whose weights are learnt; -o gets it with them.  DATA is what is "
           "true; atoms of --query that it does not name are false.  Where nothing is said, the "
           "objective is pseudo-likelihood, --l2 0 and --memory 4e9, of ground clauses, too")
          .upfront()
          .outside(),
      words("query", "ATOMS", "The predicates that the rules are to foretell: \"P, Q\"")
          .upfront()
          .outside(),
      file("evidence", "FILE ...", "Facts that are true in each world of --worlds")
          .upfront()
          .repeated()
          .beside("worlds")
          .outside(),
      flag("worlds", "Each file of DATA is a world of its own, with constants of its own")
          .outside(),
      words("hidden", "P,Q,...",
            "Predicates whose atoms are not known where DATA does not name them")
          .outside(),
      choice(
          "reading", "MEANING", {"formula", "clausal"},
          "What a weight means, as --weights of croft logic: formula, or, with --dialect alchemy "
          "where nothing is said, clausal")
          .outside(),
      choice("dialect", "DIALECT=any", {"any", "alchemy", "tuffy", "lomrf", "pracmln"},
             "Whose signs the network may have")
          .outside(),
      number("soft-hard", "WEIGHT", "Hard rules are soft ones of this weight").outside(),
      choice("prior-mean", "MEAN=zero", {"zero", "written"},
             "Where --l2 pulls the weights to, 0 or what the network has written")
          .beside("l2")
          .outside(),
      words("set", "NAME=VALUE ...",
            "A setting of the objective, as croft logic --help lists them; may be given several "
            "times")
          .repeated()
          .outside(),
  });
  return kRows;
}

}  // namespace croft
