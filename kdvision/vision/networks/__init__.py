"""The ONNX networks: loading, preprocessing, decoding of outputs."""
