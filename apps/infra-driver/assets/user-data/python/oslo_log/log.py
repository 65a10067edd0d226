"""Scripts that log say so by Python's own means: it stands in the error if they fail."""

import logging


def getLogger(name=None, project="unknown", version="unknown"):
    return logging.getLogger(name)
