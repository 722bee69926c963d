//go:build race

package secret

// slower is how much longer a scan takes with the race detector.
const slower = 20
