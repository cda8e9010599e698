//! What can be sampled: every value is checked before a chain starts.

use super::{
    Anneal, GammaPrior, Learn, MAX_CONCENTRATION, MAX_PRIOR_POINTS, MAX_TOPICS, MIN_CONCENTRATION, Params,
    PsiLaw, Settings,
};
use crate::error::{Error, Result};

impl Settings {
    /// Checks every value.
    ///
    /// # Errors
    /// [`Error::Setting`] names the first value that cannot be used.
    pub fn check(self) -> Result<Params> {
        self.check_priors()?;
        let points = self.beta * f64::from(self.max_topics);
        if self.has_urn() && points > MAX_PRIOR_POINTS {
            return Err(Error::setting(
                "beta",
                format!(
                    "{} with `max_topics` {} makes {points:e} prior points a word in every iteration",
                    self.beta, self.max_topics
                ),
                format!("lower `beta` or `max_topics` until their product is at most {MAX_PRIOR_POINTS:e}"),
            ));
        }
        self.check_learning()?;
        self.check_start()?;
        Ok(Params(self))
    }

    /// Checks what is learned, and the law of Ψ.
    fn check_learning(&self) -> Result<()> {
        let Learn { alpha, beta, gamma } = self.learn;
        for (setting, prior) in [("alpha", alpha), ("beta", beta), ("gamma", gamma)] {
            prior.map_or(Ok(()), |prior| prior.check(setting))?;
        }
        if !(0.0..1.0).contains(&self.discount) {
            let problem = format!("{} is not a discount", self.discount);
            return Err(Error::setting("discount", problem, "give a number from 0 to below 1"));
        }
        let uniform = self.psi == PsiLaw::Uniform;
        let refused = [
            (
                "beta",
                self.has_urn() && beta == Some(GammaPrior::VAGUE),
                "learned under the Poisson Pólya urn, β runs to zero",
                "give a prior that holds it, for example learn:1000,100000, or `phi` dirichlet, or a number",
            ),
            (
                "gamma",
                gamma.is_some() && self.discount > 0.0,
                "γ can be learned without a discount only",
                "leave out `discount`, or give a number",
            ),
            (
                "gamma",
                gamma.is_some() && uniform,
                "a uniform Ψ has no γ",
                "leave out `psi` uniform, or give a number",
            ),
            (
                "discount",
                self.discount > 0.0 && uniform,
                "a uniform Ψ has no sticks",
                "leave out `psi` uniform or `discount`",
            ),
            (
                "max_topics",
                self.grow && uniform,
                "a uniform Ψ has no topics to come",
                "give the number of topics",
            ),
        ];
        match refused.into_iter().find(|&(_, refused, ..)| refused) {
            Some((setting, _, problem, remedy)) => Err(Error::setting(setting, problem, remedy)),
            None => Ok(()),
        }
    }

    /// Checks the start.
    fn check_start(&self) -> Result<()> {
        // The last topic stands for all that are not represented, so the start leaves it empty.
        let most = if self.psi == PsiLaw::Uniform { self.max_topics } else { (self.max_topics - 1).max(1) };
        if let Some(topics) = self.init.topics().filter(|topics| !(1..=most).contains(topics)) {
            return Err(Error::setting(
                "init",
                format!("{topics} starting topics do not fit `max_topics` {}", self.max_topics),
                format!("give a number from 1 to {most}, or raise `max_topics`"),
            ));
        }
        self.anneal.map_or(Ok(()), Anneal::check)
    }

    /// Checks what the model itself asks for, however it is sampled: concentrations and truncation.
    pub(crate) fn check_priors(&self) -> Result<()> {
        for (setting, value) in [("alpha", self.alpha), ("beta", self.beta), ("gamma", self.gamma)] {
            if !(MIN_CONCENTRATION..=MAX_CONCENTRATION).contains(&value) {
                return Err(Error::setting(
                    setting,
                    format!("{value} is not a usable concentration"),
                    format!("give a number from {MIN_CONCENTRATION:e} to {MAX_CONCENTRATION:e}"),
                ));
            }
        }
        if !(1..=MAX_TOPICS).contains(&self.max_topics) {
            return Err(Error::setting(
                "max_topics",
                format!("{} topics cannot be represented", self.max_topics),
                format!("give a number from 1 to {MAX_TOPICS}"),
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Init;

    fn refused(change: impl FnOnce(&mut Settings)) -> &'static str {
        let mut settings = Settings::paper();
        change(&mut settings);
        match settings.check() {
            Err(Error::Setting { setting, .. }) => setting,
            other => panic!("not refused: {other:?}"),
        }
    }

    #[test]
    fn unusable_values_are_refused_by_name() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, -0.0, 2e9, 1e-10] {
            assert_eq!(refused(|s| s.alpha = bad), "alpha");
            assert_eq!(refused(|s| s.beta = bad), "beta");
            assert_eq!(refused(|s| s.gamma = bad), "gamma");
        }
        assert_eq!(refused(|s| s.max_topics = 0), "max_topics");
        assert_eq!(refused(|s| s.max_topics = 65_536), "max_topics");
        assert_eq!(refused(|s| s.beta = 1001.0), "beta");
        assert_eq!(refused(|s| (s.beta, s.max_topics) = (16.0, 65_535)), "beta");
        assert_eq!(refused(|s| s.init = Init::Random(0)), "init");
        assert_eq!(refused(|s| s.init = Init::Random(1000)), "init");
        assert_eq!(refused(|s| (s.max_topics, s.init) = (1, Init::Documents(2))), "init");
    }

    #[test]
    fn what_cannot_be_learned_is_refused_by_name() {
        let prior = |shape, rate| Some(GammaPrior { shape, rate });
        for (shape, rate) in [(0.0, 1.0), (1.0, 0.0), (f64::NAN, 1.0), (1.0, f64::INFINITY)] {
            assert_eq!(refused(|s| s.learn.alpha = prior(shape, rate)), "alpha");
            assert_eq!(refused(|s| s.learn.gamma = prior(shape, rate)), "gamma");
        }
        assert_eq!(refused(|s| s.learn.beta = Some(GammaPrior::VAGUE)), "beta");
        let learn = Learn { beta: prior(10.0, 1000.0), ..Learn::default() };
        assert!(Settings { learn, ..Settings::paper() }.check().is_ok());
        for bad in [-0.1, 1.0, f64::NAN] {
            assert_eq!(refused(|s| s.discount = bad), "discount");
        }
        let vague = Some(GammaPrior::VAGUE);
        assert_eq!(refused(|s| (s.discount, s.learn.gamma) = (0.5, vague)), "gamma");
        assert_eq!(refused(|s| (s.psi, s.learn.gamma) = (PsiLaw::Uniform, vague)), "gamma");
        assert_eq!(refused(|s| (s.psi, s.discount) = (PsiLaw::Uniform, 0.5)), "discount");
        assert_eq!(refused(|s| (s.psi, s.grow) = (PsiLaw::Uniform, true)), "max_topics");
        assert_eq!(refused(|s| s.anneal = Some(Anneal { factor: 0.5, iterations: 10 })), "anneal");
    }

    #[test]
    fn the_extremes_pass() {
        for (max_topics, topics, beta) in [(1, 1, 1e6), (2, 1, 0.01), (65_535, 65_534, 15.0)] {
            let init = Init::Random(topics);
            assert!(Settings { max_topics, init, beta, ..Settings::paper() }.check().is_ok());
        }
    }
}
