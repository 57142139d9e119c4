import unittest

from quayside.money import parse_pounds


class ParsePoundsTest(unittest.TestCase):
    def test_reads_whole_pounds(self) -> None:
        self.assertEqual(parse_pounds("12"), 1200)

    def test_reads_pence_with_one_or_two_digits(self) -> None:
        self.assertEqual(parse_pounds("12.5"), 1250)
        self.assertEqual(parse_pounds("£12.05"), 1205)

    def test_refuses_what_is_no_amount(self) -> None:
        for text in ("", "twelve", "1.234", "-3"):
            with self.subTest(text=text), self.assertRaises(ValueError):
                parse_pounds(text)
