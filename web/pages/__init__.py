"""The pages and what is drawn on them."""
