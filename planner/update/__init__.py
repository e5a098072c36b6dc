"""A new price book out of what an AWS account and price list files say.

wanted.py: Regions and instance types. from_files.py and from_account.py find prices; write.py makes the book of them.
"""
