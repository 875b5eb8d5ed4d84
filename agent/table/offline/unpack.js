"use strict";
// Reads what agent/table/offline/packing.py has packed: JSON, in which { array: [offset, length, differences] } stands
// for an array of whole numbers.

async function unpack(text) {
  if (typeof DecompressionStream === "undefined") {
    throw new Error("this browser cannot read the page, because it is too old; open it in one of 2023 or later");
  }
  const packed = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const start = 4 + new DataView(bytes.buffer).getUint32(0, true);
  const content = new TextDecoder().decode(bytes.subarray(4, start)), arrays = bytes.subarray(start);
  return JSON.parse(content, (_, value) => (value?.array ? unpackedArray(arrays, ...value.array) : value));
}

function unpackedArray(bytes, offset, length, differences) {
  const found = new Int32Array(length);
  let before = 0;
  for (let at = 0; at < length; at++) {
    let folded = 0;
    for (let plane = 0; plane < 4; plane++) folded |= bytes[offset + plane * length + at] << 8 * plane;
    const number = folded >>> 1 ^ -(folded & 1);
    before = differences ? before + number | 0 : number;
    found[at] = before;
  }
  return found;
}
