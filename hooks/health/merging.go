package health

import (
	"context"

	"github.com/git-claw/git-claw/hooks/mergesetup"
)

// mergingFamily tells whether git merges memory by entry here.
func mergingFamily() Family {
	return Family{
		Name: "merging",
		Checks: []Check{{
			ID: "GIT-007", Severity: Warning, Rule: "GN-04", Live: true,
			Meaning: "git is set up to merge memory by entry",
			Fix:     "git claw doctor --fix",
		}},
		Look: Once(func(ctx context.Context, r *Run, out *Out) error {
			if !r.WS.Adopted {
				return nil
			}
			st, err := r.Git.Merging(ctx)
			if err != nil {
				return err
			}
			if why := unmerged(st); why != "" {
				f := Finding{ID: "GIT-007", Message: why, Expected: "the driver 'claw' for files of memory", Actual: why}
				if st.State == mergesetup.Foreign {
					f.Fix = "git config --local --unset-all " + mergesetup.DriverName + ", then git claw doctor --fix"
				}
				out.Add(f)
			}
			return nil
		}),
	}
}

// unmerged says what is missing, or "".
func unmerged(st mergesetup.Status) string {
	switch {
	case st.State == mergesetup.Missing:
		return "git has no merge driver for memory"
	case st.State == mergesetup.Foreign:
		return "another merge driver has the name 'claw'"
	case !st.Runnable:
		return "the program that the merge driver names cannot be run"
	case !st.Attributes && !st.Committed:
		return "no attributes say which files are memory"
	}
	return ""
}
