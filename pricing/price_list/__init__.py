"""Reads AWS's price list: documents of GetProducts, and offer files of any size (JSON or CSV).

product.py has what a document says, wanted.py which products are read. offer_file.py opens a file; json_file.py,
json_stream.py and csv_file.py are its three readers. No network here.
"""
