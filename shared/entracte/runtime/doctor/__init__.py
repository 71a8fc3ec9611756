"""Looking at a deployment or the local stack: what is wrong with it, and how to mend it."""
