"""The table of golden files: what is asked of the program, under which name.

HELP       verbs whose help is kept
MODELS     trainings: name -> arguments behind `croft train -o NAME.croft --log NAME.log`
DOCUMENTS  other runs, in this order: name -> list of commands, which find the models of MODELS
CHOICES    for each kind of model a training whose objectives and optimizers are tried, each with each
OPTIONS    what each training of STARTS is given further, one option at a time
KINDS      for each kind of model trainings of which one at least takes an option that the table lists for the kind,
           alone or with one of its COMPANY; OPTIONS has its value, or VALUES

Every command runs in the folder that data.py fills.
"""

HELP = ["", "train", "predict", "evaluate", "inspect", "explain", "convert", "stack", "infer", "maximum-entropy",
        "calibrate", "search", "cluster", "logic", "bugs",
        "serve", "suggest", "compare", "errors", "check", "card", "learning-curve", "completion", "manual"]

FEW = "--max-iterations 6"
SHORT = "--template short.template"  # few enough weights for whole matrices

OBJECTIVES = ["likelihood", "pseudolikelihood", "per-edge", "composite", "marginal", "piecewise", "local",
              "softmax-margin", "max-margin", "perceptron", "passive-aggressive", "arow"]
GRAPH_OBJECTIVES = ["likelihood", "bethe", "mean-field", "pseudolikelihood", "per-edge", "composite", "piecewise",
                    "piecewise-pseudolikelihood", "perceptron", "max-margin", "tree-reweighted",
                    "product-of-beliefs", "gibbs", "contrastive-divergence", "persistent-contrastive-divergence",
                    "sample-rank", "passive-aggressive"]
# The objective of each optimizer that is not of the likelihood of a chain.
OPTIMIZERS = {name: "" for name in (
    "sgd-lbfgs", "lbfgs", "owlqn", "steepest-descent", "cg", "preconditioned-cg", "mixed-cg", "bfgs", "newton",
    "truncated-newton", "gis", "iis", "sgd", "averaged-sgd", "adagrad", "adagrad-rda", "smd", "sag", "async-sgd",
    "dual-ascent", "sdca", "eg", "batch-eg")} | {
    "span-lbfgs": "--model maxent", "coordinate-descent": "--model maxent",
    "frank-wolfe": "--objective max-margin", "smo": "--objective max-margin",
    "perceptron": "--objective perceptron", "averaged-perceptron": "--objective perceptron",
    "pass-perceptron": "--objective perceptron", "voted-perceptron": "--objective perceptron",
    "pa": "--objective passive-aggressive", "pa-1": "--objective passive-aggressive",
    "pa-2": "--objective passive-aggressive", "mira": "--objective passive-aggressive", "arow": "--objective arow"}
GRAPH_OPTIMIZERS = {name: "" for name in (
    "lbfgs", "sgd-lbfgs", "cg", "preconditioned-cg", "mixed-cg", "bfgs", "steepest-descent", "sgd", "averaged-sgd",
    "adagrad", "adagrad-rda", "smd", "sag")} | {
    "owlqn": "--l1 0.2", "frank-wolfe": "--objective max-margin", "perceptron": "--objective perceptron",
    "pass-perceptron": "--objective perceptron", "pa": "--objective passive-aggressive",
    "pa-2": "--objective passive-aggressive"}

GRAPH = "--model graph --spec graph.toml --database token.csv"
SKIP = "--model graph --spec skip.toml --database token.csv"
LOGIC = "--model logic --program friends.mln --query Smokes,Cancer"
HIDDEN = "--model graph --spec graph.toml --database hidden/token.csv"
STATES = "--model hidden-chain --hidden-states 2 --template gestures.template"
TEXT = "--format text train.tsv"

