/** Returns the content of a file in base64. */
export async function encodeFile(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const parts: string[] = [];
  // The number of arguments of a function is limited, so the bytes are encoded in chunks. A multiple of 3 needs no padding.
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES)
    parts.push(btoa(String.fromCharCode(...bytes.subarray(start, start + CHUNK_BYTES))));
  return parts.join('');
}

const CHUNK_BYTES = 3 * 8192;
