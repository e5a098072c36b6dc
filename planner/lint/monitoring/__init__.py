"""Will someone notice: alarms, budgets, logs, and the costs that a preview shows?"""
