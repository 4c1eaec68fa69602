"""Results as text, plain values and pictures. These modules return what they make; the entry points print and write."""
