"use strict";
// Reads what agent/table/offline/packing.py has packed: JSON, in which { array: [offset, length, differences] } stands for
// an array of whole numbers.

async function unpack(text) {
  if (typeof DecompressionStream === "undefined") {
    throw new Error("this browser cannot read the page, because it is too old; open it in one of 2023 or later");
  }
  const packed = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const start = 4 + new DataView(bytes.buffer).getUint32(0, true);
  const content = new TextDecoder().decode(bytes.subarray(4, start));
  return JSON.parse(content, (_, value) => (value?.array ? unpackedArray(bytes.subarray(start), ...value.array) : value));
}

function unpackedArray(bytes, offset, length, differences) {
  const found = new Int32Array(length);
  let before = 0;
  for (let at = 0; at < length; at++) {
    const place = offset + at;
    const folded = bytes[place] | bytes[place + length] << 8 | bytes[place + 2 * length] << 16 | bytes[place + 3 * length] << 24;
    const number = folded >>> 1 ^ -(folded & 1);
    before = differences ? before + number | 0 : number;
    found[at] = before;
  }
  return found;
}
