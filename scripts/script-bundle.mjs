import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import process from 'node:process'
import { root } from './setup.mjs'

const cache = join(root, 'node_modules', '.cache', 'handrail')

/**
 * One file of a TypeScript entry, to run in a thread. A loader for TypeScript costs each thread 0.4 s, and this 0.2 s once:
 * what was made is kept until one of its files has changed.
 * @param {string} entry from the root of the project
 * @param {'node' | 'browser'} platform
 * @returns {Promise<string>}
 */
export async function bundle(entry, platform) {
  const path = join(cache, `${entry.replaceAll('/', '-')}-${platform}.json`)
  const kept = await readKept(path)
  if (kept && (await timesOf(Object.keys(kept.times))) === JSON.stringify(kept.times)) return kept.code
  const startedAt = Date.now()
  const { rolldown } = await import('rolldown')
  const build = await rolldown({ input: join(root, entry), platform, logLevel: 'silent' })
  const { output } = await build.generate({ format: 'esm', codeSplitting: false })
  await build.close()
  const { code, moduleIds } = output[0]
  const files = [...moduleIds.filter((id) => !id.startsWith('\0')), import.meta.filename].map((id) =>
    relative(root, id),
  )
  const times = await timesOf(files)
  const isStill = Object.values(JSON.parse(times)).every((time) => time < startedAt)
  // Where nothing can be kept, it is made each time.
  if (isStill) await keep(path, `{"times":${times},"code":${JSON.stringify(code)}}`).catch(() => undefined)
  return code
}

/** @param {string} path @returns {Promise<{ times: Record<string, number>, code: string } | undefined>} */
async function readKept(path) {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch {
    return undefined
  }
}

/** @param {readonly string[]} files */
async function timesOf(files) {
  const times = await Promise.all(
    files.map(async (file) => [file, (await stat(join(root, file)).catch(() => undefined))?.mtimeMs]),
  )
  return JSON.stringify(Object.fromEntries(times))
}

/** Another process may do the same: a file is there whole or not at all. @param {string} path @param {string} text */
async function keep(path, text) {
  const own = `${path}.${process.pid}`
  await mkdir(cache, { recursive: true })
  await writeFile(own, text)
  await rename(own, path)
}
