"""croft maximum-entropy: a table and constraints to a distribution."""

import json

from support import BAD_INPUT, WRONG_USAGE, CliTest, croft, main

DIE = "face,low,mean\n1,1,1\n2,1,2\n3,0,3\n4,0,4\n5,0,5\n6,0,6\n"


class MaximumEntropyTest(CliTest):
    def solve(self, *options, table=DIE):
        return json.loads(self.run_ok("maximum-entropy", self.file("die.csv", table), "--json",
                                      *options))

    def probabilities(self, document):
        return [each["probability"] for each in document["outcomes"]]

    def assert_near(self, found, expected, places=9):
        self.assertEqual(len(found), len(expected))
        for a, b in zip(found, expected):
            self.assertAlmostEqual(a, b, places=places)

    def test_a_die_with_no_constraint_is_fair(self):
        document = self.solve()
        self.assertEqual(document["status"], "optimal")
        self.assert_near(self.probabilities(document), [1 / 6] * 6)

    def test_a_die_whose_two_lowest_have_one_half(self):
        document = self.solve("--constraint", "low = 0.5")
        self.assert_near(self.probabilities(document), [.25, .25, .125, .125, .125, .125])
        self.assertAlmostEqual(document["divergence"], document["dual"], places=9)
        for condition in document["kkt"].values():
            self.assertLess(condition, 1e-8)

    def test_constraints_come_from_the_command_line_and_from_a_file(self):
        file = self.file("constraints", "# of the die\n\n low = 0.5\n")
        both = self.solve("--constraints", file, "--constraint", "mean <= 2.8",
                          "--constraint", "mean>=0")
        self.assertEqual([c["relation"] for c in both["constraints"]], ["<=", ">=", "="])
        bound, slack, equal = both["constraints"]
        self.assertAlmostEqual(bound["expectation"], 2.8, places=7)
        self.assertGreater(bound["multiplier"], 0)
        self.assertEqual(slack["multiplier"], 0)
        self.assertAlmostEqual(equal["expectation"], 0.5, places=7)

    def test_the_base_is_what_outcomes_weigh(self):
        table = "x,f,q\na,0,1\nb,1,2\nc,2,1\n"
        document = self.solve("--base", "q", table=table)
        self.assert_near(self.probabilities(document), [.25, .5, .25])
        self.assertAlmostEqual(document["divergence"], 0)
        self.fails(BAD_INPUT, "maximum-entropy", self.file("t.csv", table), "--base", "q",
                   "--constraint", "q = 1", mentions=['does not have: "q"; it has f'])

    def test_what_no_distribution_meets_is_told_with_a_certificate(self):
        table = self.file("die.csv", DIE)
        done = croft("maximum-entropy", table, "--json", "--constraint", "low >= 0.5",
                     "--constraint", "mean >= 4.1")
        self.assertEqual(done.returncode, BAD_INPUT)
        document = json.loads(done.stdout)
        self.assertEqual(document["status"], "infeasible")
        low, mean = (c["certificate"] for c in document["constraints"])
        self.assertAlmostEqual(low + mean, 1)
        for face in range(1, 7):  # whatever p is, the sum is below 0
            self.assertLess(low * ((face <= 2) - 0.5) + mean * (face - 4.1),
                            -document["margin"] + 1e-9)
        text = croft("maximum-entropy", table, "--constraint", "mean = 7").stdout.decode()
        self.assertIn("no distribution meets the constraints", text)

    def test_the_table_for_people_has_every_outcome_and_constraint(self):
        text = self.run_ok("maximum-entropy", self.file("t.csv", "ä;f;b\nß;1;0\nx;0;1\n"),
                           "--delimiter", "semicolon", "--constraint", "f <= 0.3")
        lines = text.splitlines()
        self.assertEqual(lines[:3], ["outcome  probability", "ß                0.3",
                                     "x                0.7"])
        self.assertIn("f <= 0.3             0.3     0.847298", lines)
        self.assertIn("optimal after", text)

    def test_messages_name_what_was_written(self):
        table = self.file("t.csv", "face,low,mean\n1,1,1\n2,0,2\n")
        self.fails(BAD_INPUT, "maximum-entropy", table, "--constraint", "mean == 1.5",
                   mentions=["more than one of =", "mean == 1.5"])
        self.fails(BAD_INPUT, "maximum-entropy", table, "--base", "low", mentions=[f"{table}:3: "])
        self.fails(WRONG_USAGE, "maximum-entropy", table, "--delimiter", "pipe",
                   mentions=['"pipe" is none of comma', "tab, semicolon"])
        shown = self.run_ok("maximum-entropy", table, "--constraint", "mean = 1.6000000000001")
        self.assertIn("mean = 1.6000000000001", shown)
        self.assertNotRegex(self.run_ok("maximum-entropy", table), r" -0 ")

    def test_what_is_no_table_or_constraint_is_one_clear_message(self):
        good = self.file("die.csv", DIE)
        for table, mentions in (("", "a table without outcomes"),
                                ("x,a,a\n1,2,3\n", ':1:5: the name of another column: "a"'),
                                ("x,a,\n1,2,3\n", ":1:5: a column without a name"),
                                ("x,a\n1,2,3\n", ":2: a row of 3 cells under a header of 2"),
                                ("x,a\n1,2\n2,-\n", ':3:3: no finite number: "-"')):
            self.fails(BAD_INPUT, "maximum-entropy", self.file("bad.csv", table),
                       mentions=[mentions])
        for constraint, mention in (("mean", "without =, <= or >="),
                                    ("mean < 4", "without =, <= or >="),
                                    ("= 4", "names no feature"),
                                    ("mean <= inf", "no finite number"),
                                    ("men <= 4", 'does not have: "men"; it has low, mean')):
            self.fails(BAD_INPUT, "maximum-entropy", good, "--constraint", constraint,
                       mentions=[mention])
        file = self.file("constraints", "low = 0.5\nmean ~ 3\n")
        self.fails(BAD_INPUT, "maximum-entropy", good, "--constraints", file,
                   mentions=[f'{file}:2: a constraint without =, <= or >=: "mean ~ 3"'])
        self.fails(BAD_INPUT, "maximum-entropy", self.file("q.csv", "x,q\na,1\nb,0\n"), "--base",
                   "q", mentions=['not above 0: "b"'])
        self.fails(WRONG_USAGE, "maximum-entropy", good, "--tolerance", 0, mentions=["tolerance"])
        self.fails(WRONG_USAGE, "maximum-entropy", mentions=["TABLE"])


if __name__ == "__main__":
    main()
