"""Will a node launch, and is it safe: interfaces, launch templates, volumes, user data, access?"""
