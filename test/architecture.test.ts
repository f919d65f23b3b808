import { readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { basename, dirname, join, posix, relative, sep } from 'node:path'
import { describe, expect, it } from 'vitest'

type Files = ReadonlyMap<string, string>
type Import = { readonly from: string; readonly specifier: string; readonly target: string; readonly typeOnly: boolean }

const everything = /^/
const own = (folder: string) => new RegExp(`^src/${folder}/`)
const core = own('core')
const errors = /^src\/errors\.ts$/
const toolContract = /^src\/tools\/(tool|schema|parse-value)\.ts$/
const wire = /^src\/runtime\/protocol\.ts$/
const contracts = /^src\/(models\/(model|check-config)|sandbox\/script|store\/store)\.ts$/
const entries =
  /^(src\/(index|worker|testing\/index|models\/prompt-api\/model)\.ts|workers\/(agent|sandbox)\.worker\.ts)$/

/** Who may import what, first match wins; a place without a row may not exist. */
const table: readonly { readonly place: RegExp; readonly may: readonly RegExp[] }[] = [
  { place: core, may: [core] },
  { place: errors, may: [core] },
  { place: own('store'), may: [own('store'), core, errors] },
  { place: own('sandbox'), may: [own('sandbox'), core, errors] },
  // On the page, and made of what everybody has: it is the proof that a model can be.
  { place: own('models/prompt-api'), may: [own('models/prompt-api'), /^src\/index\.ts$/] },
  { place: own('models'), may: [own('models'), core, errors] },
  { place: own('tools'), may: [own('tools'), core, errors] },
  { place: own('runtime'), may: [own('runtime'), core, errors, own('tools'), contracts] },
  { place: own('client'), may: [own('client'), core, errors, toolContract, wire] },
  { place: own('server'), may: [own('server'), core, errors, toolContract] },
  { place: own('ui'), may: [own('ui'), own('client'), core] },
  // It plays runs again by the runtime itself, with page, store and sandbox in one thread. No provider, and none of the workers.
  {
    place: own('testing'),
    may: [
      own('testing'),
      core,
      errors,
      own('runtime'),
      own('tools'),
      own('sandbox'),
      /^src\/(models\/model|store\/(store|memory)|client\/(page-host|guardrails))\.ts$/,
    ],
  },
  { place: /^src\/index\.ts$/, may: [own('client'), core, errors, toolContract, wire] },
  { place: /^src\/worker\.ts$/, may: [/^src\//] },
  { place: /^workers\//, may: [/^(src|workers)\//] },
  { place: /^demo\//, may: [/^demo\//, entries] },
  { place: /^(test|bench)\//, may: [everything] },
]

const publicEntry: Readonly<Record<string, string>> = {
  handrail: 'src/index.ts',
  'handrail/worker': 'src/worker.ts',
  'handrail/testing': 'src/testing/index.ts',
  'handrail/prompt-api': 'src/models/prompt-api/model.ts',
  'handrail/agent-parts': 'workers/agent-parts.ts',
  'handrail/agent.worker': 'workers/agent.worker.ts',
  'handrail/sandbox.worker': 'workers/sandbox.worker.ts',
}

const published = /^(src|workers)\//
const forbiddenFolder = /(^|\/)(utils?|helpers?|common|shared|misc)\//

/** What the core may not touch, in code without strings and comments. */
const impure: Readonly<Record<string, RegExp>> = {
  'Date.now': /\bDate\s*\.\s*now\b/,
  'new Date(': /\bnew\s+Date\b/,
  performance: /(?<![\w$.])performance\s*\./,
  'Math.random': /\bMath\s*\.\s*random\b/,
  'crypto.': /(?<![\w$])crypto\s*\./,
  'fetch(': /(?<![\w$.])fetch\s*\(/,
  setTimeout: /\bsetTimeout\b/,
  setInterval: /\bsetInterval\b/,
  queueMicrotask: /\bqueueMicrotask\b/,
  async: /(?<![\w$.])async\s*(function|\(|[\w$]+\s*(=>|\())/,
  await: /(?<![\w$.])await\b(?!\s*[:?])/,
}

const token =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`|(?<=[=(,:[!&|?{};\n]\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/g
const isComment = (text: string) => text.startsWith('//') || text.startsWith('/*')
const withoutComments = (text: string) => text.replace(token, (found) => (isComment(found) ? ' ' : found))
/** Template literals stay: their placeholders are code. */
const codeOnly = (text: string) =>
  text.replace(token, (found) => (isComment(found) ? ' ' : found.startsWith('`') ? found : "''"))

const statement =
  /(?:^|[;}\n])\s*(?:import|export)\s+(type\s+)?(?:[\w$*\s{},]*?\bfrom\s*)?(['"])([^'"\n]+)\2|\bimport\s*\(\s*(['"`])([^'"`\n]+)\4/g

/** A block of only `type` names counts as types too, as in `import { type A } from`. */
const namesOnlyTypes = (text: string) =>
  /\{/.test(text) &&
  /^\s*(import|export)\s*\{/.test(text.replace(/^[;}\n]+/, '')) &&
  text
    .slice(text.indexOf('{') + 1, text.indexOf('}'))
    .split(',')
    .every((name) => name.trim() === '' || /^\s*type\s/.test(name))

const withoutQuery = (specifier: string) => specifier.replace(/\?.*$/, '')

function resolveImport(from: string, specifier: string): string {
  const path = withoutQuery(specifier)
  const entry = publicEntry[path]
  if (entry !== undefined) return entry
  if (!path.startsWith('.')) return specifier
  return posix.join(posix.dirname(from), path).replace(/\.js$/, '.ts')
}

function importsOf(files: Files): Import[] {
  return [...files].flatMap(([from, text]) =>
    [...withoutComments(text).matchAll(statement)].map((match) => {
      const specifier = match[3] ?? match[5] ?? ''
      let target = resolveImport(from, specifier)
      if (!files.has(target) && files.has(`${target}x`)) target += 'x'
      return { from, specifier, target, typeOnly: match[1] !== undefined || namesOnlyTypes(match[0]) }
    }),
  )
}

const isRelative = ({ specifier }: Import) => specifier.startsWith('.')
const isPackage = ({ specifier, target }: Import) => !specifier.startsWith('.') && target === specifier
const isNodeBuiltin = (specifier: string) =>
  specifier.startsWith('node:') || builtinModules.includes(specifier.split('/')[0] ?? specifier)

function findCycle(files: Files, imports: readonly Import[]): string[] {
  const next = new Map([...files.keys()].map((file) => [file, imports.filter(({ from }) => from === file)]))
  const done = new Set<string>()
  const visit = (file: string, path: readonly string[]): string[] => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file]
    if (done.has(file)) return []
    for (const { target } of next.get(file) ?? []) {
      const cycle = visit(target, [...path, file])
      if (cycle.length > 0) return cycle
    }
    done.add(file)
    return []
  }
  for (const file of files.keys()) {
    const cycle = visit(file, [])
    if (cycle.length > 0) return cycle
  }
  return []
}

/** The packages whose code a bundle of this entry holds or may load. */
function packagesReachedFrom(entry: string, imports: readonly Import[]): Import[] {
  const seen = new Set([entry])
  for (const file of seen) {
    for (const { from, target, typeOnly } of imports) if (from === file && !typeOnly) seen.add(target)
  }
  return imports.filter((found) => seen.has(found.from) && !found.typeOnly && isPackage(found))
}

const quickjs = /^(quickjs-emscripten|@jitl\/)(?!.*(\/wasm\b|\.wasm\b))/
const unreachable: readonly { readonly entry: string; readonly packages: RegExp }[] = [
  { entry: 'src/index.ts', packages: new RegExp(`^(openai|@anthropic-ai/|idb)|${quickjs.source}`) },
  { entry: 'workers/agent.worker.ts', packages: quickjs },
  { entry: 'workers/sandbox.worker.ts', packages: /^(openai|@anthropic-ai\/|idb|ajv|z-schema)/ },
]

function importViolations(files: Files): string[] {
  const imports = importsOf(files)
  const isAllowed = ({ from, target }: Import) => {
    const row = table.find(({ place }) => place.test(from))
    return row === undefined || row.may.some((pattern) => pattern.test(target))
  }
  const cycle = findCycle(files, imports)
  return [
    ...imports
      .filter((found) => !isPackage(found) && !isAllowed(found))
      .map(({ from, target }) => `${from} may not import ${target}`),
    ...imports
      .filter((found) => isPackage(found) && core.test(found.from))
      .map(({ from, specifier }) => `${from} may not import the package ${specifier}`),
    ...imports
      .filter(({ from, target, typeOnly }) => own('client').test(from) && wire.test(target) && !typeOnly)
      .map(({ from, target }) => `${from} may import only types from ${target}`),
    ...imports
      .filter((found) => published.test(found.from) && isRelative(found) && !/\.(js|json|wasm)$/.test(found.specifier))
      .map(({ from, specifier }) => `${from} imports '${specifier}' without .js at its end`),
    ...imports
      .filter(({ from, specifier }) => published.test(from) && !own('server').test(from) && isNodeBuiltin(specifier))
      .map(({ from, specifier }) => `${from} may not import the Node builtin ${specifier}`),
    ...unreachable.flatMap(({ entry, packages }) =>
      packagesReachedFrom(entry, imports)
        .filter(({ specifier }) => packages.test(specifier))
        .map(({ from, specifier }) => `${entry} may not reach ${specifier}, which ${from} imports`),
    ),
    ...(cycle.length > 0 ? [`Import cycle: ${cycle.join(' -> ')}`] : []),
  ]
}

function fileViolations([file, text]: readonly [string, string]): string[] {
  const found: string[] = []
  const lines = text.replace(/\n$/, '').split('\n').length
  if (!table.some(({ place }) => place.test(file))) found.push(`${file} is in no place that the table knows`)
  if (published.test(file) && lines > 250) found.push(`${file} has ${lines} lines, the most is 250`)
  if (forbiddenFolder.test(file)) found.push(`${file} is in a folder that says nothing: name the concept`)
  if (basename(file) === 'types.ts') found.push(`${file}: put each type where its concept lives`)
  if (published.test(file) && /^index\.tsx?$/.test(basename(file)) && !entries.test(file)) {
    found.push(`${file} is a barrel: import from the files`)
  }
  if (wire.test(file) && /^export\s+(?!type\b|interface\b)/m.test(codeOnly(text))) {
    found.push(`${file} may export only types`)
  }
  if (core.test(file)) {
    const code = codeOnly(text)
    for (const [name, pattern] of Object.entries(impure)) {
      if (pattern.test(code)) found.push(`${file} is in the core and may not use ${name}`)
    }
  }
  return found
}

const violations = (files: Files): string[] => [...[...files].flatMap(fileViolations), ...importViolations(files)]

const root = dirname(import.meta.dirname)

function readSources(): Files {
  const files = ['src', 'workers', 'demo', 'test', 'bench'].flatMap((folder) => {
    try {
      return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    } catch {
      return []
    }
  })
  return new Map(
    files
      .filter((file) => file.isFile() && /\.tsx?$/.test(file.name))
      .map((file) => join(file.parentPath, file.name))
      .filter((path) => path !== import.meta.filename)
      .map((path) => [relative(root, path).split(sep).join('/'), readFileSync(path, 'utf8')]),
  )
}

it('the sources keep the rules of the architecture', () => {
  const sources = readSources()
  expect(sources.size).toBeGreaterThan(0)
  expect(violations(sources)).toEqual([])
})

const empty = ''
const typesFrom = (specifier: string) => `import type { A } from '${specifier}'\n`

describe('the rules of the architecture', () => {
  const allowed: readonly { readonly name: string; readonly files: Record<string, string> }[] = [
    { name: 'core within core', files: { 'src/core/a.ts': typesFrom('./b.js'), 'src/core/b.ts': empty } },
    {
      name: 'runtime on contracts and tools',
      files: {
        'src/runtime/a.ts': `${typesFrom('../models/model.js')}import { gate } from '../tools/gate.js'`,
        'src/models/model.ts': empty,
        'src/tools/gate.ts': empty,
      },
    },
    {
      name: 'client on types of the wire',
      files: {
        'src/client/a.ts': typesFrom('../runtime/protocol.js'),
        'src/client/b.ts': `import { type A, type B } from '../runtime/protocol.js'`,
        'src/runtime/protocol.ts': 'export interface A {}\nexport type B = 1',
      },
    },
    { name: 'demo on public entries', files: { 'demo/a.tsx': `import { createAgent } from 'handrail'` } },
    { name: 'demo on a worker', files: { 'demo/a.ts': `import url from 'handrail/agent.worker?worker&url'` } },
    { name: 'builtins in server', files: { 'src/server/a.ts': `import 'node:http'` } },
    { name: 'lazy provider SDKs', files: { 'workers/agent.worker.ts': `await import('openai')` } },
    {
      name: 'the wasm file by its address',
      files: { 'workers/agent.worker.ts': `import url from '@jitl/x/wasm?url'` },
    },
    {
      name: 'words of the core in comments, strings and names',
      files: {
        'src/core/a.ts': `// await Date.now()\nconst s = "don't fetch(x)" // 'x'\nconst awaited = /'/.test(s)\n`,
      },
    },
  ]
  it.each(allowed)('allow $name', ({ files }) => {
    expect(violations(new Map(Object.entries(files)))).toEqual([])
  })

  const inCore = (code: string) => ({ 'src/core/a.ts': code })
  const forbidden: readonly { readonly files: Record<string, string>; readonly says: string }[] = [
    { files: inCore(typesFrom('../errors.js')), says: 'src/core/a.ts may not import src/errors.ts' },
    { files: inCore(typesFrom('ajv')), says: 'src/core/a.ts may not import the package ajv' },
    ...[
      ['src/errors.ts', './tools/tool.js', 'src/tools/tool.ts'],
      ['src/store/a.ts', '../tools/tool.js', 'src/tools/tool.ts'],
      ['src/sandbox/a.ts', '../store/store.js', 'src/store/store.ts'],
      ['src/models/openai/a.ts', '../../runtime/log.js', 'src/runtime/log.ts'],
      ['src/models/prompt-api/a.ts', '../history.js', 'src/models/history.ts'],
      ['src/tools/a.ts', '../models/model.js', 'src/models/model.ts'],
      ['src/runtime/a.ts', '../store/indexeddb.js', 'src/store/indexeddb.ts'],
      ['src/client/a.ts', '../runtime/log.js', 'src/runtime/log.ts'],
      ['src/client/a.ts', '../tools/gate.js', 'src/tools/gate.ts'],
      ['src/server/a.ts', '../client/run.js', 'src/client/run.ts'],
      ['src/ui/a.ts', '../errors.js', 'src/errors.ts'],
      ['src/testing/a.ts', '../client/agent.js', 'src/client/agent.ts'],
      ['src/testing/a.ts', '../store/indexeddb.js', 'src/store/indexeddb.ts'],
      ['src/index.ts', './models/model.js', 'src/models/model.ts'],
      ['src/worker.ts', '../workers/agent.worker.js', 'workers/agent.worker.ts'],
      ['workers/a.ts', '../demo/main.js', 'demo/main.ts'],
      ['demo/main.ts', '../src/core/next.js', 'src/core/next.ts'],
      ['src/client/a.ts', 'handrail/agent.worker', 'workers/agent.worker.ts'],
    ].map(([from = '', specifier = '', target = '']) => ({
      files: { [from]: typesFrom(specifier) },
      says: `${from} may not import ${target}`,
    })),
    {
      files: { 'src/client/a.ts': `import { a } from '../runtime/protocol.js'` },
      says: 'src/client/a.ts may import only types from src/runtime/protocol.ts',
    },
    {
      files: { 'src/runtime/protocol.ts': 'export const a = 1' },
      says: 'src/runtime/protocol.ts may export only types',
    },
    { files: { 'src/tools/a.ts': `import './b'` }, says: `src/tools/a.ts imports './b' without .js at its end` },
    {
      files: {
        'src/tools/a.ts': typesFrom('./b.js'),
        'src/tools/b.ts': typesFrom('./c.js'),
        'src/tools/c.ts': typesFrom('./a.js'),
      },
      says: 'Import cycle: src/tools/a.ts -> src/tools/b.ts -> src/tools/c.ts -> src/tools/a.ts',
    },
    ...['node:fs', 'fs', 'fs/promises'].map((specifier) => ({
      files: { 'src/store/a.ts': `import '${specifier}'` },
      says: `src/store/a.ts may not import the Node builtin ${specifier}`,
    })),
    {
      files: {
        'src/index.ts': `export { a } from './client/a.js'`,
        'src/client/a.ts': `import { b } from '../core/b.js'`,
        'src/core/b.ts': `const sdk = import('openai')`,
      },
      says: 'src/index.ts may not reach openai, which src/core/b.ts imports',
    },
    {
      files: { 'workers/agent.worker.ts': `import { a } from 'quickjs-emscripten-core'` },
      says: 'workers/agent.worker.ts may not reach quickjs-emscripten-core, which workers/agent.worker.ts imports',
    },
    ...Object.entries({
      'Date.now': 'const now = Date.now()',
      'new Date(': 'const now = new Date()',
      performance: 'const now = performance.now()',
      'Math.random': 'const id = Math.random()',
      'crypto.': 'const id = globalThis.crypto.randomUUID()',
      'fetch(': 'const page = `${fetch(url)}`',
      setTimeout: 'setTimeout(f)',
      setInterval: 'globalThis.setInterval(f)',
      queueMicrotask: 'queueMicrotask(f)',
      async: 'const f = async () => 1',
      await: 'for await (const x of y) f(x)',
    }).map(([name, code]) => ({ files: inCore(code), says: `src/core/a.ts is in the core and may not use ${name}` })),
    { files: { 'src/tools/a.ts': 'a\n'.repeat(251) }, says: 'src/tools/a.ts has 251 lines, the most is 250' },
    { files: { 'workers/a.ts': 'a\n'.repeat(251) }, says: 'workers/a.ts has 251 lines, the most is 250' },
    ...['utils', 'helpers', 'common', 'shared', 'misc'].map((folder) => ({
      files: { [`test/${folder}/a.ts`]: empty },
      says: `test/${folder}/a.ts is in a folder that says nothing: name the concept`,
    })),
    { files: { 'src/tools/types.ts': empty }, says: 'src/tools/types.ts: put each type where its concept lives' },
    { files: { 'src/tools/index.ts': empty }, says: 'src/tools/index.ts is a barrel: import from the files' },
    { files: { 'src/agents/a.ts': empty }, says: 'src/agents/a.ts is in no place that the table knows' },
  ]
  it.each(forbidden)('refuse: $says', ({ files, says }) => {
    expect(violations(new Map(Object.entries(files)))).toContain(says)
  })

  it.each([
    `import { a } from '../errors.js'`,
    `import * as a from "../errors.js"`,
    `import a, { type B } from '../errors.js'`,
    `import type { A } from '../errors.js'`,
    `import {\n  type A, // why\n  b,\n} from '../errors.js'`,
    `import '../errors.js'`,
    `export * from '../errors.js'`,
    `export * as a from '../errors.js'`,
    `export type { A } from '../errors.js'`,
    `const a = import('../errors.js')`,
    'const a = import(`../errors.js`)',
    `type A = import('../errors.js').A`,
  ])('see the import in %s', (code) => {
    expect(violations(new Map([['src/core/a.ts', code]]))).toContain('src/core/a.ts may not import src/errors.ts')
  })
})
