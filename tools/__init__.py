"""What people use to develop Pilotfish; no part of the product."""
