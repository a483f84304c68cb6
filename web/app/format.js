// @ts-check
// Numbers and times as text.

const THREE = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/** Returns a number with three significant digits, zeros included. @param {number} value */
function digits(value) {
  if (value === 0) return "0";
  const places = 2 - Math.floor(Math.log10(Math.abs(value)));
  if (places <= 0) return WHOLE.format(value);
  return value.toFixed(Math.min(places, 6));
}

/**
 * Returns a time, given in microseconds, with a fitting unit.
 * @param {number | null | undefined} us
 */
export function time(us) {
  if (us === null || us === undefined) return "–";
  if (us < 1000) return `${digits(us)} µs`;
  if (us < 1e6) return `${digits(us / 1e3)} ms`;
  return seconds(us / 1e6);
}

/** Returns a duration, given in seconds. @param {number} s */
export function seconds(s) {
  if (s < 1) return `${digits(s * 1e3)} ms`;
  if (s < 120) return `${digits(s)} s`;
  if (s < 7200) return `${WHOLE.format(s / 60)} min`;
  if (s < 172800) return `${WHOLE.format(s / 3600)} h`;
  return `${WHOLE.format(s / 86400)} days`;
}

/** Returns an approximate duration, given in seconds. @param {number} s */
export function left(s) {
  return s < 120 ? `${WHOLE.format(s)} s` : seconds(s);
}

/** Returns a ratio, such as 1.25×. @param {number | null | undefined} factor */
export function ratio(factor) {
  if (factor === null || factor === undefined) return "–";
  return `${factor < 100 ? factor.toFixed(2) : WHOLE.format(factor)}×`;
}

/** Returns a count. @param {number} value */
export function count(value) {
  return WHOLE.format(value);
}

/**
 * Returns a count with its noun.
 * @param {number} value
 * @param {string} one
 * @param {string} [many]
 */
export function counted(value, one, many = `${one}s`) {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** Returns bytes in powers of 1,024. @param {number} value */
export function bytes(value) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${THREE.format(value)} ${units[unit]}`;
}

/** Returns a bandwidth, given in GB/s, in powers of 1,000. @param {number} gb */
export function bandwidth(gb) {
  return gb >= 1000 ? `${digits(gb / 1000)} TB/s` : `${digits(gb)} GB/s`;
}

/** Returns a fraction as a percentage. @param {number} part */
export function percent(part) {
  return `${(part * 100).toFixed(Math.abs(part) < 0.1 ? 1 : 0)} %`;
}

/**
 * Returns the largest error of the results as a percentage. `share` is the fraction of the allowed
 * error.
 * @param {number} share
 */
export function error(share) {
  if (share === 0) return "none";
  return `${share < 1e-4 ? "less than 0.01" : digits(share * 100)} % of the allowed error`;
}

/** Returns the age of a moment in RFC 3339. @param {string} moment @param {number} [now] */
export function ago(moment, now = Date.now()) {
  const past = (now - Date.parse(moment)) / 1000;
  if (!Number.isFinite(past)) return moment;
  return past < 2 ? "now" : `${left(past)} ago`;
}
