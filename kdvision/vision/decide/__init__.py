"""From class probabilities to boards: the integer programme and its runners-up."""
