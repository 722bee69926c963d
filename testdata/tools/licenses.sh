#!/bin/sh
# Prints the licence text of every module that is linked into git-claw.
# Releases ship this as THIRD_PARTY_LICENSES. A module without a licence file
# fails the run: it must not be shipped unseen.
set -eu
cd "$(dirname "$0")/../.."

modules=$(CGO_ENABLED=0 go list -deps \
	-f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}' \
	./cmd/git-claw | sort -u)

printf '%s\n' "$modules" | while read -r path version dir; do
	[ -n "$path" ] || continue
	found=
	for file in "$dir"/LICENSE* "$dir"/LICENCE* "$dir"/COPYING* "$dir"/NOTICE*; do
		[ -f "$file" ] || continue
		found=yes
		printf '%s\n%s %s (%s)\n\n' \
			------------------------------------------------------------------------ \
			"$path" "$version" "${file##*/}"
		cat "$file"
		printf '\n'
	done
	[ -n "$found" ] || {
		printf "error: no licence file in '%s'\n" "$path" >&2
		exit 1
	}
done
