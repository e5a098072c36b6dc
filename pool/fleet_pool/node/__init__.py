"""What does a node of the pool do to itself at boot: drives, CPU cores, daemon files, certificates, metrics?"""