MODELS = {
    # Kinds of models, to the end of training.
    "chain": "train.txt",
    "chain-template": "--template chunks.template chunks.txt",
    "chain-edges": "--template edges.template --boundaries --l2 0.5 train.txt",
    "chain-attributes": "--format attributes train.attributes",
    "chain-attributes-all": "--format attributes --features all --min-count 3 train.attributes",
    "chain-spans": "--format spans --label-scheme bioes spans.jsonl",
    "maxent": "--model maxent train.txt",
    "maxent-attributes": "--model maxent --format attributes --no-intercept train.attributes",
    "maxent-text": f"--model maxent {TEXT}",
    "maxent-tf-idf": "--model maxent --format text --term-weights tf-idf --sublinear --ngrams 1-2 --min-documents 2 "
                     "--stop-words english train.tsv",
    "maxent-hashed": "--model maxent --format text --analyzer char_wb --ngrams 2-3 --hash-bits 8 --norm l2 train.tsv",
    "maxent-csv": "--model maxent --format csv --ignore id --standardise train.csv",
    "maxent-svmlight": "--model maxent --format svmlight train.svm",
    "maxent-class-weights": f"--model maxent --class-weights classes.txt {TEXT}",
    "maxent-balanced": f"--model maxent --class-weights balanced --intercept=unpenalised {TEXT}",
    "maxent-elastic-net": f"--model maxent --optimizer coordinate-descent --l1 0.1 --l2 0.5 {TEXT}",
    "memm": "--model memm train.txt",
    "joint-maxent": "--model maxent --joint-template joint.template --label-classes joint.classes joint.txt",
    "naive-bayes-multinomial": f"--model naive-bayes {TEXT}",
    "naive-bayes-bernoulli": f"--model naive-bayes --event bernoulli --alpha 0.5 {TEXT}",
    "naive-bayes-complement": f"--model naive-bayes --event complement --complement-norm {TEXT}",
    "naive-bayes-gaussian": "--model naive-bayes --event gaussian --format svmlight train.svm",
    "naive-bayes-categorical": "--model naive-bayes --event categorical --format csv --ignore id,size train.csv",
    "naive-bayes-mixed": "--model naive-bayes --format csv --ignore id --prior-probabilities uniform train.csv",
    "naive-bayes-columns": "--model naive-bayes --event bernoulli train.txt",
    "naive-bayes-em": "--model naive-bayes --partial --em-iterations 5 partial.txt",
    "naive-bayes-more": "--model naive-bayes --format text --init naive-bayes-multinomial.croft held.tsv",
    "hmm": "--model hmm gestures.txt",
    "hmm-suffix": "--model hmm --suffix 3 --boundaries --transition-smoothing 0.5 train.txt",
    "hmm-order": "--model hmm --partial partial.txt",
    "hmm-states": "--model hmm --states 3 --starts 2 --em-iterations 6 unlabelled.txt",
    "hmm-hybrid": "--model hmm --objective hybrid --coupling 0.1 --em-iterations 12 gestures.txt",
    "hmm-unlabelled": "--model hmm --unlabelled unlabelled.txt --em-iterations 4 gestures.txt",
    "hidden-chain": f"{STATES} --max-iterations 15 --starts 2 gestures.txt",
    "hidden-chain-em": f"{STATES} --em-iterations 5 --l2 0.1 gestures.txt",
    "hidden-chain-of-label": "--model hidden-chain --hidden-states 1 --hidden-states wave=2 "
                             "--template gestures.template --max-iterations 5 gestures.txt",
    "pool": "--model pool --experts all --experts random:2 --experts position --max-iterations 8 train.txt",
    "pool-dirichlet": "--model pool --experts random:2:0.5 --pool-weights dirichlet --dirichlet 2 --holdout 0.2 "
                      "--max-iterations 8 train.txt",
    "pool-labels": "--model pool --experts labels --label-classes binary.classes --max-iterations 6 train.txt",
    "code-one-vs-rest": "--model error-correcting --max-iterations 6 train.txt",
    "code-all-pairs": "--model error-correcting --code all-pairs --decoder marginal --max-iterations 4 train.txt",
    "code-random": "--model error-correcting --code random:6 --decoder bits --max-iterations 4 train.txt",
    "code-minimum-loss": "--model error-correcting --code minimum-loss:5:8 --max-iterations 4 train.txt",
    "code-file": "--model error-correcting --code code.txt --decoder distance --max-iterations 4 train.txt",
    "boosted-chain": "--model boosted-chain --rounds 5 --template chunks.template chunks.txt",
    "boosted-chain-pairs": "--model boosted-chain --rounds 4 --pair-trees --depth 3 --row-share 0.8 "
                           "--template chunks.template chunks.txt",
    "boosted-maxent": "--model boosted-maxent --rounds 5 --format csv --ignore id train.csv",
    "boosted-shared": "--model boosted-maxent --rounds 4 --trees shared --leaves 6 --feature-share 0.7 --format csv "
                      "--ignore id train.csv",
    "boosted-holdout": "--model boosted-chain --rounds 20 --holdout 0.3 --early-stop 3 chunks.txt",
    "boosted-segment": "--model boosted-segment --rounds 4 --template chunks.template "
                       "--segment-template segments.template chunks.txt",
    "segment": "--model segment --segment-template segments.template chunks.txt",
    "segment-plain": "--model segment --max-length 4 --max-length PER=2 chunks.txt",
    "segment-gazetteer": "--model segment --segment-template gazetteer.template --gazetteer places.txt chunks.txt",
    "segment-dual": "--model segment --optimizer dual-ascent --max-iterations 8 chunks.txt",
    "segment-spans": "--model segment --format spans --max-iterations 6 spans.jsonl",
    "segment-averaged-perceptron": "--model segment --objective perceptron --max-iterations 4 chunks.txt",
    "segment-max-margin": "--model segment --objective max-margin --max-iterations 4 chunks.txt",
    "segment-softmax-margin": "--model segment --objective softmax-margin --max-iterations 4 chunks.txt",
    "graph": GRAPH,
    "graph-skip": f"{SKIP} --objective bethe",
    "graph-mixture": "--model graph --spec mixture.toml --database token.csv",
    "graph-mixture-em": "--model graph --spec mixture.toml --database hidden/token.csv --em-iterations 4",
    "graph-holdout": f"{GRAPH} --holdout 0.3 --early-stop 2",
    "graph-weights": f"{GRAPH} --weights graph.weights",
    "graph-class-weights": f"{GRAPH} --objective pseudolikelihood --class-weights balanced",
    "graph-hidden": f"{HIDDEN} --starts 2",
    "graph-hidden-em": f"{HIDDEN} --em-iterations 4",
    "graph-l1": f"{GRAPH} --l1 0.5",
    "graph-observed": f"{GRAPH} --features observed --min-count 2",
    "graph-init": f"{GRAPH} --init graph.croft --l2 0.1",
    "graph-prior": f"{GRAPH} --prior graph.croft --l2 3",
    "graph-variances": f"{GRAPH} --variances graph.variances",
    "bayes-net": "--model bayes-net --structure rain.bif --smoothing 1 rain.csv",
    "logic": f"{LOGIC} --l2 0.1 friends.db more.db",
    "logic-worlds": f"{LOGIC} --objective likelihood --l2 0.1 --worlds friends.db more.db",
    "bayes-net-em": "--model bayes-net --structure rain.bif --starts 2 --em-iterations 10 holes.csv",
    # Penalties and features.
    "l1": f"--l1 0.5 --l2 0 {SHORT} train.txt",
    "elastic-net": "--l1 0.2 --l2 0.5 --max-iterations 20 train.txt",
    "active-set": "--l1 0.7 --l2 0 --features all large.attributes --format attributes --max-iterations 15",
    "order-2": "--order 2 --max-iterations 15 train.txt",
    "order-3-allowed": "--order 3 --histories allowed --constrain bio --template chunks.template "
                       "--max-iterations 6 chunks.txt",
    "order-2-perceptron": "--order 2 --objective perceptron --max-iterations 4 train.txt",
    "order-2-max-margin": "--order 2 --objective max-margin --max-iterations 4 train.txt",
    "induce": "--model maxent --induce --induce-rounds 3 --format attributes xor.attributes",
    "induce-pairs": "--induce --induce-pairs --induce-rounds 2 --induce-iterations 5 --template "
                    "chunks.template chunks.txt",
    "induce-nothing": "--model maxent --induce --induce-from nothing --induce-rounds 2 --format attributes "
                      "xor.attributes",
    "unsupported": f"--unsupported 0.1 --unsupported-after 3 --features observed --max-iterations 10 {SHORT} "
                   "train.txt",
    "select": f"--select l1:0.5 --max-iterations 12 {SHORT} train.txt",
    "kit": "--kit kit.toml --max-iterations 12 chunks.txt",
    "wapiti-template": "--template wapiti.template --template-language wapiti --max-iterations 6 chunks.txt",
    "kernel-linear": f"{SHORT} --objective max-margin --optimizer smo --features all --kernel linear "
                     "--max-iterations 8 train.txt",
    "kernel-poly": f"{SHORT} --objective max-margin --optimizer smo --features all --kernel poly:2 "
                   "--max-iterations 5 train.txt",
    "kernel-rbf": f"{SHORT} --objective max-margin --optimizer smo --features all --kernel rbf:0.1 "
                  "--max-iterations 5 train.txt",
    # What else a training may be given.
    "pool-given": "--model pool --expert chain.croft --expert elastic-net.croft --pool-weights unit train.txt",
    "mixture": "--model mixture --expert maxent.croft --expert naive-bayes-columns.croft test.txt",
    "init": f"--init chain.croft {FEW} test.txt",
    "prior": f"--prior chain.croft --l2 2 {FEW} test.txt",
    "variances": f"--variances variances.txt {FEW} train.txt",
    "constrain": f"--constrain bio {FEW} chunks.txt",
    "constrain-file": f"--constrain rules.txt {FEW} allowed.txt",
    "transition-groups": f"--transition-groups groups.txt {FEW} train.txt",
    "cost-file": f"--objective softmax-margin --cost costs.txt {FEW} train.txt",
    "cost-number": f"--objective max-margin --cost 0.5 {FEW} train.txt",
    "weights": f"--weights weights.txt {FEW} train.txt",
    "partial": f"--partial {FEW} partial.txt",
    "partial-softmax-margin": f"--partial --objective softmax-margin {FEW} partial.txt",
    "holdout": "--holdout test.txt --early-stop 2 --max-iterations 20 train.txt",
    "holdout-share": f"--holdout 0.25 {FEW} chunks.txt",
    "single-precision": f"--precision single {FEW} train.txt",
    "gap": "--gap 1e-3 --l2 1 train.txt",
    "target": "--target 100 train.txt",
    "checkpoint": f"--checkpoint state --checkpoint-interval 0 {FEW} train.txt",
    "unpenalised": f"--intercept=unpenalised {FEW} {SHORT} train.txt",
    "seed": f"--optimizer sgd --seed 7 --schedule constant --decay 0.8 --step 0.1 {FEW} train.txt",
    "batch": f"--optimizer averaged-sgd --average-from 3 --batch 4 {FEW} train.txt",
} | {
    f"objective-{name}": f"--objective {name} {'--model memm ' * (name == 'local')}{FEW} train.txt"
    for name in OBJECTIVES
} | {
    f"optimizer-{name}": f"{SHORT} {rest} --optimizer {name} {'--l1 0.3 ' * (name == 'owlqn')}{FEW} train.txt"
    for name, rest in OPTIMIZERS.items() if "maxent" not in rest
} | {
    f"optimizer-{name}": f"{rest} --optimizer {name} {FEW} {TEXT}"
    for name, rest in OPTIMIZERS.items() if "maxent" in rest
} | {
    f"graph-objective-{name}": f"{GRAPH} --objective {name} {FEW}" for name in GRAPH_OBJECTIVES
} | {
    f"graph-optimizer-{name}": f"{GRAPH} {rest} --optimizer {name} {FEW}" for name, rest in GRAPH_OPTIMIZERS.items()
} | {
    f"graph-search-{name}": f"{SKIP} --objective perceptron --search {name} {FEW}"
    for name in ("junction-tree", "max-product", "trw-s", "alpha-expansion")
}

