package gitops

// Seam is how tests stop or weaken a writer, see seam.
type Seam struct {
	At          func(point string)
	NoCAS       bool
	NoIndexLock bool
}

// With returns the options with a seam in them.
func (s Seam) With(o WriterOptions) WriterOptions {
	o.test = &seam{at: s.At, noCAS: s.NoCAS, noIndexLock: s.NoIndexLock}
	return o
}

// Discover and Ask are the two ways Open finds a repository.
var (
	Discover = discover
	Ask      = ask
)

// WithoutRecovery makes a repository finish nothing that a dead writer left.
func WithoutRecovery(r *Repo) *Repo {
	r.noRecovery = true
	return r
}
