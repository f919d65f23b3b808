import { HandrailError } from '../../errors.js'

const magic = [0x00, 0x61, 0x73, 0x6d]

/**
 * Fetches and compiles the engine's wasm. It is compiled once, in the agent worker, so that a sandbox worker needs no network.
 * @throws {HandrailError} `sandbox_unavailable` when the URL does not answer with wasm
 */
export async function compileEngine(url: string | URL): Promise<WebAssembly.Module> {
  const response = await download(url)
  try {
    // Compiled while it comes, where the server says what it is.
    if (response.headers.get('content-type') === 'application/wasm') return await WebAssembly.compileStreaming(response)
    return await WebAssembly.compile(wasmOf(url, await response.arrayBuffer()))
  } catch (cause) {
    if (HandrailError.is(cause)) throw cause
    throw unavailable(url, 'it ends early, or is no wasm that can be compiled here', cause)
  }
}

async function download(url: string | URL): Promise<Response> {
  let response: Response
  try {
    response = await fetch(url)
  } catch (cause) {
    throw unavailable(url, 'it cannot be reached', cause)
  }
  if (!response.ok) throw unavailable(url, `it answers with status ${response.status}`)
  return response
}

function wasmOf(url: string | URL, bytes: ArrayBuffer): ArrayBuffer {
  const start = new Uint8Array(bytes, 0, Math.min(4, bytes.byteLength))
  if (magic.every((byte, i) => start[i] === byte)) return bytes
  const found = Array.from(start, (byte) => byte.toString(16).padStart(2, '0')).join(' ')
  throw unavailable(
    url,
    `it begins with "${found}", not with wasm; a server that has no such file may answer with a page`,
  )
}

const unavailable = (url: string | URL, why: string, cause?: unknown) =>
  new HandrailError('sandbox_unavailable', `Cannot load the sandbox engine from ${String(url)}: ${why}`, { cause })
