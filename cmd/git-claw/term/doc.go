// Package term prepares text for a terminal: it makes characters that a
// terminal would obey or hide visible (Escape), measures and cuts text by
// terminal columns (Width, Truncate, Wrap), adds our own colours (Style) and
// shows progress (Progress).
//
// Text that comes from a repository (notes, file names, commit messages, refs,
// trailers) is written by agents and by strangers. It reaches a terminal or a
// pager only through Escape or EscapeText, so that a note can neither move the
// cursor, nor rename the window, nor show words in another order than they
// stand in the file.
package term