ASK = ["predict --to json --marginals=all --probability --k-best 2 -m {model}.croft {data}",
       "evaluate --json -m {model}.croft {data}", "inspect -m {model}.croft"]
EXPLAIN = ["explain --json --top 3 --positions 0-1 -m {model}.croft {data}"]
NEW = "--database new/token.csv"


def ask(model, data, *more):
    return [line.format(model=model, data=data) for line in (*ASK, *more)]


DOCUMENTS = {
    "chain": ask("chain", "test.txt", *EXPLAIN) + [
        "predict -m chain.croft words.txt",
        "predict --to labels --decode marginal -m chain.croft words.txt",
        "predict --to json --marginals=edges --entropy --expected-counts --smallest 0.01 -m chain.croft words.txt",
        "predict --to json --samples 2 --decode risk -m chain.croft words.txt",
        "predict --constrain rules.txt --penalties penalties.txt --probability -m chain.croft words.txt",
        "predict --rule 'at-most 2 label NAME' --rule 'occurs UNIT' -m chain.croft words.txt",
        "predict --partial -m chain.croft test.txt",
        "evaluate -m chain.croft test.txt",
        "inspect --top 3 -m chain.croft",
        "inspect --constraints test.txt --top 5 --json -m chain.croft",
        "inspect --constraints test.txt --top 5 -m chain.croft",
        "explain -m chain.croft --positions 0-1 --against QTY --unknown words.txt"],
    "weights": ["inspect --weights -m optimizer-lbfgs.croft", "inspect --weights -m naive-bayes-mixed.croft",
                "inspect --weights -m joint-maxent.croft",
                "inspect --weights -m graph.croft", "inspect --weights -m boosted-maxent.croft"],
    "chain-edges": ask("chain-edges", "test.txt", *EXPLAIN),
    "chain-template": ask("chain-template", "chunks-test.txt", *EXPLAIN) + [
        "predict --to json --spans -m chain-template.croft chunks-test.txt"],
    "chain-attributes": ask("chain-attributes", "test.attributes", *EXPLAIN),
    "chain-spans": ask("chain-spans", "spans.jsonl") + ["predict --to spans -m chain-spans.croft spans.jsonl"],
    "order-2": ask("order-2", "test.txt", *EXPLAIN),
    "kit": ask("kit", "chunks-test.txt", *EXPLAIN),
    "voted": ["predict -m optimizer-voted-perceptron.croft words.txt",
              "evaluate --json -m optimizer-voted-perceptron.croft test.txt",
              "inspect -m optimizer-voted-perceptron.croft"],
    "kernel": ask("kernel-poly", "test.txt"),
    "maxent": ask("maxent", "test.txt", *EXPLAIN),
    "maxent-text": ask("maxent-text", "test.tsv", *EXPLAIN),
    "maxent-csv": ask("maxent-csv", "test.csv", *EXPLAIN),
    "maxent-svmlight": ask("maxent-svmlight", "test.svm"),
    "induce": ask("induce", "xor.attributes")[1:],
    "memm": ask("memm", "test.txt"),
    "joint-maxent": ask("joint-maxent", "joint.txt"),
    "mixture": ask("mixture", "test.txt"),
    "naive-bayes": ask("naive-bayes-multinomial", "test.tsv") + ask("naive-bayes-mixed", "test.csv"),
    "hmm": ask("hmm", "gestures-test.txt") + ask("hmm-suffix", "test.txt")
           + ["inspect --json --top 2 -m hmm.croft", "predict -m hmm-states.croft unlabelled.txt"],
    "hidden-chain": [
        "predict --to json --marginals=all --probability -m hidden-chain.croft gestures-test.txt",
        "predict --to json --decode labelling --k-best 2 -m hidden-chain.croft gestures-test.txt",
        "predict --decode viterbi -m hidden-chain.croft gestures-test.txt",
        "evaluate --json -m hidden-chain.croft gestures-test.txt", "inspect -m hidden-chain.croft --top 2"],
    "pool": ask("pool", "test.txt"),
    "code": ask("code-one-vs-rest", "test.txt") + [
        f"predict --to labels --decoder {decoder} -m code-one-vs-rest.croft words.txt"
        for decoder in ("product", "marginal", "distance", "bits")],
    "boosted-chain": ask("boosted-chain", "chunks-test.txt"),
    "boosted-maxent": ask("boosted-maxent", "test.csv"),
    "boosted-segment": ask("boosted-segment", "chunks-test.txt"),
    "segment": ask("segment", "chunks-test.txt", *EXPLAIN) + [
        "predict --to json --spans -m segment.croft chunks-test.txt",
        "predict --to spans -m segment-spans.croft spans.jsonl",
        "inspect --top 2 -m segment.croft", "explain --positions 0 -m segment.croft chunks-test.txt"],
    "graph": [f"predict --to json --marginals -m graph.croft {NEW}", f"predict -m graph.croft {NEW} --use-known",
              f"predict -m graph-skip.croft {NEW} --decode marginal --method belief-propagation",
              f"predict -m graph-skip.croft {NEW} --no-probabilities --search trw-s",
              "predict -m graph.croft --database new.sqlite --table --marginals",
              f"predict -m graph-hidden.croft {NEW}", f"predict -m graph-mixture.croft {NEW}",
              f"evaluate --json -m graph.croft {NEW}", f"evaluate -m graph-skip.croft {NEW}",
              "inspect -m graph-skip.croft", "inspect -m graph-mixture.croft",
              f"inspect -m graph-skip.croft {NEW} --picture graph.dot --variables 6",
              "calibrate --json -m graph.croft --database token.csv -o graph-calibrated.croft",
              f"evaluate --json -m graph-calibrated.croft {NEW}", "inspect -m graph-calibrated.croft",
              f"explain -m graph-calibrated.croft {NEW} --variable 1",
              f"search {GRAPH} --values l2=0.1,10 --folds 2 --smallest 0.5"],
    "bayes-net": ["infer bayes-net.bif --task marginals --json",
                  "infer bayes-net-em.bif --observe rain=yes --task marginals"],
    "convert": ["convert hmm.croft -o from-hmm.croft", "convert pool.croft -o from-pool.croft",
                "convert naive-bayes-multinomial.croft -o from-bayes.croft",
                "predict --probability -m from-hmm.croft gestures-test.txt",
                "predict --probability -m from-pool.croft test.txt",
                "predict --probability -m from-bayes.croft test.tsv",
                "convert --to spans chunks-test.txt", "convert --to columns --label-scheme bioes spans.jsonl"],
    "stack": ["stack -m hmm.croft gestures-test.txt", "stack -m hmm-suffix.croft --jackknife 3 test.txt",
              "stack -m chain.croft words.txt"],
    "calibrate": [f"calibrate -m {model} --method {method} held.tsv -o calibrated.croft --json"
                  for model in ("maxent-text.croft", "naive-bayes-multinomial.croft")
                  for method in ("temperature", "platt", "isotonic")]
                 + ["predict --to json --marginals=all -m calibrated.croft test.tsv",
                    "evaluate --json -m calibrated.croft test.tsv", "inspect --json -m calibrated.croft",
                    "calibrate -m chain.croft -o chain-calibrated.croft test.txt",
                    "predict --probability -m chain-calibrated.croft words.txt"],
    "infer": [f"infer grid.uai --json --quiet --memory 1G --task {task}"
              for task in ("partition", "marginals", "map", "sample")]
             + [f"infer grid.uai --json --quiet --task {task} --method {method}" for task, methods in {
                 "partition": ["junction-tree", "variable-elimination", "brute-force", "cutset-conditioning",
                               "recursive-conditioning", "annealed-importance-sampling"],
                 "marginals": ["junction-tree", "belief-propagation", "tree-reweighted", "mean-field",
                               "structured-mean-field", "double-loop", "generalised-belief-propagation", "fractional",
                               "gibbs", "parallel-tempering", "metropolis-hastings"],
                 "map": ["variable-elimination", "max-product", "alpha-expansion", "trw-s", "mplp",
                         "dual-decomposition", "icm", "lazy-flipper", "annealing", "branch-and-bound"],
                 "sample": ["junction-tree", "gibbs"]}.items() for method in methods]
             + [f"infer ising.uai --json --quiet --task {task} --method {method}" for task, method in (
                 ("map", "graph-cut"), ("map", "qpbo"), ("map", "alpha-beta-swap"))]
             + ["infer potts.uai --json --quiet --task marginals --method swendsen-wang",
                "infer grid.uai --memory 1G --evidence grid.uai.evid --task marginals", "infer grid.uai --memory 1G",
                "infer grid.uai --memory 1G --task map --to uai --quiet",
                "infer sprinkler.bif --json --quiet --memory 1G --task marginals --observe sprinkler=on",
                "infer sprinkler.bif --json --quiet --task marginals --method likelihood-weighting",
                "infer sprinkler.bif --independent 'sprinkler;rain|season'", "infer sprinkler.bif --blanket rain",
                "infer sprinkler.bif --save saved.uai --picture saved.dot"],
    "maximum-entropy": ["maximum-entropy die.csv --json --constraint 'low = 0.5' --constraint 'mean <= 2.8'",
                        "maximum-entropy die.csv --constraint 'low = 0.5'",
                        "maximum-entropy die.csv --constraint 'mean = 7'"],
    "search": ["search --json --quiet --format text --model maxent --values l2=0.01,1,100 --metric log-loss train.tsv",
               f"search --quiet chunks.txt --range l2=0.1:10:log --candidates 4 --metric chunk-f1 {FEW}",
               "search --json --quiet --model naive-bayes --format text --values alpha=0.1,1 -o best.croft train.tsv"],
    "cluster": ["cluster --quiet --clusters 4 -o brown-made.txt sentences.txt"],
}

