"""The rules of the game: boards, boxes, scores. Pure Python; nothing here knows of photos."""
