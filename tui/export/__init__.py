"""A session on its way out, as Markdown, text, JSON or a trajectory; without a screen library."""
