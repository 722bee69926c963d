package main

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// TestJSONFields pins the fields of every answer: scripts read them, so they are
// only added (SPEC 10.8).
func TestJSONFields(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, line := range []struct {
		schema string
		v      any
	}{
		{"claw.candidate/1", candidateJSON{}},
		{"claw.capture/1", captureJSON{}},
		{"claw.connect/1", connectJSON{}},
		{"claw.consolidate/1", consolidateJSON{}},
		{"claw.context/1", contextJSON{}},
		{"claw.context.summary/1", contextSumJSON{}},
		{"claw.diff/1", fileJSON{}},
		{"claw.doctor/1", findingJSON{}},
		{"claw.get/1", gotJSON{}},
		{"claw.health/1", healthJSON{}},
		{"claw.health.check/1", explainedJSON{}},
		{"claw.health.summary/1", healthSumJSON{}},
		{"claw.hooks/1", hookResultJSON{}},
		{"claw.index/1", indexJSON{}},
		{"claw.init/1", initJSON{}},
		{"claw.lesson/1", lessonJSON{}},
		{"claw.log/1", eventJSON{}},
		{"claw.promote/1", listedJSON{}},
		{"claw.promote.plan/1", promotePlanJSON{}},
		{"claw.proposal/1", proposalJSON{}},
		{"claw.save/1", savedJSON{}},
		{"claw.search/1", searchJSON{}},
		{"claw.show/1", shownJSON{}},
		{"claw.status/1", statusJSON{}},
		{"claw.sync/1", syncedJSON{}},
		{"claw.tick/1", tickJSON{}},
		{"claw.trim/1", trimJSON{}},
		{"claw.undo/1", undoneJSON{}},
		{"claw.version/1", versionJSON{}},
		{"claw.why/1", reasonJSON{}},
	} {
		fmt.Fprintf(&b, "%s: %s\n", line.schema, fields(reflect.TypeOf(line.v)))
	}
	golden(t, "json-fields.txt", b.String())
}

// fields lists the names of a JSON object in order, nested ones in braces.
func fields(t reflect.Type) string {
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return ""
	}
	var names []string
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			names = append(names, fields(f.Type))
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if inner := fields(f.Type); inner != "" {
			name += "{" + inner + "}"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}
