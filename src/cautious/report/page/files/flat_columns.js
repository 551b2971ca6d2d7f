// Columns of Parquet that hold plain numbers or text, page by page into typed arrays. Whatever else there
// is (lists, dates, other encodings, damage) is left to the reader for everything, which also has the
// words for what is wrong.

const NUMBERS = ["DOUBLE", "FLOAT", "INT32", "INT64"],
  TEXT = "BYTE_ARRAY";

// Parts {cells, codes}, one for each page, or null if the column is not of that kind: row i of a part holds
// cells[i], or with codes cells[codes[i]], where -1 is a missing one. `element` is the column's entry in
// the schema and `chunks` are its descriptions in the groups of rows.
export function flatColumn(reader, file, element, chunks) {
  const { type, converted_type: converted, logical_type: logical, repetition_type: repetition } = element,
    isPlain = NUMBERS.includes(type) ? !converted && !logical : type === TEXT && converted === "UTF8";
  if (!isPlain || element.num_children || !["REQUIRED", "OPTIONAL"].includes(repetition)) return null;
  try {
    const parts = chunks.map((chunk) => partsOfChunk(reader, file, element, chunk));
    return parts.includes(null) ? null : parts.flat();
  } catch {
    return null;
  }
}

function partsOfChunk(reader, file, element, chunk) {
  const { data_page_offset: data, dictionary_page_offset: dictionary, total_compressed_size: size } = chunk,
    start = Number(dictionary && dictionary < data ? dictionary : data),
    source = { view: new DataView(file, start, Number(size)), offset: 0 },
    rows = Number(chunk.num_values),
    parts = [];
  let words = null,
    found = 0;
  while (found < rows) {
    const header = reader.parquetHeader(source),
      bytes = new Uint8Array(file, start + source.offset, header.compressed_page_size),
      about = header.data_page_header ?? header.dictionary_page_header;
    source.offset += header.compressed_page_size;
    if (!["DATA_PAGE", "DICTIONARY_PAGE"].includes(header.type)) return null;
    const page = reader.decompressPage(bytes, header.uncompressed_page_size, chunk.codec, reader.compressors),
      place = { view: new DataView(page.buffer, page.byteOffset, page.byteLength), offset: 0 };
    if (header.type === "DICTIONARY_PAGE") words = plainCells(reader, place, element.type, about.num_values);
    else {
      const part = partOfPage(reader, place, element, about, words);
      if (!part) return null;
      parts.push(part);
      found += about.num_values;
    }
  }
  return found === rows ? parts : null;
}

function partOfPage(reader, place, { type, repetition_type: repetition }, { num_values: n, encoding }, words) {
  const levels = repetition === "OPTIONAL" ? new Uint8Array(n) : null;
  if (levels) reader.readRleBitPackedHybrid(place, 1, levels);
  const there = levels ? levels.reduce((count, level) => count + level, 0) : n;
  if (encoding === "PLAIN") {
    const cells = plainCells(reader, place, type, there);
    return { cells, codes: there < n ? withGaps(levels, (i) => i) : null };
  }
  if (!["PLAIN_DICTIONARY", "RLE_DICTIONARY"].includes(encoding) || !words) return null;
  const width = place.view.getUint8(place.offset++),
    codes = new Int32Array(there);
  if (width) reader.readRleBitPackedHybrid(place, width, codes, place.view.byteLength - place.offset);
  for (let i = 0; i < there; i++) if (!(codes[i] >= 0 && codes[i] < words.length)) return null;
  return { cells: words, codes: there < n ? withGaps(levels, (i) => codes[i]) : codes };
}

function plainCells(reader, place, type, n) {
  const cells = reader.readPlain(place, type, n);
  return type === TEXT ? Array.from(cells, (bytes) => new TextDecoder().decode(bytes)) : cells;
}

// A code for each row that is there, -1 for the others.
function withGaps(levels, codeOf) {
  const codes = new Int32Array(levels.length).fill(-1);
  for (let row = 0, i = 0; row < levels.length; row++) if (levels[row]) codes[row] = codeOf(i++);
  return codes;
}
