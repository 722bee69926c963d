#!/bin/sh
# Fetches a git newer than the system's for tests (reftable needs 2.45) and
# prints the path of a wrapper that runs it:
#
#	CLAW_TEST_NEWGIT=$(sh testdata/tools/newgit.sh)
#
# Debian's packages are unpacked into .scratch/newgit with the libc they were
# built against; nothing is installed and nothing outside that folder changes.
# Without apt or without a way to Debian: one line on stderr, exit 1.
#
# NEWGIT_SUITE picks the release (default trixie; sid has the newest git).
set -eu

suite=${NEWGIT_SUITE:-trixie}
top=$(cd "$(dirname "$0")/../.." && pwd)
base=$top/.scratch/newgit/$suite
root=$base/root
wrapper=$base/bin/git
log=$base/log

fail() {
	printf 'newgit: %s; tests that need a newer git will say so\n' "$1" >&2
	exit 1
}

works() { "$wrapper" --version >/dev/null 2>&1; }

if works; then
	printf '%s\n' "$wrapper"
	exit 0
fi
for tool in apt-get dpkg-deb; do
	command -v "$tool" >/dev/null 2>&1 || fail "no $tool on this machine"
done
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[ -r "$keyring" ] || fail "no Debian keyring at $keyring"

rm -rf "$base"
mkdir -p "$base/state/lists/partial" "$base/cache/archives/partial" "$base/bin" "$root"
: >"$base/status"
printf 'deb [signed-by=%s] http://deb.debian.org/debian %s main\n' "$keyring" "$suite" >"$base/sources.list"

# An apt of its own, with an empty list of installed packages: it resolves git
# and all that git needs, and checks the signatures as apt always does.
apt() {
	apt-get -q -y \
		-o Dir::Etc::sourcelist="$base/sources.list" -o Dir::Etc::sourceparts=/dev/null \
		-o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null \
		-o Dir::State="$base/state" -o Dir::State::status="$base/status" \
		-o Dir::Cache="$base/cache" -o APT::Sandbox::User="$(id -un)" \
		-o Acquire::Languages=none -o Acquire::Retries=2 -o Acquire::http::Timeout=20 \
		-o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false \
		"$@" >>"$log" 2>&1 </dev/null
}
apt update || fail "Debian $suite was not reached (see $log)"
apt --no-install-recommends --download-only install git || fail "git of Debian $suite was not to be had (see $log)"
for deb in "$base"/cache/archives/*.deb; do
	dpkg-deb -x "$deb" "$root" || fail "cannot unpack '$deb'"
done
rm -rf "$base/cache" "$base/state" "$root"/usr/share/doc "$root"/usr/share/man \
	"$root"/usr/share/locale "$root"/usr/share/perl* "$root"/usr/lib/*/perl*

loader=
for file in "$root"/usr/lib/*/ld-linux-*.so.* "$root"/lib/*/ld-linux-*.so.*; do
	[ -f "$file" ] && loader=$file && break
done
[ -n "$loader" ] || fail "no ELF loader in the packages"

# git starts its own parts by way of GIT_EXEC_PATH. The binaries there name the
# system's loader, whose libc is too old, so that folder holds wrappers too:
# one script for every binary, and links to what is a script already.
core=$base/libexec
mkdir -p "$core"
wrap() { # wrap <binary> <script>
	cat >"$2" <<SH
#!/bin/sh
export GIT_EXEC_PATH='$core' GIT_TEMPLATE_DIR='$root/usr/share/git-core/templates'
exec '$loader' --library-path '${loader%/*}' --argv0 "\$0" '$1' "\$@"
SH
	chmod 755 "$2"
}
wrap "$root/usr/bin/git" "$wrapper"
for file in "$root"/usr/lib/git-core/*; do
	name=${file##*/}
	[ -f "$file" ] || continue
	case $(head -c 4 "$file" | tr -d '\177') in
	ELF) wrap "$file" "$core/$name" ;;
	*) ln -s "$file" "$core/$name" ;;
	esac
done
wrap "$root/usr/bin/git" "$core/git"

works || fail "the unpacked git does not run: $("$wrapper" --version 2>&1 | head -n 1)"
printf '%s\n' "$wrapper"
