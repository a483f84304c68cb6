//! Tuned configurations: a list with pages, and a summary.

use std::ops::RangeInclusive;
use std::sync::Arc;

use answers::tuned_list::{
    CountsByClock, ListedTuned, NamedCount, Spread, TunedConfiguration, TunedMap, TunedMapCell,
};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use configgen::{Clock, Generator, Problem};
use lookup::{ClockCounts, NameCount, PageCursor, ProblemFilter, Sort, SortBy, TunedFilter};
use utoipa::IntoParams;

use crate::error_responses::CommonErrors;
use crate::json_response::json;
use crate::parameters::{self, RawQuery, named, parameters};
use crate::staleness::Staleness;
use crate::{ApiError, ServiceState};

/// Most characters of a search.
const SEARCH: usize = 200;

/// The orders of the list, by name.
const SORTS: [(&str, SortBy, bool); 7] = [
    ("problem", SortBy::Problem, false),
    ("speedup", SortBy::Speedup, false),
    ("-speedup", SortBy::Speedup, true),
    ("time", SortBy::Time, false),
    ("-time", SortBy::Time, true),
    ("distance", SortBy::Distance, false),
    ("-distance", SortBy::Distance, true),
];

/// A filter of tuned configurations: all given conditions must hold.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(
    dead_code,
    reason = "it describes the parameters, which are taken by name"
)]
struct Filter {
    /// The clock of the times: `measured` or `modelled`. If it is missing, `measured` if the
    /// selection has measured times, else `modelled`.
    #[param(pattern = "^(measured|modelled)$")]
    clock: Option<String>,
    /// Words that all occur in the problem's text or in the name of target, device or generator.
    /// Case is ignored.
    #[param(max_length = 200)]
    search: Option<String>,
    /// Only this problem.
    #[param(example = "argmax:4x[32000]xf32")]
    problem: Option<String>,
    /// Only for this instruction set.
    #[param(example = "gfx942")]
    target: Option<String>,
    /// Only on the device with this name.
    device: Option<String>,
    /// Only kernels of this generator.
    generator: Option<String>,
    /// Only problems with elements of this type, such as `f32`.
    element: Option<String>,
    /// Only problems of this operation, such as `arg_compare`.
    operation: Option<String>,
    /// Only with this number of reductions, `A..B` with both ends; either may be missing.
    #[param(pattern = "^[0-9]*\\.\\.[0-9]*$")]
    rows: Option<String>,
    /// Only with this number of elements in each reduction, in the same format.
    #[param(pattern = "^[0-9]*\\.\\.[0-9]*$")]
    columns: Option<String>,
    /// Only with at least this speedup over the untuned configuration.
    #[param(value_type = Option<f64>)]
    least_speedup: Option<String>,
    /// The tie-break: `fold`, the default, ranks configurations with another index last; `any`
    /// ignores the index.
    #[param(pattern = "^(fold|any)$")]
    ties: Option<String>,
}

/// The names of the parameters, in the order of the fields.
const FILTERS: [&str; 12] = [
    "clock",
    "search",
    "problem",
    "target",
    "device",
    "generator",
    "element",
    "operation",
    "rows",
    "columns",
    "least_speedup",
    "ties",
];

fn filter(values: [Option<String>; 12], generators: &[Generator]) -> Result<TunedFilter, ApiError> {
    let [
        clock,
        search,
        problem,
        target,
        device,
        generator,
        element,
        operation,
        rows,
        columns,
        least_speedup,
        ties,
    ] = values;
    let clock = clock.map(|text| named("clock", &text, &Clock::ALL, Clock::name));
    let problem = problem.as_deref().map(parameters::problem).transpose()?;
    let search = search.unwrap_or_default();
    // The words of a search are compared with every entry.
    if search.chars().count() > SEARCH {
        let message = format!("a search may have at most {SEARCH} characters");
        return Err(ApiError::value("search", message));
    }
    let speedup = |text: String| {
        // `parse` accepts NaN and infinity.
        let speedup = text.parse().ok().filter(|it: &f64| it.is_finite());
        speedup.ok_or_else(|| ApiError::value("least_speedup", "a speedup must be a number"))
    };
    Ok(TunedFilter {
        clock: clock.transpose()?,
        search,
        problem: problem.map(|problem| problem.to_string()),
        like: ProblemFilter {
            target: target.as_deref().map(parameters::target).transpose()?,
            device,
            generator: parameters::generator(generator, generators)?,
            operation,
            element: element.as_deref().map(parameters::element).transpose()?,
        },
        rows: range("rows", rows)?,
        columns: range("columns", columns)?,
        least_speedup: least_speedup.map(speedup).transpose()?,
        ties: parameters::ties(ties)?,
    })
}

