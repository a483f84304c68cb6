// @ts-check
// Draws the visible part of the map.

import { cornerOf, LEFT, TOP } from "./fold.js";

/**
 * @typedef {object} MapContent content of the map
 * @property {import("./map.js").Loads} loads
 * @property {import("./map.js").Grid} grid
 * @property {import("./fold.js").Fold} fold
 * @property {(load: number) => { fill: string, text: string }} colour
 * @property {(load: number) => string} mark returns the text inside a load, if it has room
 * @property {Record<"text" | "quiet" | "ground" | "line" | "accent", string>} page colours of the
 *   page
 *
 * @typedef {object} View
 * @property {number} x
 * @property {number} y
 * @property {number} width
 * @property {number} height
 */

/** Opacity of other lanes while one is highlighted. */
const DIM = 0.22;
/** Elements of at most this width in pixels have no gap between them. */
const APART = 3;

/**
 * Draws the part that does not depend on the cursor.
 * @param {CanvasRenderingContext2D} context
 * @param {MapContent} drawn
 * @param {View} view
 */
export function drawGround(context, drawn, view) {
  context.globalAlpha = 1;
  context.fillStyle = drawn.page.ground;
  context.fillRect(0, 0, view.width, view.height);
  drawCells(context, drawn, view, null);
  drawRows(context, drawn, view);
  drawColumns(context, drawn, view);
}

/**
 * Draws the highlighted lane on the ground.
 * @param {CanvasRenderingContext2D} context
 * @param {MapContent} drawn
 * @param {View} view
 * @param {import("./cursor.js").Place} place
 */
export function drawPlace(context, drawn, view, place) {
  context.globalAlpha = 1 - DIM;
  context.fillStyle = drawn.page.ground;
  context.fillRect(LEFT - 1, TOP - 1, view.width, view.height);
  context.globalAlpha = 1;
  drawCells(context, drawn, view, place);
}

/**
 * Draws the visible lines: all loads, or one lane's loads.
 * @param {CanvasRenderingContext2D} context
 * @param {MapContent} drawn
 * @param {View} view
 * @param {import("./cursor.js").Place | null} place
 */
function drawCells(context, drawn, view, place) {
  const { fold, grid } = drawn;
  context.save();
  context.beginPath();
  context.rect(LEFT - 1, TOP - 1, view.width, view.height);
  context.clip();
  context.translate(-view.x, -view.y);
  context.font = `${Math.min(11, fold.high - 2)}px system-ui, sans-serif`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.lineWidth = 1;
  const [firstRow, lastRow] = rowsIn(drawn, view);
  for (let row = firstRow; row < lastRow; row += 1) {
    const top = TOP + row * fold.row;
    const first = Math.max(0, Math.floor((view.y - top) / fold.high));
    const last = Math.min(fold.lines, Math.ceil((view.y + view.height - top) / fold.high));
    for (let line = first; line < last; line += 1) drawLine(context, drawn, row, line, view, place);
  }
  if (place?.element != null && place.element.row < grid.rows.count && place.element.column < grid.columns.count) drawElement(context, drawn, place.element);
  context.restore();
}

/** Returns the range of visible rows. @param {MapContent} drawn @param {View} view */
function rowsIn({ fold, grid }, view) {
  return [Math.max(0, Math.floor(view.y / fold.row)), Math.min(grid.rows.count, Math.ceil((view.y + view.height) / fold.row))];
}

/**
 * Draws one line. Neighbouring elements of one load form one rectangle.
 * @param {CanvasRenderingContext2D} context
 * @param {MapContent} drawn
 * @param {number} row
 * @param {number} line
 * @param {View} view
 * @param {import("./cursor.js").Place | null} place
 */
function drawLine(context, { loads, grid, fold, colour, mark, page }, row, line, view, place) {
  const { columns, owner, times } = grid;
  const y = TOP + row * fold.row + line * fold.high;
  const begin = line * fold.line;
  const from = begin + Math.max(0, Math.floor((view.x - 1) / fold.wide));
  const to = Math.min(begin + fold.line, columns.count, begin + Math.ceil((view.x + view.width - LEFT) / fold.wide) + 1);
  const gap = fold.wide * loads.length[0] > APART ? 1 : 0;
  const high = fold.high - (fold.high > APART ? 1 : 0);
  const hasGaps = columns.parts.length > 1;
  for (let column = from; column < to; ) {
    const load = owner[row * columns.count + column];
    let end = column + 1;
    while (end < to && owner[row * columns.count + end] === load && !(hasGaps && columns.beginsAt(end))) end += 1;
    const x = LEFT + (column - begin) * fold.wide;
    const width = (end - column) * fold.wide - gap;
    if (load >= 0 && (place === null || (loads.subgroup[load] === place.subgroup && loads.lane[load] === place.lane))) {
      const { fill, text } = colour(load);
      context.fillStyle = fill;
      context.fillRect(x, y, width, high);
      if (place !== null) outline(context, x, y, width, high, page.text);
      if (width >= 22 && fold.high >= 11) {
        context.fillStyle = text;
        context.fillText(mark(load), x + width / 2, y + high / 2 + 0.5);
      }
      if (grid.repeated > 0) {
        for (let k = column; k < end; k += 1) if (times[row * columns.count + k] > 1) repeat(context, LEFT + (k - begin) * fold.wide, y, fold.wide, high, page.text);
      }
    }
    if (place === null && hasGaps && columns.beginsAt(column)) {
      if (column === begin) rule(context, LEFT, y - 0.5, (to - from) * fold.wide, page.text);
      else bar(context, x - 1, y, fold.high, page.text, [2, 2]);
    } else if (place === null && column > begin && load >= 0 && changes(loads, owner[row * columns.count + column - 1], load)) {
      bar(context, x - 0.5, y, high, page.text, []);
    }
    column = end;
  }
}

