"""The languages of the page: English, German, French and Spanish."""
