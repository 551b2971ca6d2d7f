"""
Auditing an expert's cost table
===============================

An expert has written down what every answer of a car's camera costs, sets of
classes included. Is the table sound?

The camera sees a human, a bicycle or nothing. Rows are its answers, columns the
truth. Taking a human for nothing costs 4, braking for nothing 2. The lower rows
are the expert's feelings about sets.
"""

import pandas as pd

from cautious.costs import SetCosts, audit, discounted, p_discounted
from cautious.decision import optimal_sets
from cautious.displays import UtilityDisplay
from cautious.sets import as_labels

classes = ["human", "bicycle", "nothing"]
singles = discounted([[0, 1, 2], [1, 0, 2], [4, 4, 0]], classes=classes).frame()
table = pd.DataFrame(
    {
        "human": [0, 1, 4, 0.3, 2, 3, 2],
        "bicycle": [1, 0, 4, 0.3, 3, 2, 2],
        "nothing": [2, 2, 0, 2, 1, 1, 2],
    },
    dtype=float,
    index=[
        "{human}",
        "{bicycle}",
        "{nothing}",
        "{human, bicycle}",
        "{human, nothing}",
        "{bicycle, nothing}",
        "{human, bicycle, nothing}",
    ],
)
expert = SetCosts.from_table(table)
table

# %%
# Ten properties
# --------------
# Yang, Destercke and Masson list ten properties that such costs may have and
# say which of them are needed for *filtering* (a second classifier decides
# among what is left) and for *choice* (a person is informed). Every verdict
# comes with a witness, so that it can be discussed.

found = audit(expert, singles)
found.properties[["property", "verdict", "witness_set"]]

# %%
# Which of them matter, and what follows?

found.uses[["verdict", "necessary_unmet", "remedy"]]

# %%
# Property 3 fails, and is necessary in both settings: an answer that holds the
# truth should cost less than picking one of its classes at random. The witness
# is "I don't know", which costs 2 though nothing is there; a random answer
# would cost (2 + 2 + 0)/3 on average.

settings = found.uses.loc[["filtering", "choice"]]
assert all(unmet == (3,) for unmet in settings["necessary_unmet"])
print(found.witness_text(3))

# %%
# What it does to decisions
# -------------------------
# The cost of not knowing is set so high that the camera never says so, whatever
# it sees. It would rather bet.

torn = [[1 / 3, 1 / 3, 1 / 3], [0.2, 0.2, 0.6], [0.1, 0.1, 0.8]]
print("expert:", as_labels(optimal_sets(torn, expert), classes))

# %%
# A repair
# --------
# Rather than filling in cells by feeling, give the costs of single answers and
# one number, *r*: how much rightful caution is worth. p-discounted costs do the
# rest.

repaired = p_discounted(singles, r=0.5, classes=classes)
print("repaired:", as_labels(optimal_sets(torn, repaired), classes))
repaired.table().round(2)

# %%
# These costs suit a choice. For filtering, property 6 is needed as well: a set
# that misses the truth must not be let off lightly. That is the other attitude
# of the same family.

averse = p_discounted(singles, r=0.5, attitude="averse", classes=classes)
both = {"cautious": repaired, "averse": averse}
judgements = {
    name: audit(costs, singles).uses["verdict"] for name, costs in both.items()
}
assert judgements["cautious"]["choice"] == "suitable"
assert judgements["averse"]["filtering"] == "acceptable"
pd.DataFrame(judgements)

# %%
# The expert's table and its repair decide as the probability moves from "surely
# nothing" to "human or bicycle, who knows": along the strip the cheapest set
# changes, and the points where it does are exact.

costs = {"expert": expert, "p-discounted, r = 0.5": repaired}
display = UtilityDisplay(costs, start=[0, 0, 1], end=[0.5, 0.5, 0]).plot()
print(display.frame().round(3).to_string(index=False))

answers = display.frame().groupby("costs", sort=False)["answer"].apply(list)
everything = "{human, bicycle, nothing}"
assert everything not in answers["expert"]
assert everything in answers["p-discounted, r = 0.5"]

# %%
# What we learned
# ---------------
# A table of feelings can have holes that nobody sees and that silence a
# classifier's doubts. An audit finds them with a witness each, and says what
# would mend them; a family of costs with one parameter avoids them.
#
# Theory: Yang, Destercke & Masson (2017), :doc:`/papers/yang`. API:
# :func:`cautious.costs.audit`, :func:`cautious.costs.p_discounted`,
# :class:`cautious.costs.SetCosts`,
# :class:`cautious.displays.UtilityDisplay`.