CHOICES = {
    "chain": ("train.txt", OBJECTIVES),
    "maxent": ("--model maxent --format text train.tsv", OBJECTIVES),
    "memm": ("--model memm train.txt", OBJECTIVES),
    "hidden-chain": (f"{STATES} gestures.txt", OBJECTIVES),
    "segment": ("--model segment chunks.txt", OBJECTIVES),
    "pool": ("--model pool --experts all train.txt", OBJECTIVES),
    "error-correcting": ("--model error-correcting train.txt", OBJECTIVES),
    "graph": (GRAPH, GRAPH_OBJECTIVES),
}

FIRST = "--max-iterations 1"
STARTS = {
    "chain": f"{FIRST} train.txt",
    "chain-attributes": f"{FIRST} --format attributes train.attributes",
    "chain-spans": f"{FIRST} --format spans spans.jsonl",
    "chain-l1": f"--l1 0.5 {FIRST} train.txt",
    "chain-sgd": f"--optimizer sgd {FIRST} train.txt",
    "chain-dual-ascent": f"--optimizer dual-ascent {FIRST} train.txt",
    "chain-max-margin": f"--objective max-margin {FIRST} train.txt",
    "chain-perceptron": f"--objective perceptron {FIRST} train.txt",
    "chain-passive-aggressive": f"--objective passive-aggressive {FIRST} train.txt",
    "chain-induce": f"--induce {FIRST} --induce-rounds 1 train.txt",
    "maxent": f"--model maxent {FIRST} train.txt",
    "maxent-text": f"--model maxent {FIRST} --format text train.tsv",
    "maxent-csv": f"--model maxent {FIRST} --format csv train.csv",
    "maxent-svmlight": f"--model maxent {FIRST} --format svmlight train.svm",
    "joint-maxent": f"--model maxent {FIRST} --joint-template joint.template --label-classes joint.classes joint.txt",
    "memm": f"--model memm {FIRST} train.txt",
    "naive-bayes": "--model naive-bayes train.txt",
    "naive-bayes-text": "--model naive-bayes --format text train.tsv",
    "naive-bayes-csv": "--model naive-bayes --format csv train.csv",
    "hmm": "--model hmm gestures.txt",
    "hmm-states": "--model hmm --states 2 --em-iterations 2 unlabelled.txt",
    "hidden-chain": f"{STATES} {FIRST} gestures.txt",
    "hidden-chain-em": f"{STATES} --em-iterations 1 gestures.txt",
    "pool": f"--model pool --experts all {FIRST} train.txt",
    "error-correcting": f"--model error-correcting {FIRST} train.txt",
    "boosted-chain": "--model boosted-chain --rounds 1 --template chunks.template chunks.txt",
    "boosted-maxent": "--model boosted-maxent --rounds 1 --format csv --ignore id train.csv",
    "boosted-segment": "--model boosted-segment --rounds 1 --template chunks.template chunks.txt",
    "segment": f"--model segment {FIRST} chunks.txt",
    "graph": f"{GRAPH} {FIRST}",
    "graph-perceptron": f"{GRAPH} --objective perceptron {FIRST}",
    "graph-hidden": f"{HIDDEN} {FIRST}",
    "bayes-net": "--model bayes-net --structure rain.bif rain.csv",
}
OPTIONS = [
    "--format attributes", "--format text", "--format csv", "--format svmlight", "--format spans",
    "--template short.template", "--kit kit.toml", "--template-language crfpp", "--intercept",
    "--intercept=unpenalised", "--no-intercept", "--boundaries", "--partial", "--partial-separator /",
    "--partial --partial-separator /", "--weights weights.txt", "--class-weights balanced", "--features all",
    "--features observed", "--min-count 2", "--induce", "--induce-size 2", "--induce-batch 10",
    "--induce-rounds 1", "--induce-iterations 3", "--induce-gain 1", "--induce-count 2", "--induce-from nothing",
    "--induce-pairs", "--unsupported 0.1", "--unsupported-after 2", "--unsupported 0.1 --unsupported-after 1",
    "--select l1:0.5", "--order 2", "--histories allowed", "--histories seen", "--constrain bio",
    "--transition-groups groups.txt", "--cost 0.5", "--block 2", "--l1 0.5", "--l2 0.5", "--l2 0",
    "--l1 0.5 --l2 0", "--prior chain.croft", "--variances variances.txt", "--max-iterations 2",
    "--tolerance 1e-3", "--tolerance 0", "--window 5", "--gradient-tolerance 1e-3", "--gap 1e-3",
    "--target 10", "--history 5", "--sgd-passes 1", "--step 0.1", "--schedule inverse", "--schedule constant",
    "--decay 0.5", "--batch 2", "--average-from 1", "--aggressiveness 2", "--best 2", "--variance 2", "--gamma 2",
    "--kernel linear", "--precision single", "--precision double", "--holdout 0.2", "--early-stop 2",
    "--holdout 0.2 --early-stop 2", "--init chain.croft", "--checkpoint state", "--resume",
    "--checkpoint state --resume", "--checkpoint-interval 5", "--log choice.log", "--threads 2", "--seed 2",
    "--analyzer char", "--ngrams 1-2", "--keep-case", "--stop-words english", "--term-weights tf-idf",
    "--sublinear", "--norm l2", "--min-documents 2", "--max-documents 0.9", "--max-terms 5", "--hash-bits 8",
    "--delimiter comma", "--label label", "--numeric size", "--categorical colour", "--ignore id",
    "--missing NA", "--standardise", "--event bernoulli", "--event gaussian", "--event categorical", "--alpha 2",
    "--prior-probabilities uniform", "--binarize 1", "--variance-floor 0.1", "--complement-norm",
    "--smoothing 0.5", "--transition-smoothing 0.5", "--rare 2", "--suffix 2", "--states 2",
    "--unlabelled unlabelled.txt", "--em-iterations 2", "--starts 2", "--hidden-states 2",
    "--start-deviation 0.2", "--experts past", "--expert chain.croft", "--pool-weights unit",
    "--pool-weights dirichlet", "--dirichlet 2", "--code all-pairs", "--decoder bits",
    "--joint-template joint.template", "--label-classes joint.classes", "--segment-template segments.template",
    "--gazetteer places.txt", "--max-length 3", "--text-attribute w=", "--label-scheme bio", "--rounds 2",
    "--shrinkage 0.5", "--depth 2", "--leaves 4", "--min-child-weight 2", "--min-child-count 2", "--min-gain 1",
    "--row-share 0.5", "--feature-share 0.5", "--trim 0", "--bins 10", "--trees shared", "--pair-trees",
    "--spec graph.toml", "--database token.csv", "--memory 1G", "--inference-iterations 5", "--damping 0.1",
    "--search trw-s", "--pairs", "--structure rain.bif", "--objective pseudolikelihood",
    "--objective likelihood", "--optimizer lbfgs", "--optimizer adagrad", "--optimizer none", "--objective none",
    "--model none"]

