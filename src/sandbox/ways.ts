/** What models write that no script can be, and what to write instead. */
const syntaxWays: readonly (readonly [isIn: (source: string) => boolean, way: string])[] = [
  [
    (source) => /^[ \t]*import\b/m.test(source),
    'A script has no import: the tools are there as tools.NAME(input), and JavaScript is all there is.',
  ],
  [hasElement, 'A script has no JSX: return plain data.'],
]

/** An element that closes itself, or one that is closed. One pass: a script may be one long row of beginnings. */
function hasElement(source: string): boolean {
  const opened = new Set<string>()
  for (const [, slash, name, rest] of source.matchAll(/<(\/?)([A-Za-z][\w.]*)(?![\w.])([^<>]*)>/g)) {
    if (slash === '' ? rest!.endsWith('/') : opened.has(name!)) return true
    opened.add(name!)
  }
  return false
}

export const syntaxWay = (source: string): string | undefined => syntaxWays.find(([isIn]) => isIn(source))?.[1]

const noNetwork = 'A script has no network: call a tool.'
const noModules = 'A script has no modules: call a tool.'
const noNode = 'A script is not in Node: what it needs comes from tools.'
const noPage = 'A script does not see the page: call a tool.'
const noStorage = 'Keep what later scripts need in "state".'

/** Globals that models expect, and what a script has instead of them. */
const absentWays: Readonly<Record<string, string>> = {
  fetch: noNetwork,
  XMLHttpRequest: noNetwork,
  WebSocket: noNetwork,
  EventSource: noNetwork,
  axios: noNetwork,
  require: noModules,
  module: 'A script has no modules: return the result.',
  exports: 'A script has no modules: return the result.',
  process: noNode,
  Buffer: 'A script is not in Node: use strings, Uint8Array, TextEncoder, atob and btoa.',
  __dirname: noNode,
  __filename: noNode,
  global: 'Write globalThis.',
  document: noPage,
  window: noPage,
  self: noPage,
  navigator: noPage,
  location: noPage,
  alert: 'A script does not see the page: print(...) shows a text.',
  localStorage: noStorage,
  sessionStorage: noStorage,
  indexedDB: noStorage,
  setImmediate: 'Use setTimeout.',
}

/** What to do about an exception that is typical of a script written for another place. */
export function absentWay(message: string, frame: string, tools: readonly string[]): string | undefined {
  const [, name = ''] = /^'?([\w$]+)'? is not defined$/.exec(message) ?? []
  if (Object.hasOwn(absentWays, name)) return absentWays[name]
  if (tools.includes(name)) return `Write tools.${name}.`
  if (message === 'not a function' && /\btools\s*[.[]/.test(frame)) return `The tools are ${listed(tools)}.`
  return undefined
}

/** Tools that a hint names. */
const mostNamed = 20
const listed = (tools: readonly string[]): string =>
  tools.length <= mostNamed
    ? tools.join(', ') || 'none'
    : `${tools.slice(0, mostNamed).join(', ')} and ${tools.length - mostNamed} more`
