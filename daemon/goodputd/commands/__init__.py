"""What the commands do; ``cli`` declares them and imports each of these only when it is called.

One module per command that is more than a call. They raise ``SettingsError`` for a user's mistake
and know neither typer nor exit codes, but for the code that is their answer.
"""
