// A static server with the headers a host of this library needs. Node builtins only.
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import { basename, extname, join, resolve, sep } from 'node:path'

/** @typedef {{ page: string, agentWorker: string, sandboxWorker: string }} Policies */

/**
 * A worker's own response decides its policy; the page's does not reach it.
 * @type {Policies}
 */
export const strictPolicies = {
  page: "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; object-src 'none'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types handrail lit-html",
  agentWorker:
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self' https: http://localhost:* http://127.0.0.1:*; worker-src 'self'",
  sandboxWorker: "default-src 'none'; script-src 'wasm-unsafe-eval'",
}

/** Lets the agent worker generate code, so that its faster schema compiler runs. @type {Policies} */
export const codegenPolicies = {
  ...strictPolicies,
  agentWorker: strictPolicies.agentWorker.replace("'wasm-unsafe-eval'", "'wasm-unsafe-eval' 'unsafe-eval'"),
}

/** @type {Record<string, string>} */
const mimeTypes = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
}

/** @param {string} path @param {Policies} csp */
function policyOf(path, csp) {
  const name = basename(path)
  if (name.includes('agent.worker')) return csp.agentWorker
  if (name.includes('sandbox.worker')) return csp.sandboxWorker
  return csp.page
}

/** @param {string} root @param {string} url @returns {string | undefined} A path inside root, else undefined. */
function pathInside(root, url) {
  const rawPath = url.split(/[?#]/, 1)[0] ?? '/'
  let path
  try {
    path = decodeURIComponent(rawPath)
  } catch {
    return undefined
  }
  if (path.includes('\0')) return undefined
  const full = join(root, path.endsWith('/') ? `${path}index.html` : path)
  return full.startsWith(root + sep) ? full : undefined
}

/**
 * @param {{ root: string, port?: number, host?: string, csp?: Policies }} options port 0 takes a free one
 * @returns {Promise<{ url: string, port: number, close(): Promise<void> }>}
 */
export function serve({ root, port = 0, host = '127.0.0.1', csp = strictPolicies }) {
  const top = resolve(root)
  const server = createServer(async (request, response) => {
    /** @param {number} status @param {Record<string, string>} [headers] */
    const refuse = (status, headers = {}) =>
      response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...headers }).end(`${status}\n`)

    if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(405, { allow: 'GET, HEAD' })
    const path = pathInside(top, request.url ?? '/')
    const info = path === undefined ? undefined : await stat(path).catch(() => undefined)
    if (path === undefined || !info?.isFile()) return refuse(404)

    response.writeHead(200, {
      'cache-control': 'no-cache',
      'content-length': info.size,
      'content-security-policy': policyOf(path, csp),
      'content-type': mimeTypes[extname(path)] ?? 'application/octet-stream',
      'x-content-type-options': 'nosniff',
    })
    if (request.method === 'HEAD') return response.end()
    createReadStream(path)
      .on('error', () => response.destroy())
      .pipe(response)
  })

  return new Promise((ready, fail) => {
    server.once('error', fail)
    server.listen(port, host, () => {
      const address = server.address()
      const used = typeof address === 'object' && address ? address.port : port
      ready({
        url: `http://localhost:${used}/`,
        port: used,
        close: () =>
          new Promise((done) => {
            server.close(() => done())
            server.closeAllConnections()
          }),
      })
    })
  })
}
