// @ts-check
// Syntax colours of the stages: comments, operations, registers, values, numbers and labels.

/** @typedef {"comment" | "word" | "register" | "number" | "label" | "plain"} Kind */

const PATTERNS = /** @type {Record<string, RegExp>} */ ({
  isa: /(?<comment>;.*|\/\/.*)|(?<label>^[.\w$]+:|\.L\w+)|(?<word>^\s+[a-z.][\w.]*)|(?<register>\b(?:[vsa]\d+|[vsa]\[\d+:\d+\]|vcc(?:_lo|_hi)?|exec(?:_lo|_hi)?|scc|m0|ttmp\d+|null)\b)|(?<number>-?\b0x[\da-f]+\b|-?\b\d[\d.]*\b)/g,
  llvm: /(?<comment>;.*)|(?<label>^[\w.$"-]+:)|(?<register>[%@][\w.$"-]+|[!#]\d+)|(?<word>\b(?:define|declare|call|tail|load|store|br|ret|phi|select|icmp|fcmp|getelementptr|add|sub|mul|and|or|xor|shl|lshr|ashr|zext|sext|trunc|bitcast|extractelement|insertelement|attributes|target|source_filename|fence|atomicrmw|asm|switch|unreachable)\b)|(?<number>-?\b0x[\da-fA-F]+\b|-?\b\d[\d.e+]*\b)/g,
  hip: /(?<comment>\/\/.*)|(?<word>\b(?:if|else|for|while|do|return|const|constexpr|static|struct|template|typename|using|void|bool|int|unsigned|float|double|auto|true|false|extern|__global__|__device__|__shared__|__launch_bounds__|asm|volatile)\b)|(?<number>-?\b0x[\da-fA-F]+\b|-?\b\d[\w.]*\b)/g,
  ops: /(?<comment>#.*)|(?<register>^\s*[\w, :]+?(?= = )|\bv\d+\b)|(?<word>(?<= = )[a-z_]+|^\s*(?:loop|while|yield|store|parameter|if|else|end|barrier|return)\b)|(?<number>-?\b0x[\da-f]+\b|-?\b\d[\d.]*\b)/g,
});
const OTHER = /(?<comment>#.*|\/\/.*)|(?<word>^\s*[a-z]+\b)|(?<number>-?\b0x[\da-f]+\b|-?\b\d[\d.]*\b)/g;

/**
 * Splits a line into coloured pieces.
 * @param {string} stage
 * @param {string} line
 * @returns {{ kind: Kind, text: string }[]}
 */
export function pieces(stage, line) {
  const pattern = PATTERNS[stage] ?? OTHER;
  const found = [];
  let at = 0;
  for (const match of line.matchAll(pattern)) {
    if (match.index > at) found.push({ kind: /** @type {Kind} */ ("plain"), text: line.slice(at, match.index) });
    const kind = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined)?.[0];
    found.push({ kind: /** @type {Kind} */ (kind ?? "plain"), text: match[0] });
    at = match.index + match[0].length;
  }
  if (at < line.length) found.push({ kind: /** @type {Kind} */ ("plain"), text: line.slice(at) });
  return found;
}
