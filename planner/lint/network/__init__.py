"""Rules over the network: addresses, routes, endpoints, security groups, what is open to the world."""
