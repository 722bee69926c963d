//go:build !race

package secret

const slower = 1
