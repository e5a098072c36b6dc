"""Rules over how a program is written: arguments, words, names, references."""
