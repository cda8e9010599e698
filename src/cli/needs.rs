//! Tells what a run needs, and ends one that cannot fit before it starts.

use std::path::Path;

use hdp_gpu::Result;
use hdp_gpu::needs::{Machine, Needs, Workload};

use super::tell;

/// Says, unless `quiet`, what `workload` with its results in `out` needs and what there is; refuses it when it cannot fit.
pub(super) fn tell_and_check(workload: &Workload, out: &Path, quiet: bool) -> Result<()> {
    let (needs, machine) = (Needs::of(workload), Machine::now(out));
    if !quiet {
        tell(needs.line(&machine));
    }
    needs.check(workload, &machine)?;
    needs.warnings(&machine).iter().for_each(|warning| tell(format_args!("warning: {warning}")));
    Ok(())
}
