// @ts-check
// A chart as a PNG file: its canvases and SVGs on the page's background.

/** Pixels of the file for each CSS pixel. */
const SCALE = 2;

/** Properties that an SVG element takes from the style sheets. */
const LOOKS = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "opacity", "font-family", "font-size", "font-style", "font-weight", "text-anchor", "dominant-baseline", "color", "visibility", "display"];

/**
 * Returns a drawing as a PNG file.
 * @param {HTMLElement} drawing
 * @returns {Promise<Blob>}
 */
export async function picture(drawing) {
  const frame = drawing.getBoundingClientRect();
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(frame.width * SCALE);
  canvas.height = Math.ceil(frame.height * SCALE);
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.fillStyle = getComputedStyle(document.documentElement).backgroundColor;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.scale(SCALE, SCALE);
  for (const part of drawing.querySelectorAll("canvas, svg")) {
    const { left, top, width, height } = part.getBoundingClientRect();
    if (width === 0 || height === 0) continue;
    const image = part instanceof HTMLCanvasElement ? part : await drawn(/** @type {SVGElement} */ (part), width, height);
    context.drawImage(image, left - frame.left, top - frame.top, width, height);
  }
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("This browser cannot make a PNG of the chart"))), "image/png");
  });
}

/**
 * Returns an SVG as an image. Its styles are inlined, because an image has no style sheets.
 * @param {SVGElement} svg
 * @param {number} width
 * @param {number} height
 */
async function drawn(svg, width, height) {
  const copy = /** @type {SVGElement} */ (svg.cloneNode(true));
  const from = [svg, ...svg.querySelectorAll("*")];
  const to = [copy, ...copy.querySelectorAll("*")];
  from.forEach((element, i) => {
    const looks = getComputedStyle(element);
    for (const name of LOOKS) to[i].setAttribute(name, looks.getPropertyValue(name));
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  const text = new XMLSerializer().serializeToString(copy);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  return image;
}
