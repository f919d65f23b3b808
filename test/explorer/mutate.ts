import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ExploreOptions } from './explore.js'
import type { Edit, Mutant } from './mutants.js'
import { allRules, realCore, type Core } from './world.js'

const core = join(import.meta.dirname, '../../src/core')

/** What to explore with, so that the mutant's rule is broken and everything else is as it is. */
export async function toOptions({ broken }: Mutant): Promise<Pick<ExploreOptions, 'core' | 'rules'>> {
  if ('promise' in broken) return { core: realCore, rules: { ...allRules, [broken.promise]: false } }
  return { core: await loadBroken(broken), rules: allRules }
}

/** @throws {Error} if the edit does not fit the text of the core exactly once. */
async function loadBroken({ file, from, to }: Edit): Promise<Core> {
  const folder = mkdtempSync(join(tmpdir(), 'handrail-mutant-'))
  try {
    cpSync(core, folder, { recursive: true })
    const path = join(folder, `${file}.ts`)
    const [before, after, ...more] = readFileSync(path, 'utf8').split(from)
    if (before === undefined || after === undefined || more.length > 0)
      throw new Error(`Cannot break src/core/${file}.ts: expected once, but not so: ${from}`)
    writeFileSync(path, before + to + after)
    const load = (name: Edit['file']) => import(/* @vite-ignore */ pathToFileURL(join(folder, `${name}.ts`)).href)
    return { ...(await load('next')), ...(await load('state')), ...(await load('transcript')) } as Core
  } finally {
    rmSync(folder, { recursive: true })
  }
}
