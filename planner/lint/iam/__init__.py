"""Who may do what: policy documents, roles, and the permissions of nodes?"""