/// Parses a range `A..B`. Either end may be missing.
fn range(name: &'static str, text: Option<String>) -> Result<RangeInclusive<u64>, ApiError> {
    let end = |text: &str, open: u64| match text {
        "" => Some(open),
        // `parse` would accept a sign.
        _ if text.bytes().all(|byte| byte.is_ascii_digit()) => text.parse().ok(),
        _ => None,
    };
    let range = text.map_or(Some(0..=u64::MAX), |text| {
        let (low, high) = text.split_once("..")?;
        Some(end(low, 0)?..=end(high, u64::MAX)?)
    });
    range.ok_or_else(|| {
        let message = "a range must be A..B, A.. or ..B: 64..1024, 64.., ..1024";
        ApiError::value(name, message)
    })
}

/// Lists the tuned configurations that may be served, a page at a time.
///
/// The list has the best configuration of each problem, device and generator, with times of one
/// clock. It comes from memory. Unreadable rows are reported and not listed.
#[utoipa::path(
    get,
    path = "/api/v1/tuned",
    params(
        Filter,
        ("sort" = Option<String>, Query, pattern = "^(problem|-?speedup|-?time|-?distance)$",
            description = "The order of the rows; `problem` by default. A minus puts the largest first. `distance` is the time over the lower bound"),
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 1000, description = "The largest number of rows in the page; 100 by default"),
        ("cursor" = Option<String>, Query, description = "The start of the page: `next` of the answer before, with the same filters and order"),
    ),
    responses(
        (status = 200, description = "A page of tuned configurations", body = ref("#/components/schemas/ListedTuned")),
        CommonErrors,
    ),
)]
pub(crate) async fn tuned(
    State(service): State<Arc<ServiceState>>,
    query: RawQuery,
) -> Result<Response, ApiError> {
    let [a, b, c, d, e, f, g, h, i, j, k, l] = FILTERS;
    let names = [
        a, b, c, d, e, f, g, h, i, j, k, l, "sort", "limit", "cursor",
    ];
    let [filter @ .., sort, limit, cursor] = parameters(query, names)?;
    let mut filter = self::filter(filter, service.catalogue.generators())?;
    let sort = sort.map(|text| named("sort", &text, &SORTS, |(name, ..)| name));
    let (name, by, is_descending) = sort.transpose()?.unwrap_or(SORTS[0]);
    let limit = parameters::limit(limit)?;
    let after = match cursor {
        None => None,
        Some(cursor) => Some(self::after(&cursor, name, &mut filter)?),
    };
    let staleness = Staleness::of_memory(&service).await?;
    // The filter visits every entry in memory, on a thread that serves no requests.
    let turn = service.charts.next().await;
    let answer = move |_: &_| {
        let sort = Sort { by, is_descending };
        let page = service.known.tuned(&filter, sort, after.as_ref(), limit);
        let page = page.ok_or_else(ApiError::not_yet)?;
        let clock = page.clock;
        let rows = page.rows.into_iter().map(row).collect::<Option<Vec<_>>>();
        let answer = ListedTuned {
            clock,
            total: of_clock(page.both, clock),
            both: both(page.both),
            rows: rows.ok_or_else(ApiError::fault)?,
            next: page.next.map(|after| cursor_of(&after, name, clock)),
            unreadable: page.unreadable,
        };
        Ok(staleness.told(json(StatusCode::OK, &answer)))
    };
    turn.work(answer).await
}

/// Summarizes the tuned configurations that may be served.
///
/// The summary counts them by each attribute, and has the quality of tuning by size.
#[utoipa::path(
    get,
    path = "/api/v1/tuned:map",
    params(Filter),
    responses(
        (status = 200, description = "The summary", body = ref("#/components/schemas/TunedMap")),
        CommonErrors,
    ),
)]
pub(crate) async fn tuned_map(
    State(service): State<Arc<ServiceState>>,
    query: RawQuery,
) -> Result<Response, ApiError> {
    let filter = filter(parameters(query, FILTERS)?, service.catalogue.generators())?;
    let staleness = Staleness::of_memory(&service).await?;
    // As above: the summary visits every entry.
    let turn = service.charts.next().await;
    let answer = move |_: &_| {
        let map = service.known.map(&filter).ok_or_else(ApiError::not_yet)?;
        let answer = TunedMap {
            clock: map.clock,
            total: of_clock(map.both, map.clock),
            both: both(map.both),
            targets: counted(map.targets),
            devices: counted(map.devices),
            generators: counted(map.generators),
            elements: counted(map.elements),
            operations: counted(map.operations),
            cells: map.cells.into_iter().map(cell).collect(),
            unreadable: map.unreadable,
        };
        Ok(staleness.told(json(StatusCode::OK, &answer)))
    };
    turn.work(answer).await
}

