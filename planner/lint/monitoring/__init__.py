"""Rules over what watches and what is paid: alarms, budgets, logs, the bill of a preview."""
