"""The model card and its plots, made from the model files and from models/results/."""
