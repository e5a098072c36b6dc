"""How is a running pool operated: is it healthy, what does it hold, how does a node leave it?"""