SHORT_RUN = "--max-iterations 2"
TEXTS = ["--format text train.tsv", "--format csv train.csv", "--format attributes train.attributes"]
KINDS = {
    "chain": [f"{SHORT_RUN} chunks.txt", *TEXTS],
    "maxent": [f"--model maxent {SHORT_RUN} chunks.txt", *(f"--model maxent {each}" for each in TEXTS)],
    "maxent with --joint-template": [f"--model maxent {SHORT_RUN} --joint-template joint.template "
                                     "--label-classes joint.classes joint.txt"],
    "memm": [f"--model memm {SHORT_RUN} chunks.txt", *(f"--model memm {each}" for each in TEXTS)],
    "naive-bayes": ["--model naive-bayes chunks.txt", *(f"--model naive-bayes {each}" for each in TEXTS),
                    "--model naive-bayes --partial partial.txt"],
    "hmm": ["--model hmm chunks.txt", "--model hmm --partial partial.txt", "--model hmm unlabelled.txt"],
    "hidden-chain": [f"--model hidden-chain --hidden-states 2 {SHORT_RUN} chunks.txt",
                     "--model hidden-chain chunks.txt"],
    "pool": [f"--model pool --experts all {SHORT_RUN} chunks.txt", f"--model pool {SHORT_RUN} chunks.txt"],
    "mixture": ["--model mixture --expert maxent.croft --expert naive-bayes.croft chunks.txt"],
    "segment": [f"--model segment {SHORT_RUN} chunks.txt",
                f"--model segment {SHORT_RUN} --format attributes train.attributes"],
    "error-correcting": [f"--model error-correcting {SHORT_RUN} chunks.txt"],
    "boosted-chain": ["--model boosted-chain --rounds 1 chunks.txt",
                      *(f"--model boosted-chain --rounds 1 {each}" for each in TEXTS)],
    "boosted-maxent": ["--model boosted-maxent --rounds 1 chunks.txt",
                       *(f"--model boosted-maxent --rounds 1 {each}" for each in TEXTS)],
    "boosted-segment": ["--model boosted-segment --rounds 1 chunks.txt",
                        "--model boosted-segment --rounds 1 --format attributes train.attributes"],
    "bayes-net": ["--model bayes-net --structure rain.bif rain.csv",
                  "--model bayes-net --structure rain.bif holes.csv"],
    "graph": [f"{GRAPH} {SHORT_RUN}", f"{HIDDEN} {SHORT_RUN}", HIDDEN, "--model graph"],
    "logic": [f"{LOGIC} friends.db", "--model logic friends.db"],
}
SMO = "--objective max-margin --optimizer smo --features all"
CORRECTING = "--objective passive-aggressive --optimizer"
COMPANY = {
    "template-language": ["--template plain.template"], "partial-separator": ["--partial"],
    **dict.fromkeys(("induce-size", "induce-batch", "induce-rounds", "induce-iterations", "induce-gain",
                     "induce-count", "induce-from", "induce-pairs"), ["--induce"]),
    "class-weights": ["--objective pseudolikelihood"], "unsupported-after": ["--unsupported 0.1"],
    "histories": ["--order 2", "--order 2 --constrain bio"],
    "cost": ["--objective softmax-margin", "--objective max-margin"], "block": ["--objective composite"],
    "document-column": ["--documents 0"], "document-parts": ["--documents 0"],
    **dict.fromkeys(("group-by", "contiguous"), ["--holdout 0.3", "--holdout 0.3 --code minimum-loss"]),
    "generative-weight": ["--objective multi-conditional"], "coupling": ["--objective hybrid"],
    "pieces": ["--objective piecewise"], "unlabelled": ["--entropy 1"],
    **dict.fromkeys(("entropy", "expectations", "self-training"), ["--unlabelled chunks.words"]),
    "expectations-weight": ["--expectations labelled --unlabelled chunks.words",
                            "--expectations labelled --unlabelled hidden/token.csv"],
    **dict.fromkeys(("confidence", "view"), ["--self-training 1 --unlabelled chunks.words",
                                             "--self-training 1 --unlabelled hidden/token.csv"]),
    **dict.fromkeys(("network-score", "max-parents", "bootstrap"), ["--learn-structure exact"]),
    "tabu": ["--learn-structure hill-climbing"], "significance": ["--learn-structure pc"],
    "equivalent-sample-size": ["--learn-structure exact --network-score bdeu"],
    "edges": ["--learn-structure exact --bootstrap 2"],
    "gap": ["--optimizer dual-ascent", "--optimizer dual-ascent --l2 1",
            "--objective max-margin --optimizer frank-wolfe"],
    "sgd-passes": ["--optimizer sgd-lbfgs"], "step": ["--optimizer sgd"], "batch": ["--optimizer sgd"],
    "schedule": ["--optimizer sgd"], "decay": ["--optimizer sgd --schedule constant"],
    "average-from": ["--optimizer averaged-sgd"],
    "aggressiveness": [f"{CORRECTING} pa-1", f"{CORRECTING} pa-2"],
    "best": [f"{CORRECTING} mira"], "variance": ["--objective arow"], "gamma": ["--objective arow"],
    "kernel": [SMO, f"{SMO} --l2 1"],
    "early-stop": ["--holdout 0.2", "--holdout rain.csv"], "holdout": ["--holdout rain.csv", "--code minimum-loss"],
    "resume": ["--checkpoint state"], "checkpoint-interval": ["--checkpoint state"],
    "binarize": ["--event bernoulli"], "complement-norm": ["--event complement"],
    "dirichlet": ["--pool-weights dirichlet"], "label-classes": ["--experts labels"],
    "text-attribute": ["--segment-template segments.template"],
    "gazetteer": ["--segment-template gazetteer.template"], "pairs": ["--objective sample-rank"],
    "damping": ["--objective bethe"], "inference-iterations": ["--objective bethe"],
    "search": ["--objective perceptron"], "database": ["--spec graph.toml"], "spec": ["--database token.csv"],
    "program": ["--query Smokes"], "query": ["--program friends.mln"], "evidence": ["--worlds"],
    "prior-mean": ["--l2 0.1"], "set": ["--objective diagonal-newton"],
    "hidden": ["--objective likelihood"],
}
VALUES = {  # of several one
    "format": ["--format attributes", "--format columns", "--format csv"],
    "weights": ["--weights weights.txt", "--weights joint.weights", "--weights graph.weights"], "quiet": "--quiet",
    "generative-weight": "--generative-weight 2", "coupling": "--coupling 2",
    "objective": "--objective likelihood", "init": "--init {first}", "prior": "--prior {first}",
    "expert": "--expert chain.croft", "template": "--template plain.template",
    "transition-groups": "--transition-groups chunk.groups", "label-classes": "--label-classes chunk.classes",
    "max-length": "--max-length 5", "experts": "--experts random:2", "query-seconds": "--query-seconds 60",
    "pieces": "--pieces observations", "learn-structure": "--learn-structure exact", "tabu": "--tabu 3",
    "network-score": "--network-score bic", "equivalent-sample-size": "--equivalent-sample-size 2",
    "max-parents": "--max-parents 1", "significance": "--significance 0.05", "bootstrap": "--bootstrap 2",
    "edges": "--edges edges.csv", "query-memory": "--query-memory 1G", "numeric": "--numeric size",
    "documents": ["--documents 0"], "document-column": ["--document-column 0"],
    "document-parts": ["--document-parts 2"],
    "group-by": ["--group-by 0", "--group-by blank-lines"], "contiguous": "--contiguous",
    "tokenizer": ["--tokenizer blanks"], "misaligned": ["--misaligned widen"],
    "label-column": ["--label-column 1", "--label-column 3"], "ignore-lines": ["--ignore-lines ^#"],
    "text-column": ["--text-column colour"],
    "unlabelled": ["--unlabelled chunks.words", "--unlabelled hidden/token.csv"],
    "entropy": "--entropy 1", "view": "--view *a*",
    "expectations": "--expectations labelled:2", "expectations-weight": "--expectations-weight 2",
    "self-training": "--self-training 1", "confidence": "--confidence 0.8",
    "program": "--program friends.mln", "query": "--query Cancer",
    "evidence": "--evidence more.db", "worlds": "--worlds", "hidden": "--hidden Cancer",
    "reading": "--reading clausal", "dialect": "--dialect alchemy", "soft-hard": "--soft-hard 3",
    "prior-mean": "--prior-mean written", "set": "--set samples=8",
}
# Options that every training has, and one that goes on from what is not there.
GIVEN = {"DATA", "output", "model"}
ANSWERS = {"misaligned": "as prodigy, doccano, brat have them",
           "resume": "state is not there: it has to be the folder that --checkpoint named"}
