"""Do packets get where they must, and only there: addresses, routes, endpoints, security groups?"""
