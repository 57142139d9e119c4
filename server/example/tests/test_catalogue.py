import unittest

from quayside.catalogue import Catalogue, Item

HERRING = Item("H1", "Smoked herring", 320)
SALMON = Item("S1", "Smoked salmon", 780)


class CatalogueTest(unittest.TestCase):
    def test_finds_an_item_by_its_code(self) -> None:
        self.assertEqual(Catalogue([HERRING, SALMON]).find("S1"), SALMON)

    def test_refuses_a_code_twice(self) -> None:
        with self.assertRaises(ValueError):
            Catalogue([HERRING, HERRING])

    def test_search_wants_all_words_and_puts_the_cheapest_first(self) -> None:
        catalogue = Catalogue([SALMON, HERRING, Item("C1", "Cod", 650)])
        self.assertEqual(catalogue.search("smoked"), [HERRING, SALMON])
        self.assertEqual(catalogue.search("SALMON smoked"), [SALMON])
