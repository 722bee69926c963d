package embed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// protocol is what differs between servers.
type protocol struct {
	name, base, path string
	example          string // a model that it has
	startHint        string // it does not answer
	missingHint      string // it does not know the model, %s
	decode           func(reply []byte) ([]vec, error)
}

var openAI = protocol{
	name: "openai", base: "https://api.openai.com/v1", path: "/embeddings",
	example:     "text-embedding-3-small",
	startHint:   "git config --get claw.embedderUrl",
	missingHint: "does the server have the model '%s'? git config --get claw.embedderUrl",
	decode:      decodeOpenAI,
}

var ollama = protocol{
	name: "ollama", base: "http://127.0.0.1:11434", path: "/api/embed",
	example:     "nomic-embed-text",
	startHint:   "ollama serve",
	missingHint: "ollama pull %s",
	decode:      decodeOllama,
}

// vec is a vector as it came; bad tells why it cannot be used.
type vec struct {
	v   []float32
	bad string
}

var errNoList = errors.New("an embedding is no list of numbers")

// UnmarshalJSON reads an array of numbers. encoding/json would read null, which
// servers write for NaN, as 0.
func (v *vec) UnmarshalJSON(b []byte) error {
	b = bytes.TrimSpace(b)
	if len(b) < 2 || b[0] != '[' {
		return errNoList
	}
	b = bytes.TrimSpace(b[1 : len(b)-1])
	v.v = make([]float32, 0, bytes.Count(b, []byte{','})+1)
	zero := true
	for len(b) > 0 {
		var item []byte
		item, b, _ = bytes.Cut(b, []byte{','})
		item = bytes.TrimSpace(item)
		x, err := strconv.ParseFloat(string(item), 32)
		switch {
		case string(item) == "null" || errors.Is(err, strconv.ErrRange):
			v.bad = "its vector holds a component that is no finite number"
		case err != nil:
			return errNoList
		}
		zero = zero && x == 0
		v.v = append(v.v, float32(x))
	}
	if zero && v.bad == "" && len(v.v) > 0 {
		v.bad = "its vector is all zeros"
	}
	return nil
}

func decodeOpenAI(reply []byte) ([]vec, error) {
	var in struct {
		Data []struct {
			Index     *int `json:"index"`
			Embedding vec  `json:"embedding"`
		} `json:"data"`
	}
	if err := json.Unmarshal(reply, &in); err != nil {
		return nil, err
	}
	out := make([]vec, len(in.Data))
	seen := make([]bool, len(in.Data))
	for n, d := range in.Data {
		i := n // some servers leave the index out
		if d.Index != nil {
			i = *d.Index
		}
		if i < 0 || i >= len(out) || seen[i] {
			return nil, fmt.Errorf("index %d stands where it cannot", i)
		}
		out[i], seen[i] = d.Embedding, true
	}
	return out, nil
}

func decodeOllama(reply []byte) ([]vec, error) {
	var in struct {
		Embeddings []vec `json:"embeddings"`
	}
	err := json.Unmarshal(reply, &in)
	return in.Embeddings, err
}

// read checks an answer to n texts and learns the dim from the first.
func (c *client) read(reply []byte, n int) ([]vec, error) {
	vectors, err := c.decode(reply)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax) && bytes.Contains(reply, []byte("NaN")):
		return nil, c.wrong("it holds NaN, which is not JSON")
	case errors.As(err, &syntax):
		return nil, c.wrong("it is not JSON")
	case err != nil:
		return nil, c.wrong(quote(err.Error(), c.secrets))
	}
	if len(vectors) != n {
		if msg, _ := message(reply); msg != "" && len(vectors) == 0 {
			return nil, c.wrong(quote(msg, c.secrets))
		}
		return nil, c.wrong(fmt.Sprintf("%d vectors for %d texts", len(vectors), n))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	dim := c.dim
	for _, v := range vectors {
		if dim == 0 {
			dim = len(v.v)
		}
		if len(v.v) != dim || dim == 0 || dim > MaxDim {
			return nil, c.wrong(fmt.Sprintf("a vector of %d components, expected %d", len(v.v), dim))
		}
	}
	c.dim = dim
	return vectors, nil
}

func (c *client) wrong(reason string) error {
	return &ResponseError{URL: c.shown, Reason: reason, Hint: "does claw.embedderUrl speak the protocol of claw.embedder '" + c.name + "'?"}
}

// message finds what a server says about an error, and its code.
func message(reply []byte) (text, code string) {
	var in struct {
		Error, Message, Detail json.RawMessage
	}
	if json.Unmarshal(reply, &in) != nil {
		return string(reply), ""
	}
	for _, raw := range []json.RawMessage{in.Error, in.Message, in.Detail} {
		var object struct {
			Message, Type string
			Code          any
		}
		if json.Unmarshal(raw, &text) == nil && text != "" {
			return text, ""
		}
		if json.Unmarshal(raw, &object) == nil && object.Message != "" {
			if object.Type == "insufficient_quota" {
				return object.Message, object.Type
			}
			return object.Message, fmt.Sprint(object.Code)
		}
	}
	return "", ""
}
