//! Spellings of arguments: everything that models write for the same thing, brought to one name.
