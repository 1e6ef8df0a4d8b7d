"""croft suggest: what to label next."""

import json

from support import BAD_INPUT, WRONG_USAGE, CliTest, main

TRAIN = "".join(f"{word} {'L' if word < 'c' else 'H'}\n" + ("\n" if k % 3 == 2 else "")
                for k, word in enumerate("abcdabdcabcd" * 2))
POOL = "a\nb\n\na\nb\n\nq r s t\n\na\nc\n\n".replace(" ", "\n")


class SuggestTest(CliTest):
    def suggest(self, *arguments):
        return [json.loads(line) for line in self.run_ok("suggest", *arguments).splitlines()]

    def test_density_puts_what_is_like_others_before_what_is_only_strange(self):
        model = self.train("m.croft", self.file("train.txt", TRAIN))
        pool = self.file("pool.txt", POOL)
        plain = self.suggest("-m", model, "--by", "entropy", pool)
        self.assertEqual(plain[0]["sequence"], 2)
        self.assertNotIn("density", plain[0])
        weighed = self.suggest("-m", model, "--by", "entropy", "--density", 8, pool)
        self.assertNotEqual(weighed[0]["sequence"], 2)
        entropy = {each["sequence"]: each["score"] for each in plain}
        for each in weighed:
            self.assertAlmostEqual(each["score"], entropy[each["sequence"]] * each["density"] ** 8, 12)
        self.assertEqual(self.suggest("-m", model, "--density", 0, pool), self.suggest("-m", model, pool))

    def test_models_that_agree_have_nothing_to_dispute(self):
        first = self.train("1.croft", self.file("train.txt", TRAIN))
        second = self.train("2.croft", "--l2", 100, self.folder / "train.txt")
        pool = self.file("pool.txt", POOL)
        for by in ("vote-entropy", "divergence"):
            same = self.suggest("-m", first, "-m", first, "--by", by, pool)
            self.assertEqual([each["score"] for each in same], [0, 0, 0, 0])
        self.assertEqual(self.suggest("-m", first, "-m", second, pool),
                         self.suggest("-m", first, "-m", second, "--by", "vote-entropy", pool))
        self.assertGreater(self.suggest("-m", first, "-m", second, "--by", "divergence", pool)[0]["score"], 0)

    def test_what_makes_no_sense_is_refused(self):
        model = self.train("m.croft", self.file("train.txt", TRAIN))
        other = self.train("o.croft", "--format", "attributes", self.file("a.txt", "L\ta\nH\tb\n"))
        pool = self.file("pool.txt", POOL)
        self.fails(WRONG_USAGE, "suggest", "-m", model, "--by", "divergence", pool, mentions=["name two or more"])
        self.fails(WRONG_USAGE, "suggest", "-m", model, "-m", model, "--by", "margin", pool,
                   mentions=["vote-entropy and divergence"])
        self.fails(WRONG_USAGE, "suggest", "-m", model, "-m", model, stdin=POOL.encode(),
                   mentions=["standard input can be read once"])
        self.fails(BAD_INPUT, "suggest", "-m", model, "-m", other, self.file("l.txt", "a\tL\n\n@weight 2\nb\tL\n"))


if __name__ == "__main__":
    main()
