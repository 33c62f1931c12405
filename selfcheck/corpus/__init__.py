"""How the cases of ``corpus/`` are chosen: the facets that they show, and a small choice that shows all of them."""
