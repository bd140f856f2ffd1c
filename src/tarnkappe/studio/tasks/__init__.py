"""What workers do for pages: each function asks the catalogue, the plan runner or the reports, and returns plain results."""
