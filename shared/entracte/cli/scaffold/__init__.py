"""A new network in a checkout: code, test and deployment, made from the files beside this one."""
