// Package buffer reads the working buffer: its header, what is left to do, and the lock that says who
// is rotating it (SPEC section 3.4).
package buffer
