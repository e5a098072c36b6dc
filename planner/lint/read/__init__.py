"""What does the graph say: resources, references, networks, security group rules, policies?"""
