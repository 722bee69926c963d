// Package frontmatter reads the YAML block at the head of a note, a skill or a candidate file.
//
// Many such blocks in real workspaces are not valid YAML, most often because of an unquoted colon.
// Those are read line by line, `key: rest of line`, so that name and description are still there, and
// the body is always kept. A block is never written anew: Set replaces one value where it stands.
package frontmatter
