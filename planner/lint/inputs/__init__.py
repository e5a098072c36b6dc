"""Does the provider accept each argument: keys, types, values, names, ids, references?"""
