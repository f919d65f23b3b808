import type { Draw } from './draw.js'

/** How deep the parts of a program are nested. */
const deepest = 3

const head = `const notes = []
const shared = { n: 0, max: 0 }
const note = (...what) => { notes.push(what.join(' ')); if (notes.length % 5 === 0) print(notes.length, what) }
const call = async (name, input) => {
  try {
    const { v } = await tools[name]({ ...input, now: Date.now(), draw: Math.random(), n: shared.n })
    note(name, v)
    return v
  } catch (e) {
    note(name, e.name, e.code, e.retryable)
    throw e
  }
}
const safe = (promise) => promise.catch((e) => e.code ?? e.message)`

/** A random script of some twenty lines, in the manner of models: what it does depends on the order of the results. */
export function toProgram(draw: Draw): string {
  let names = 0
  const name = () => `v${names++}`
  const tool = () => `'${draw.pick(['get', 'list', 'save'])}'`
  const several = (most: number) => draw.whole(1, most)
  const list = (count: number, each: () => string) => Array.from({ length: count }, each)
  const indent = (text: string) => text.replaceAll(/^/gm, '  ')

  const block = (depth: number, most = 3): string => list(several(most), () => statement(depth)).join('\n')
  const branch = (depth: number): string => `async () => {\n${indent(block(depth + 1, 2))}\n  return shared.n\n}`
  const branches = (depth: number): string => list(draw.whole(2, 3), () => `(${branch(depth)})()`).join(', ')

  /** What needs no calls inside of other parts. */
  const simple: readonly (() => string)[] = [
    () => `await safe(call(${tool()}, { i: ${draw.whole(0, 9)} }))`,
    () => `note('random', Math.floor(Math.random() * 1e6), new Date().toISOString())`,
    () => `await sleep(${draw.whole(0, 50)})\nnote('slept', Date.now())`,
    () => `await new Promise((resolve) => setTimeout(resolve, ${draw.whole(0, 50)}))`,
    () => `const before${names} = shared.n; await safe(call(${tool()}, {})); shared.n = before${names++} + 1`,
    () => `shared.n++; shared.max = Math.max(shared.max, notes.length)`,
    () => `state.count = (state.count ?? 0) + ${draw.whole(1, 3)}; print('state', state)`,
    () => {
      const late = name()
      return `const ${late} = safe(call(${tool()}, { late: true }))\nnote('meanwhile', shared.n)\nnote('late', await ${late})`
    },
    () =>
      `note('settled', (await Promise.allSettled(${`[${list(several(4), () => `call(${tool()}, {})`).join(', ')}]`})).map((s) => s.status).join())`,
    () => `for (let i = 0; i < ${several(4)}; i++) await safe(call(${tool()}, { i }))`,
    () =>
      `await Promise.all([1, 2, 3, 4, 5].slice(0, ${several(5)}).map(async (id) => { await safe(call(${tool()}, { id })); shared.n += id }))`,
    () => `safe(call(${tool()}, { forgotten: true }))`,
    () => `queueMicrotask(() => note('microtask', shared.n))`,
  ]

  const nested: readonly ((depth: number) => string)[] = [
    (depth) => `note('all', await safe(Promise.all([${branches(depth)}])))`,
    (depth) => `note('race', await safe(Promise.race([${branches(depth)}])))`,
    (depth) => `note('any', await safe(Promise.any([${branches(depth)}])))`,
    (depth) =>
      `try {\n${indent(block(depth + 1, 2))}\n  await call(${tool()}, {})\n} catch (e) { note('caught', e.code) } finally { shared.n++ }`,
    (depth) =>
      `try {\n${indent(block(depth + 1, 2))}\n  throw new Error('mine')\n} catch (e) {\n  note(e.message)\n  await safe(call(${tool()}, {}))\n} finally {\n${indent(block(depth + 1, 1))}\n}`,
    () =>
      `for (let i = 0; i < 3; i++) {\n  try { await call(${tool()}, { i }); break } catch (e) { if (i === 2) note('gave up'); else await sleep(i * 10) }\n}`,
    (depth) =>
      `for await (const x of (async function* () {\n  for (let i = 0; i < ${several(3)}; i++) {\n${indent(indent(block(depth + 1, 1)))}\n    yield i + (await safe(call(${tool()}, { i })))\n  }\n})()) note('yielded', x)`,
    (depth) =>
      `if (${draw.pick(['shared.n % 2', 'Math.random() < 0.5', 'notes.length > 4', 'Date.now() % 2'])}) {\n${indent(block(depth + 1, 2))}\n} else {\n${indent(block(depth + 1, 1))}\n}`,
    (depth) =>
      `{\n  const timer = setTimeout(() => note('timer', shared.n), ${draw.whole(0, 40)})\n${indent(block(depth + 1, 1))}\n  if (shared.n % 2) clearTimeout(timer)\n}`,
  ]

  const statement = (depth: number): string =>
    depth < deepest && draw.chance(0.4) ? draw.pick(nested)(depth) : draw.pick(simple)()

  const end = draw.pick([
    'return { notes, shared }',
    'return { notes, shared, at: Date.now(), draw: Math.random() }',
    `await call(${tool()}, { last: true })\nreturn { notes }`,
    `if (Math.random() < 0.3) throw new Error('at the end')\nreturn { notes }`,
  ])
  return `${head}\n${block(0, 5)}\n${end}`
}
