"""What does AWS offer: instance types with their network cards, IAM actions, CloudWatch metrics?"""
