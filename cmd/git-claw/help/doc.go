// Package help holds the manual of git claw: one Markdown page for each command
// and one for git claw itself. A page is the single source of what -h prints
// (Usage), of what 'git claw help <command>' shows (Render) and of the man page
// (Man).
//
// A page uses a small part of Markdown, and parse refuses the rest: headings,
// paragraphs, '- ' lists, definition lists for options, indented code blocks.
// Option names, placeholders and commands stand in `code`, since a placeholder
// in angle brackets would be HTML elsewhere. A line <!-- name --> includes the
// file name.md of this folder, or a list that the caller makes.
package help
