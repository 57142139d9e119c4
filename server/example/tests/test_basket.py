import unittest

from quayside.basket import Basket
from quayside.catalogue import Item

HERRING = Item("H1", "Smoked herring", 320)
COD = Item("C1", "Cod", 650)


class BasketTest(unittest.TestCase):
    def test_adding_an_item_again_adds_to_its_line(self) -> None:
        basket = Basket()
        basket.add(HERRING)
        basket.add(HERRING, 2)
        self.assertEqual([line.quantity for line in basket.lines()], [3])

    def test_total_is_the_sum_of_the_lines(self) -> None:
        basket = Basket()
        basket.add(HERRING, 2)
        basket.add(COD)
        self.assertEqual(basket.total(), 1290)

    def test_removed_items_cost_nothing(self) -> None:
        basket = Basket()
        basket.add(COD)
        basket.remove("C1")
        self.assertEqual(basket.total_with_delivery(), 0)

    def test_delivery_is_added_below_thirty_pounds(self) -> None:
        basket = Basket()
        basket.add(COD)
        self.assertEqual(basket.total_with_delivery(), 1100)

    def test_refuses_a_quantity_of_nothing(self) -> None:
        with self.assertRaises(ValueError):
            Basket().add(COD, 0)
