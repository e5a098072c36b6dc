"""A stand-in for AWS and for Pulumi's provider of it: the cloud is one JSON file, the rules are AWS's."""
