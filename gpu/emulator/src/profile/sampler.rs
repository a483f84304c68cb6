//! The runs of a sample: each workgroup alone, each as the last one to arrive, or all among the
//! others.

use std::collections::HashMap;
use std::sync::Arc;

use super::arrivals::Arrivals;
use super::matrix_results;
use super::recorder::{Recorder, RecordingScope};
use super::streams::StreamTable;
use super::trace::{WorkCounts, WorkgroupTrace};
use super::undo::Undo;
use super::unprofiled_launch::{IssuedInstructions, UnprofiledLaunch};
use super::{Profile, sample};
use crate::error::LaunchFault;
use crate::isa::EncodingFamily;
use crate::launch::{Execution, KernelLaunch, LaunchProgress, run_observed};
use crate::loaded_code_object::CodeObject;
use crate::memory::EmulatedMemory;

/// The largest number of events of a wave. The model assumes that the middle of a longer trace
/// resembles its beginning.
pub(super) const WAVE_LIMIT: u64 = 4096;
/// The number of instructions after which no more workgroups run to distinguish kinds.
const SEARCH_LIMIT: u64 = 300_000;
/// The number of instructions of a wave that means a wait for another workgroup, if it runs
/// alone.
const ALONE_LIMIT: u64 = 50_000_000;

/// The largest number of workgroups for which each may be the last one to arrive: the lanes of a
/// wave can sum this many results.
const FEW: u64 = 64;

/// The profiled launch, with the size of the sample.
pub(super) struct Sampler<'a> {
    pub(super) code: &'a CodeObject,
    pub(super) launch: KernelLaunch<'a>,
    /// The approximate number of workgroups in the sample.
    pub(super) sample: u32,
    /// The largest number of events in all traces.
    pub(super) events: u64,
}

