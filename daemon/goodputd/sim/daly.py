"""The checkpoint interval that loses the least time, by the formulas of Young and of Daly.

Formulas only: knows no run, no checkpoint and no settings. Times in any unit, the same for all.
"""

from math import sqrt


def young(save: float, mtbf: float) -> float:
    """Young's interval: training time between two saves that each block training for ``save``.

    Source: Young 1974, the first-order optimum sqrt(2 C M).
    """
    return sqrt(2.0 * save * mtbf)


def daly(save: float, mtbf: float) -> float:
    """Daly's higher-order interval; the MTBF itself where one save takes two of them or more.

    Training time between two saves, as for ``young``. Source: Daly 2006, equation 37.
    """
    if save >= 2.0 * mtbf:
        return mtbf
    share = save / (2.0 * mtbf)
    return young(save, mtbf) * (1.0 + sqrt(share) / 3.0 + share / 9.0) - save
