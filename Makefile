# git claw. `make help` lists the targets.
#
# Works with GNU make 3.81 (macOS) and with BSD make: what has to be computed
# is computed by the shell inside a recipe.

PREFIX  = /usr/local
DESTDIR =
GO      = go
FUZZTIME = 20s
BENCH   = -sizes 1000,10000,50000
EVAL    =
DEMO    =
CHAOS   = 200
VERSION = dev

GOLANGCI_VERSION = v2.15.0
GOLANGCI = .scratch/bin/golangci-lint-$(GOLANGCI_VERSION)

# Packages below testdata are not matched by ./... and are named by the shell.
TOOLS = $$(find ./testdata -name '*.go' -exec dirname {} \; | sort -u)

all: build

## build: the binary ./git-claw
build:
	@v=$$(git describe --tags --always --dirty 2>/dev/null || echo dev); \
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w -X main.version=$${v#v}" -o git-claw ./cmd/git-claw

## install: binary, man pages and completions under PREFIX (/usr/local)
install: build
	@set -e; p="$(DESTDIR)$(PREFIX)"; \
	mkdir -p "$$p/bin" "$$p/share/man/man1" "$$p/share/bash-completion/completions" \
		"$$p/share/zsh/site-functions" "$$p/share/fish/vendor_completions.d"; \
	cp git-claw "$$p/bin/git-claw.new"; chmod 755 "$$p/bin/git-claw.new"; mv -f "$$p/bin/git-claw.new" "$$p/bin/git-claw"; \
	./git-claw generate man "$$p/share/man/man1"; \
	./git-claw generate completion bash >"$$p/share/bash-completion/completions/git-claw"; \
	./git-claw generate completion zsh >"$$p/share/zsh/site-functions/_git-claw"; \
	./git-claw generate completion fish >"$$p/share/fish/vendor_completions.d/git-claw.fish"; \
	echo "installed git-claw below $$p"

## demo: build, install into a scratch prefix, and show the product on a sample workspace
demo:
	@$(MAKE) -s install PREFIX="$$PWD/.scratch/demo/prefix" DESTDIR= >/dev/null
	@$(GO) run ./testdata/demo -prefix .scratch/demo/prefix -dir .scratch/demo/world $(DEMO)

## test: go vet and go test
test:
	$(GO) vet ./... $(TOOLS)
	$(GO) test -timeout 20m ./... $(TOOLS)

## test-race: the libraries' tests under the race detector, without the longest (needs a C compiler)
test-race:
	CGO_ENABLED=1 $(GO) test -race -short -timeout 20m ./gitops/... ./memory/... ./skills/... ./hooks/... ./agent/...

## race: many writers beside plain git, for minutes; nothing acknowledged may be lost
race:
	@mkdir -p .scratch
	{ CLAW_TEST_BIG=1 $(GO) test -count=1 -v -timeout 30m -run '^TestRace' ./gitops; echo $$? >.scratch/race.code; } | grep -v '^=== '; \
		exit $$(cat .scratch/race.code)

## crash: kill -9 at named points and at random, power cuts, full and read-only disks
crash:
	@mkdir -p .scratch
	{ CLAW_TEST_BIG=1 $(GO) test -count=1 -v -timeout 60m -run 'Kill|PowerLoss|Disk|Recover' ./gitops ./agent ./memory/index ./cmd/git-claw; echo $$? >.scratch/crash.code; } | \
		grep -v '^=== '; exit $$(cat .scratch/crash.code)

## chaos: machines that write, die and sync while the remote fails; CHAOS says how many histories
chaos:
	CLAW_CHAOS_SEEDS=$(CHAOS) CLAW_CHAOS_STEPS=50 $(GO) test -count=1 -v -timeout 120m -run '^TestChaos' ./cmd/git-claw

## scale: sync with a remote that has 30,000 foreign commits, 3,000 proposals and branches
scale:
	CLAW_TEST_BIG=1 $(GO) test -count=1 -v -timeout 30m -run '^Test(Scale|Processes|Large|Long)' ./agent/syncing

## week: 10,000 write-backs, and what git makes of them
week:
	CLAW_TEST_BIG=1 $(GO) test -count=1 -v -timeout 30m -run '^TestWeek' ./gitops

## bench: git claw against git in one run, as a table and as .scratch/bench.json
bench: build
	@mkdir -p .scratch
	@$(GO) run ./testdata/bench -claw ./git-claw -json .scratch/bench.json $(BENCH)

## eval: how well search finds, over the notes and questions of testdata/eval
eval: build
	@mkdir -p .scratch
	@$(GO) run ./testdata/eval -claw ./git-claw -json .scratch/eval.json $(EVAL)

## lint: golangci-lint, installed into .scratch/bin on first use
lint: $(GOLANGCI)
	$(GOLANGCI) run ./... $(TOOLS)

## fmt: format as lint wants it
fmt: $(GOLANGCI)
	$(GOLANGCI) fmt ./... $(TOOLS)

$(GOLANGCI):
	@mkdir -p .scratch/bin
	GOBIN="$$PWD/.scratch/bin" GOFLAGS= $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)
	@mv .scratch/bin/golangci-lint $(GOLANGCI)

## golden: rewrite the golden files; read the diff afterwards
golden:
	UPDATE_GOLDEN=1 $(GO) test -count=1 ./...

## fuzz: each fuzz target for FUZZTIME (20s); goes on after a failure
fuzz:
	@n=0; bad=; \
	for dir in $$(grep -rl --include='*_test.go' '^func Fuzz' . | grep -v '^./.scratch/' | xargs -n 1 dirname | sort -u); do \
		for f in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$$dir"/*_test.go); do \
			echo "== $$dir $$f"; n=$$((n+1)); \
			$(GO) test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) "$$dir" || bad="$$bad $$dir:$$f"; \
		done; \
	done; echo "$$n fuzz targets ran"; \
	test -z "$$bad" || { echo "failed:$$bad" >&2; exit 1; }

# What goes into an archive beside the binary; called by goreleaser.
release-files:
	@set -e; d=.scratch/release; rm -rf "$$d"; mkdir -p "$$d/man"; \
	$(GO) build -ldflags "-X main.version=$(VERSION)" -o "$$d/bin" ./cmd/git-claw; \
	"$$d/bin" generate man "$$d/man"; \
	"$$d/bin" generate completion bash >"$$d/git-claw"; \
	"$$d/bin" generate completion zsh >"$$d/_git-claw"; \
	"$$d/bin" generate completion fish >"$$d/git-claw.fish"; \
	rm "$$d/bin"; \
	sh testdata/tools/licenses.sh >"$$d/THIRD_PARTY_LICENSES"

## clean: remove what the targets made
clean:
	rm -rf git-claw dist .scratch

## help: this list
help:
	@sed -n 's/^## //p' Makefile

.PHONY: all build install demo test test-race race crash chaos scale week bench eval lint fmt golden fuzz release-files clean help
