package lexical

import "runtime/debug"

// Clone returns a part that can be dropped from without changing this one.
func (p *Part) Clone() *Part {
	c := *p
	if p.dropped != nil {
		c.dropped = p.dropped.Clone()
	}
	return &c
}

// Get returns what is stored of a file, if it is there and not dropped.
func (p *Part) Get(key string) (stored []byte, found bool, err error) {
	defer guard(&err)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	doc, found, err := p.Segment.find(key)
	if err != nil || !found || p.dropped != nil && p.dropped.Contains(doc) {
		return nil, false, err
	}
	_, stored, err = p.Segment.stored(doc)
	return stored, err == nil, err
}
