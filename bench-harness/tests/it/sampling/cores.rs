//! Parallel work on all cores.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Applies a function to each element on all cores. Returns the results in order.
pub(crate) fn each<T: Sync, R: Send>(all: &[T], of: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(one) = all.get(number) else {
                return done;
            };
            done.push((number, of(one)));
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut done: Vec<(usize, R)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let done = workers.into_iter().map(|worker| worker.join().unwrap());
        done.flatten().collect()
    });
    done.sort_unstable_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}
