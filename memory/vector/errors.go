package vector

import (
	"errors"
	"fmt"
)

// What can be wrong with a vector that was handed in.
var (
	ErrDim       = errors.New("wrong number of components")
	ErrNotFinite = errors.New("a component is not a finite number")
	ErrZero      = errors.New("all components are zero")
)

// VectorError: a vector cannot be stored or searched for. Err is ErrDim,
// ErrNotFinite or ErrZero.
type VectorError struct {
	Index     int // position in what was handed to Add; -1: the query of Scan
	Got, Want int // components
	Err       error
}

func (e *VectorError) Error() string {
	what := "query vector"
	if e.Index >= 0 {
		what = fmt.Sprintf("vector %d", e.Index)
	}
	if errors.Is(e.Err, ErrDim) {
		return fmt.Sprintf("%s: %v: %d, expected %d", what, e.Err, e.Got, e.Want)
	}
	return fmt.Sprintf("%s: %v", what, e.Err)
}

// Unwrap gives the kind of error.
func (e *VectorError) Unwrap() error { return e.Err }

// CorruptError: a file of the store is not what was written. It is passed over,
// and removed by the next Add or Keep.
type CorruptError struct{ Path, Reason string }

func (e *CorruptError) Error() string {
	return fmt.Sprintf("vector file '%s' is damaged: %s", e.Path, e.Reason)
}

// errForeign: the file belongs to another embedder, dim or version of git claw.
var errForeign = errors.New("vectors of another model")