fn of_clock(both: ClockCounts, clock: Clock) -> usize {
    match clock {
        Clock::Measured => both.measured,
        Clock::Modelled => both.modelled,
    }
}

fn both(both: ClockCounts) -> CountsByClock {
    let ClockCounts { measured, modelled } = both;
    CountsByClock { measured, modelled }
}

/// Converts an entry. Returns none if its answer has no configuration; no such entry exists.
fn row(row: lookup::TunedEntry) -> Option<TunedConfiguration> {
    let problem: Problem = row.problem.parse().ok()?;
    Some(TunedConfiguration {
        kept: row.answer.extract()?,
        dram_peak_us: lookup::part(&row.device).map(|part| part.dram_peak_us(&problem)),
        bytes: problem.compulsory_bytes(),
        problem: row.problem,
        target: row.target.name,
        device: row.device,
        generator: row.generator,
        clock: row.clock,
        status: row.status,
        time_us: row.time_us,
        default_status: row.default_status,
        default_time_us: row.default_time_us,
        speedup: row.speedup,
        bound_us: row.bound_us,
        rows: row.rows,
        columns: row.columns,
        study: row.study,
        ordinal: row.ordinal,
    })
}

fn counted(counted: Vec<NameCount>) -> Vec<NamedCount> {
    let named = |NameCount { name, count }| NamedCount { name, count };
    counted.into_iter().map(named).collect()
}

fn cell(cell: lookup::TuningMapCell) -> TunedMapCell {
    let spread = |spread: lookup::Spread| Spread {
        least: spread.least,
        median: spread.median,
        most: spread.most,
    };
    TunedMapCell {
        target: cell.target,
        operation: cell.operation,
        rows_log2: cell.rows_log2,
        columns_log2: cell.columns_log2,
        count: cell.count,
        speedup: cell.speedup.map(spread),
        distance: cell.distance.map(spread),
    }
}

/// Formats the position after a page: clock, order, all bits of the sort key, target, generator,
/// device and problem. The device and the problem may have spaces, so the length of the device
/// precedes it.
fn cursor_of(after: &PageCursor, sort: &str, clock: Clock) -> String {
    // All bits of the key: a rounded one would repeat or skip rows.
    let key = after.key.map(|key| format!("{:x}", key.to_bits()));
    let (key, device) = (key.as_deref().unwrap_or("-"), &after.device);
    let (target, generator, problem) = (&after.target, &after.generator, &after.problem);
    let length = device.len();
    format!("{clock} {sort} {key} {target} {generator} {length} {device} {problem}")
}

/// Parses the text of [`cursor_of`] for this order, and fixes the filter to its clock.
fn after(text: &str, sort: &str, filter: &mut TunedFilter) -> Result<PageCursor, ApiError> {
    let read = || {
        // The device and the problem may have spaces, so the last piece stays whole.
        let mut words = text.splitn(7, ' ');
        let clock: Clock = words.next()?.parse().ok()?;
        let is_same = words.next()? == sort && filter.clock.is_none_or(|it| it == clock);
        let key = match words.next()? {
            "-" => None,
            bits => Some(f64::from_bits(u64::from_str_radix(bits, 16).ok()?)),
        };
        let (target, generator) = (words.next()?.to_owned(), words.next()?.to_owned());
        let length = words.next()?.parse().ok()?;
        let (device, problem) = words.next()?.split_at_checked(length)?;
        let after = PageCursor {
            key,
            problem: problem.strip_prefix(' ')?.to_owned(),
            target,
            device: device.to_owned(),
            generator,
        };
        is_same.then_some((clock, after))
    };
    let (clock, after) = read().ok_or_else(|| {
        let message = "a cursor must be the `next` of an answer to the same request";
        ApiError::value("cursor", message)
    })?;
    // Measured times may appear meanwhile, and a list must not change its clock between pages.
    filter.clock = Some(clock);
    Ok(after)
}