/**
 * Returns whether two neighbours belong to different subgroups.
 * @param {import("./map.js").Loads} loads
 * @param {number} one
 * @param {number} other
 */
function changes(loads, one, other) {
  return one >= 0 && loads.subgroup[one] !== loads.subgroup[other];
}

/**
 * Draws an outline.
 * @param {CanvasRenderingContext2D} context
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 * @param {string} colour
 */
function outline(context, x, y, width, height, colour) {
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.setLineDash([]);
  if (width > 2) context.strokeRect(x + 0.5, y + 0.5, width - 1, height - 1);
}

/**
 * Draws a vertical line.
 * @param {CanvasRenderingContext2D} context
 * @param {number} x
 * @param {number} y
 * @param {number} height
 * @param {string} colour
 * @param {number[]} dash
 */
function bar(context, x, y, height, colour, dash) {
  context.globalAlpha = 1;
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.setLineDash(dash);
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x, y + height);
  context.stroke();
}

/**
 * Draws a dashed horizontal line.
 * @param {CanvasRenderingContext2D} context
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {string} colour
 */
function rule(context, x, y, width, colour) {
  context.globalAlpha = 1;
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.setLineDash([4, 3]);
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x + width, y);
  context.stroke();
}

/**
 * Draws a slanted line through an element that is loaded more than once.
 * @param {CanvasRenderingContext2D} context
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 * @param {string} colour
 */
function repeat(context, x, y, width, height, colour) {
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.setLineDash([]);
  context.beginPath();
  context.moveTo(x, y + height);
  context.lineTo(x + width, y);
  context.stroke();
}

/**
 * Draws the element under the cursor.
 * @param {CanvasRenderingContext2D} context
 * @param {MapContent} drawn
 * @param {{ row: number, column: number }} element
 */
function drawElement(context, { fold, page }, element) {
  const { x, y } = cornerOf(fold, element.row, element.column);
  context.setLineDash([]);
  for (const [width, colour] of /** @type {[number, string][]} */ ([[4, page.ground], [2, page.accent]])) {
    context.lineWidth = width;
    context.strokeStyle = colour;
    context.strokeRect(x - 1.5, y - 1.5, fold.wide + 2, fold.high + 2);
  }
}

/**
 * Draws the names of the rows.
 * @param {CanvasRenderingContext2D} context
 * @param {MapContent} drawn
 * @param {View} view
 */
function drawRows(context, drawn, view) {
  const { grid, fold, page } = drawn;
  const [first, last] = rowsIn(drawn, view);
  context.font = "11px system-ui, sans-serif";
  context.textAlign = "right";
  context.textBaseline = "middle";
  let free = -Infinity;
  for (let row = first; row < last; row += 1) {
    for (let line = 0; line < fold.lines; line += 1) {
      const y = TOP + row * fold.row + (line + 0.5) * fold.high - view.y;
      if (y < TOP + 2 || y > view.height || (y < free && line > 0) || y < free - 4) continue;
      context.fillStyle = line === 0 ? page.text : page.quiet;
      const name = line === 0 ? `row ${grid.rows.value(row)}` : "";
      const at = fold.lines > 1 && line > 0 ? `${grid.columns.value(line * fold.line)}` : name;
      context.fillText(at, LEFT - 8, y);
      free = y + 13;
    }
  }
}

/**
 * Draws the numbers of the columns.
 * @param {CanvasRenderingContext2D} context
 * @param {MapContent} drawn
 * @param {View} view
 */
function drawColumns(context, { grid, fold, page }, view) {
  context.textAlign = "left";
  context.textBaseline = "middle";
  context.fillStyle = page.quiet;
  const step = 2 ** Math.ceil(Math.log2(Math.max(1, 54 / fold.wide)));
  for (let column = 0; column < fold.line; column += step) {
    const x = LEFT + column * fold.wide - view.x;
    if (x < LEFT - 1 || x > view.width) continue;
    const text = fold.lines > 1 ? `+${column}` : `${grid.columns.value(column)}`;
    context.fillText(text, x, TOP / 2);
  }
  context.textAlign = "right";
  context.fillText("column", LEFT - 8, TOP / 2);
}
