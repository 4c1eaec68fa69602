"""An event's photos: many of them, read by many workers, kept safe, and made into standings.

Start reading at `run.py`, the whole night on one page. The folder is walked (`folder`), each photo has a seat by its
name (`seats`) or by the event's own file (`event`), workers read (`work`, `pool`, `cluster`), each result is safe as
soon as it is there (`journal`, `held`), people correct (`corrections`), and in the end files are written (`writing`)
from who sat where (`tables`), who stands where (`standings`) and what should be looked at (`looks`).
"""
