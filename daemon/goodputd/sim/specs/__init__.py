"""The tables of the TOML as the core takes them: data with defaults and limits."""
