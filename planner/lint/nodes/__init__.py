"""Rules over what a machine is made of: interfaces, templates, disks, user data, access."""
