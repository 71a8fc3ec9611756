"""For tests of networks and of adapters: contract suites and real fakes."""
