package frontmatter

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Bounds of what is given to the YAML parser, whose time grows with the square of some of them. A
// block beyond them is read line by line.
const (
	maxBytes  = 16 << 10
	maxNested = 200 // brackets in all, and list marks on one line
)

var errTooLarge = errors.New("frontmatter is too large to be read as YAML")

// node is a value of the top map.
type node struct {
	line   int // from 1, within the block
	value  any
	text   string // of a scalar
	scalar bool
}

// parseYAML reads a map.
func parseYAML(text []byte) (values map[string]node, err error) {
	if len(text) > maxBytes || bytes.Count(text, []byte("["))+bytes.Count(text, []byte("{")) > maxNested {
		return nil, errTooLarge
	}
	for line := range bytes.Lines(text) {
		if bytes.Count(line, []byte("- ")) > maxNested || bytes.Count(line, []byte("? ")) > maxNested {
			return nil, errTooLarge
		}
	}
	defer func() {
		if r := recover(); r != nil { // a fault of the library must not end a health check
			values, err = nil, fmt.Errorf("read YAML: %v", r)
		}
	}()
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return nil, fmt.Errorf("read YAML: %s", first)
	}
	values = map[string]node{}
	if len(file.Docs) > 1 {
		return nil, errors.New("read YAML: more than one document")
	}
	c := converter{anchors: map[string]any{}}
	for _, d := range file.Docs {
		if d.Body == nil || d.Body.Type() == ast.CommentType {
			continue
		}
		pairs, ok := pairsOf(d.Body)
		if !ok {
			return nil, errors.New("read YAML: it is no map")
		}
		for _, p := range pairs {
			n := node{line: p.Key.GetToken().Position.Line}
			n.value = c.value(p.Value)
			n.text, n.scalar = scalar(p.Value)
			values[keyText(p.Key)] = n
		}
	}
	return values, nil
}

func pairsOf(n ast.Node) ([]*ast.MappingValueNode, bool) {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, true
	}
	return nil, false
}

func keyText(k ast.MapKeyNode) string {
	if s, ok := k.(*ast.StringNode); ok {
		return s.Value
	}
	return k.GetToken().Value
}

// scalar returns the text of a scalar; false for a list or a map.
func scalar(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case nil, *ast.NullNode:
		return "", true
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	case *ast.AnchorNode:
		return scalar(n.Value)
	case *ast.TagNode:
		return scalar(n.Value)
	case *ast.MappingNode, *ast.MappingValueNode, *ast.SequenceNode, *ast.AliasNode:
		return "", false
	}
	if t := n.GetToken(); t != nil {
		return t.Value, true
	}
	return "", false
}

// converter makes values of nodes. An alias is the value of its anchor itself, so that a few lines
// cannot become millions.
type converter struct{ anchors map[string]any }

func (c converter) value(n ast.Node) any {
	switch n := n.(type) {
	case nil, *ast.NullNode:
		return nil
	case *ast.BoolNode:
		return n.Value
	case *ast.TagNode:
		return c.value(n.Value)
	case *ast.AnchorNode:
		v := c.value(n.Value)
		c.anchors[n.Name.String()] = v
		return v
	case *ast.AliasNode:
		return c.anchors[n.Value.String()]
	case *ast.SequenceNode:
		list := make([]any, 0, len(n.Values))
		for _, v := range n.Values {
			list = append(list, c.value(v))
		}
		return list
	}
	if pairs, ok := pairsOf(n); ok {
		m := make(map[string]any, len(pairs))
		for _, p := range pairs {
			m[keyText(p.Key)] = c.value(p.Value)
		}
		return m
	}
	text, _ := scalar(n)
	return text
}