impl Sampler<'_> {
    /// Profiles the launch by the method that its workgroups need. Memory is unchanged
    /// afterwards.
    pub(super) fn profile(&self, memory: &mut EmulatedMemory) -> Result<Profile, UnprofiledLaunch> {
        let mut recorder = self.recorder();
        let limit = self.launch.instruction_limit.min(ALONE_LIMIT);
        let ran = self.each(memory, &mut recorder, limit);
        let depends = match &ran {
            Ok(_) => recorder.counted,
            // A sole workgroup at its limit waits for nobody.
            Err(LaunchFault::InstructionLimit { .. }) if self.total() < 2 => false,
            // The host may never do the awaited thing, and the whole launch would wait for it.
            Err(_) => !recorder.asks_host,
        };
        recorder.take_undo().restore(memory);
        let issued = IssuedInstructions::of_longest(&recorder);
        let unprofiled = |fault: LaunchFault| {
            let is_limit = matches!(fault, LaunchFault::InstructionLimit { .. });
            let issued = issued.filter(|_| is_limit);
            UnprofiledLaunch { fault, issued }
        };
        let alone = ran.map(|execution| self.summary(recorder, execution));
        if !depends {
            return alone.map_err(unprofiled);
        }
        let mut recorder = self.recorder();
        let ids = sample::fixed(self.total(), self.sample);
        recorder.scope = RecordingScope::Among(ids, Arrivals::new());
        let progress = LaunchProgress::default();
        let ran = run_observed(self.code, memory, &self.launch, &mut recorder, &progress);
        let undo = recorder.take_undo();
        if let Err(fault) = ran {
            undo.restore(memory);
            return alone.or(Err(unprofiled(fault)));
        }
        let arrivals = recorder.take_arrivals();
        let few = arrivals.most_workgroups() <= FEW;
        let last = self.last(memory, arrivals, undo);
        match (alone, last) {
            (Ok(alone), Ok(last)) if last.work() > alone.work() => Ok(match few {
                true => last,
                // Among very many workgroups, only the last one of the launch does the last one's
                // work.
                false => self.among(recorder),
            }),
            (Ok(alone), _) => Ok(alone),
            (Err(_), Ok(last)) => Ok(last),
            // The awaited value existed only temporarily, while the whole launch ran.
            (Err(_), Err(_)) => Ok(self.among(recorder)),
        }
    }

    /// Profiles each workgroup as the last one to arrive. Restores memory to its state at the
    /// beginning of `undo`.
    pub(super) fn last(
        &self,
        memory: &mut EmulatedMemory,
        arrivals: Arrivals,
        undo: Undo,
    ) -> Result<Profile, LaunchFault> {
        let mut recorder = self.recorder();
        recorder.undo = undo;
        recorder.scope = RecordingScope::Last(arrivals);
        let ran = self.each(memory, &mut recorder, self.launch.instruction_limit);
        recorder.take_undo().restore(memory);
        ran.map(|execution| self.summary(recorder, execution))
    }

    /// Returns the profile of workgroups that were recorded among all others.
    fn among(&self, recorder: Recorder) -> Profile {
        let mut execution = Execution::default();
        for wave in recorder.traces.iter().flat_map(|trace| &trace.waves) {
            execution.waves += 1;
            execution.wave_instructions += wave.executed;
        }
        self.summary(recorder, execution)
    }

    /// Returns the number of workgroups of the launch. The legality check refuses larger numbers.
    fn total(&self) -> u32 {
        self.launch.total_workgroups().min(u64::from(u32::MAX)) as u32
    }

    fn recorder(&self) -> Recorder {
        let workgroups = sample::first(self.total(), self.sample).len() as u64;
        let waves = workgroups.saturating_mul(self.launch.workgroup_waves().into());
        // The limit bounds the memory of all traces together, so many waves get short ones.
        let kept = (self.events / waves.max(1)).clamp(8, WAVE_LIMIT);
        let lanes = self.launch.kernel.wavefront_size;
        let mut recorder = Recorder::new(kept as usize, lanes);
        let ids = sample::first(self.total(), self.sample);
        // The first of a pair in the middle; workgroups at the edge may be special.
        let base = ids.get((ids.len() / 2) & !1).copied().unwrap_or(0);
        recorder.streams = StreamTable::new(base);
        recorder.result_waits = matrix_results::waits(self.code, lanes);
        recorder
    }

    /// Runs the workgroups of the sample one after the other, with an instruction limit for each
    /// wave.
    fn each(
        &self,
        memory: &mut EmulatedMemory,
        recorder: &mut Recorder,
        instruction_limit: u64,
    ) -> Result<Execution, LaunchFault> {
        let total = self.total();
        let mut execution = Execution::default();
        let progress = Arc::clone(&recorder.progress);
        let mut ids = sample::first(total, self.sample);
        let first = ids.len();
        loop {
            let known = recorder.traces.len();
            for &id in &ids[known..] {
                let launch = KernelLaunch {
                    workgroup_subset: Some(&[id]),
                    instruction_limit,
                    ..self.launch
                };
                let part = run_observed(self.code, memory, &launch, recorder, &progress)?;
                execution.add(&part);
            }
            // A sample of one cannot show kinds, and a long workgroup makes a search too
            // expensive.
            if known == 0 && self.sample < 2 || execution.wave_instructions > SEARCH_LIMIT {
                break;
            }
            let kinds: Vec<_> = ids
                .iter()
                .zip(&recorder.traces)
                .map(|(id, trace)| (*id, trace.work()))
                .collect();
            match sample::next(&kinds, total, ids.len() - first) {
                Some(id) => ids.push(id),
                None => break,
            }
        }
        self.probe(memory, recorder, instruction_limit)?;
        Ok(execution)
    }

    /// Runs the neighbours that show how addresses move over the grid, unless they are in the
    /// sample.
    fn probe(
        &self,
        memory: &mut EmulatedMemory,
        recorder: &mut Recorder,
        instruction_limit: u64,
    ) -> Result<(), LaunchFault> {
        recorder.is_probe = true;
        let progress = Arc::clone(&recorder.progress);
        for id in recorder.streams.neighbours(self.launch.workgroups) {
            if !recorder.streams.has(id) {
                let launch = KernelLaunch {
                    workgroup_subset: Some(&[id]),
                    instruction_limit,
                    ..self.launch
                };
                run_observed(self.code, memory, &launch, recorder, &progress)?;
            }
        }
        recorder.is_probe = false;
        Ok(())
    }

    /// Returns the profile of the recorded traces.
    fn summary(&self, recorder: Recorder, execution: Execution) -> Profile {
        let launch = &self.launch;
        let workgroups = launch.total_workgroups();
        let Recorder {
            mut traces,
            ids,
            lines,
            streams,
            ..
        } = recorder;
        let vector_instructions = traces
            .iter()
            .flat_map(|trace| &trace.waves)
            .map(|wave| wave.vector)
            .sum();
        let everything = ids.len() as u64 == workgroups;
        let lone = sample::lone(&ids, workgroups);
        sample::shares(&mut traces, &ids, workgroups);
        let stands_for: HashMap<u32, f64> = ids
            .iter()
            .zip(&traces)
            .map(|(id, trace)| (*id, trace.share))
            .collect();
        // This needs the shares, so it follows `sample::shares`.
        let cold_shares = lines.cold_shares((!everything).then_some(workgroups), lone, |id| {
            stands_for.get(&id).copied().unwrap_or_default()
        });
        for trace in traces.iter_mut().flat_map(|trace| &mut trace.waves) {
            trace.finish();
        }
        let mut kinds: Vec<WorkCounts> = Vec::new();
        for work in traces.iter().map(WorkgroupTrace::work) {
            if !kinds.iter().any(|known| known.is_like(&work)) {
                kinds.push(work);
            }
        }
        let kernel = launch.kernel;
        Profile {
            workgroups,
            waves_per_workgroup: launch.workgroup_waves(),
            lanes: kernel.wavefront_size,
            vgprs: kernel.counted_vgprs(),
            lds_bytes: launch.lds_bytes(),
            spans_units: kernel.spans_units,
            execution,
            vector_instructions,
            kinds: kinds.len() as u32,
            joint_counter: self.code.isa().family() == EncodingFamily::Gfx9,
            cold_shares,
            sharing: streams.sharing(launch.workgroups),
            hottest_line: lines.hottest(workgroups as f64 / ids.len().max(1) as f64),
            traces,
        }
    }
}
