"""Shared tables: one game that several phones add to, correct and watch.

The server holds the game of a table and its revision. Phones send changes; the server applies them in the order in
which they arrive, stores the game (`storage.py`), scores it, and sends the whole state to everybody who watches.

1. `POST /api/tables {"table": "K7QX" or null, "new": false}` joins a table: the named one, or else the latest one. It
   returns a `TableState`, as the requests below do: `game` (rules, rounds of kingdoms) and `score`, whose rounds and
   kingdoms are parallel to those of `game`. Every kingdom has its points, whatever is wrong with the game; `messages`
   say what is wrong.
2. `GET /api/tables/K7QX/live` is a stream of server-sent events: a `state` with each revision (also at the start and
   after a reconnection), and `people`, the number of phones that watch. The newest state replaces all earlier ones.
3. `POST /api/tables/K7QX/changes {"changes": [{"op": "set_square", "kingdom": "k1", "at": "2,3", "cell": "w1"}]}`
   applies changes as one step of undo (`changes.py` lists them). Errors leave the game as it is: 404 for a kingdom that
   somebody has removed, 409 for an undo that is not the last step any more, 422 for a value that is not valid.
4. `POST /api/tables/K7QX/photos?game=1&round=0&photo=ID` reads a photo by the rules of the table (progress as for
   /api/read) and adds its kingdoms, unless another game is played by then (409). If it shows kingdoms that are at the
   table, nothing is added: `game.proposals` has a question with its answers, for anybody to answer (`answer_proposal`).
   `kingdom=k1&corners=…` reads one kingdom again. Once the server reads the photo, its kingdoms reach the table even if
   the phone is gone.
5. `GET /api/games` lists the games of this server, the latest first; the change `open_game` returns to one of a table.

Squares are places `"row,col"` on the kingdom's grid, which stay the same when tiles are added at the edge. Negative
numbers are allowed. `seen.squares[r][c]` are the corners of the place (r, c) + `seen.first` in pixels of the photo.
Facts have the keys of game files, with places instead of square names: `{"knights": ["2,3", "?"], "coins": "?"}`.
After a correction the other squares are decided again in the background (`deciding`), and a further state follows.
"""
