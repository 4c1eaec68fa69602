"""Batch: the photos of an event, read by several processes, stored as they are read, and ranked.

Start with `run.py`. In the order of a run:

- Input: `photos` lists the photos with their rounds, tables and players. `event` reads the event file and says how
  boards are scored.
- `store`: `folder` names all stored files and appends lines that survive a kill. `record` has the line of one photo and
  the corrections that people make.
- `reading`: `job` reads one photo, and packs what the networks saw. `workers` run jobs in several processes or on
  several machines.
- Outcome: `kingdoms` are those of a photo with their players; `standings` gives them their games and ranks them, after
  `joint` has decided the kingdoms of a table together. `review` lists what a person should check. `outcome` writes all
  this to files, `page` the report.
"""
