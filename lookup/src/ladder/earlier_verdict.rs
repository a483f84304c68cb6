//! Earlier verdicts on a configuration for the requested problem.

use configgen::{Configuration, Generator};
use store::{Catalogue, KnownStudy, ProblemSelection, Status, StoreError, StudyId, Unreadable};

use super::LookupRequest;
use crate::merit::is_served;

/// The studies of a problem on a target.
pub(super) struct ProblemStudies<'a> {
    device: Option<&'a str>,
    studies: Vec<KnownStudy>,
}

impl<'a> ProblemStudies<'a> {
    /// Reads the studies of the requested problem. Omits unreadable ones, which the answer
    /// reports already.
    pub(super) async fn of(
        catalogue: &dyn Catalogue,
        request: &'a LookupRequest,
    ) -> Result<ProblemStudies<'a>, StoreError> {
        let these = ProblemSelection::These(std::slice::from_ref(&request.problem));
        let studies = match request.target {
            Some(target) => catalogue.studies(these, Some(target)).await?.rows,
            None => Vec::new(),
        };
        Ok(ProblemStudies {
            device: request.device.as_deref(),
            studies,
        })
    }

    /// Returns the verdict for which this configuration may not be served.
    ///
    /// This is the verdict of its last trial on the requested device. Without such a trial, it is
    /// the last verdict of any device, unless one of the devices may serve the configuration.
    pub(super) async fn verdict(
        &self,
        catalogue: &dyn Catalogue,
        generator: Generator,
        configuration: &Configuration,
        unreadable: &mut Unreadable,
    ) -> Result<Option<Status>, StoreError> {
        let studies = self.studies.iter();
        let of: Vec<StudyId> = studies
            .filter(|study| study.provenance.generator == generator)
            .map(|study| study.id)
            .collect();
        if of.is_empty() {
            return Ok(None);
        }
        let trials = catalogue.trials_with(&of, configuration).await?;
        unreadable.join(trials.unreadable);
        // The last verdict of each device, the latest device last.
        let mut verdicts: Vec<(&str, Status)> = Vec::new();
        for known in &trials.rows {
            let study = self.studies.iter().find(|study| study.id == known.study);
            let Some(study) = study else { continue };
            // A trial that was only timed has no verdict, and leaves an earlier one.
            if known.trial.outcome.status() == Status::Timed {
                continue;
            }
            let device = study.provenance.device.as_str();
            verdicts.retain(|(its, _)| *its != device);
            verdicts.push((device, known.trial.outcome.status()));
        }
        let own = verdicts.iter().find(|(its, _)| Some(*its) == self.device);
        let verdicts = match own {
            Some(own) => std::slice::from_ref(own),
            None => &verdicts,
        };
        let serves = |(_, status): &(&str, Status)| is_served(*status, generator);
        Ok(match verdicts.iter().any(serves) {
            true => None,
            false => verdicts.last().map(|(_, status)| *status),
        })
    }
}
