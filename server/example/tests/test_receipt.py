import unittest

from quayside.basket import Basket
from quayside.catalogue import Item
from quayside.receipt import WIDTH, receipt, row


class ReceiptTest(unittest.TestCase):
    def test_shows_lines_and_total(self) -> None:
        basket = Basket()
        basket.add(Item("H1", "Smoked herring", 320), 2)
        text = receipt(basket)
        self.assertIn("2 x Smoked herring", text)
        self.assertTrue(text.endswith("£6.40"))

    def test_shows_free_delivery(self) -> None:
        basket = Basket()
        basket.add(Item("S1", "Side of salmon", 3400))
        self.assertIn("free", receipt(basket, delivered=True))

    def test_rows_are_as_wide_as_the_paper(self) -> None:
        self.assertEqual(len(row("Cod", "£6.50")), WIDTH)
        self.assertEqual(len(row("A very long name for a very small fish", "£6.50")), WIDTH)
