//! What a run needs, and the end of one that cannot fit before it starts.

use std::path::Path;

use hdp_gpu::Result;
use hdp_gpu::run::needs::{Machine, Needs, Workload};

use super::tell;

/// What `workload` with its results in `out` needs and what there is, in a line; refuses it when it cannot fit, and
/// warns when it may not.
pub(super) fn check(workload: &Workload, out: &Path) -> Result<String> {
    let (needs, machine) = (Needs::of(workload), Machine::now(out));
    needs.check(workload, &machine)?;
    needs.warnings(&machine).iter().for_each(|warning| tell(format_args!("warning: {warning}")));
    Ok(needs.line(&machine))
}
