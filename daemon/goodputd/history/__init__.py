"""What happened lately, incident by incident: facts kept in bounded memory, folded when somebody asks.

Sees facts and settings, after the event, the truth included. Knows no simulation, no page and no
server; nothing here influences what is played.
"""
