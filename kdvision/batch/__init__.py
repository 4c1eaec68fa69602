"""Batch: the photos of an event, read by several processes, stored as they are read, and ranked.

Start with `run.py`. In the order of a run:

- Input: `folder` lists the photos. `naming` and `event` give each photo its round, table and players. `rules` says how
  boards are scored.
- Reading: `job` reads one photo. `workers` and `cluster` run jobs in several processes or on several machines.
- Storage: `result_folder` names all stored files. `journal` appends lines that survive a kill. `record` is the line of
  one photo, and `corrections` are those made by people.
- Outcome: `seating` gives each kingdom its player, `joint` decides the kingdoms of a table together, `standings` ranks
  them, `notices` and `review` list what a person should check. `outputs` and `pages` write all this to files.
"""
