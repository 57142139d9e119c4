import unittest

from quayside.pricing import delivery_fee, line_total


class LineTotalTest(unittest.TestCase):
    def test_a_few_cost_the_full_price(self) -> None:
        self.assertEqual(line_total(120, 9), 1080)

    def test_ten_of_a_kind_get_the_bulk_discount(self) -> None:
        self.assertEqual(line_total(120, 10), 1080)

    def test_more_than_ten_get_it_too(self) -> None:
        self.assertEqual(line_total(100, 20), 1800)


class DeliveryFeeTest(unittest.TestCase):
    def test_small_orders_pay_for_delivery(self) -> None:
        self.assertEqual(delivery_fee(2999), 450)

    def test_thirty_pounds_travel_free(self) -> None:
        self.assertEqual(delivery_fee(3000), 0)
