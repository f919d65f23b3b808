const python = 'A script is JavaScript, not Python.'
const shell = 'A script is JavaScript, and there is no shell: call a tool.'

/** What models write that no script can be, and what to write instead; looked for in the line that does not compile. */
const syntaxWays: readonly (readonly [pattern: RegExp, way: string])[] = [
  [/^\s*(?:import\s+[\w.]+(?:\s+as\s+\w+)?\s*$|from\s+[\w.]+\s+import\b)/, python],
  [
    /^\s*import\b(?!\s*\()/,
    'A script has no import: the tools are there as tools.NAME(input), and JavaScript is all there is.',
  ],
  [/^\s*export\s*[{*]/, 'A script exports nothing: return the result.'],
  [/(?<![\w$)\]])<(?:[A-Za-z][\w.]*(?:\s[^<>]*)?\/?)?>/, 'A script has no JSX: return plain data.'],
  [/(?:^|[{;])\s*@\w/, 'A script has no decorators: call the function yourself.'],
  [/^\s*(?:def\s+\w+\s*\(|elif\b|except\b|pass\s*$|print\s+["'\w]|raise\s+\w+\()|\bis\s+(?:not\s+)?None\b/, python],
  [/^\s*(?:(?:if|for|while|with|class)\b[^{]*|else|try|finally):\s*$/, python],
  [/^\s*(?:curl|wget|npm|npx|pip3?|cd|ls|cat|echo|grep|git|sudo|bash|sh|node|python3?)\s+[-\w./"'$~]/, shell],
  [/^\s*(?:SELECT|INSERT|UPDATE|DELETE)\s+\S/, 'A script is JavaScript: hand a query to a tool that takes one.'],
  [/^\s*(?:await\s+)?using\s+[\w$]+\s*=/, 'A script has no "using": write const, and end it yourself.'],
  [/[“”„‘’]/, 'Write straight quotes: " or \'.'],
  [/^\s*[A-Z][a-z']*(?: [\w',]+){2,}[.:!]?\s*$/, 'Only the script belongs here: put words into comments.'],
]

/** @param column from 1, where the compiler stopped: at the end of the text, if that is why it did */
export function syntaxWay(line: string, column: number, isAtEnd: boolean): string | undefined {
  if (/(?<![\w$.])await\s+$/.test(line.slice(0, column - 1)))
    return 'await works only in async functions: write async before the function around it.'
  const way = syntaxWays.find(([pattern]) => pattern.test(line))?.[1]
  return way ?? (isAtEnd ? 'The script ends too early: something that it opened is not closed.' : undefined)
}

const noNetwork = 'A script has no network: call a tool.'
const noModules = 'A script has no modules: call a tool.'
const noNode = 'A script is not in Node: what it needs comes from tools.'
const noPage = 'A script does not see the page: call a tool.'
const noStorage = 'Keep what later scripts need in "state".'
const noLibrary = 'A script has no libraries: write it in plain JavaScript.'
const noAbort = 'Race a call with sleep: await Promise.race([call, sleep(ms)]).'
const noStreams = 'Use strings and Uint8Array.'
const noThreads = 'A script has one thread: run calls side by side with Promise.all.'
const noEvents = 'Call functions directly.'
const otherTools = 'The tools are there as tools.NAME(input).'

/** Globals that models expect, and what a script has instead of them. */
const absentWays: Readonly<Record<string, string>> = {
  fetch: noNetwork,
  XMLHttpRequest: noNetwork,
  WebSocket: noNetwork,
  EventSource: noNetwork,
  Request: noNetwork,
  Response: noNetwork,
  Headers: noNetwork,
  axios: noNetwork,
  require: noModules,
  module: 'A script has no modules: return the result.',
  exports: 'A script has no modules: return the result.',
  process: noNode,
  fs: noNode,
  path: noNode,
  Deno: noNode,
  Bun: noNode,
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
  confirm: 'A script asks nobody: a tool that needs a person asks by itself.',
  prompt: 'A script asks nobody: return what you must know, and ask in your answer.',
  localStorage: noStorage,
  sessionStorage: noStorage,
  indexedDB: noStorage,
  setImmediate: 'Use setTimeout.',
  requestAnimationFrame: 'Use setTimeout.',
  AbortController: noAbort,
  AbortSignal: noAbort,
  Temporal: 'Use Date and Intl.',
  Blob: noStreams,
  File: noStreams,
  FormData: noStreams,
  ReadableStream: noStreams,
  Worker: noThreads,
  MessageChannel: noThreads,
  BroadcastChannel: noThreads,
  SharedWorker: noThreads,
  WebAssembly: 'A script is JavaScript alone.',
  importScripts: noModules,
  Event: noEvents,
  CustomEvent: noEvents,
  EventTarget: noEvents,
  EventEmitter: noEvents,
  _: noLibrary,
  $: noLibrary,
  lodash: noLibrary,
  moment: noLibrary,
  dayjs: noLibrary,
  React: noLibrary,
  functions: otherTools,
  codemode: otherTools,
  mcp: otherTools,
  callTool: otherTools,
  call_tool: otherTools,
  None: 'Write null.',
  True: 'Write true.',
  False: 'Write false.',
  len: 'Write .length.',
  str: 'Write String(...).',
  range: 'Write for (let i = 0; i < n; i++).',
  json: 'Write JSON.parse and JSON.stringify.',
}

const theIntl =
  'Intl has NumberFormat, DateTimeFormat, ListFormat, PluralRules, RelativeTimeFormat, Collator and DisplayNames.'

/** The engine gives such a place as the last call before it, which may be lines above. */
const takenWays = {
  'cannot convert to object': 'Here or in the next lines, { ... } = takes from what is null or undefined.',
  'value is not iterable': 'Here or in the next lines, what is no list is spread, looped over or taken by [ ... ] =.',
}

/** Where an exception comes from. */
export interface Site {
  readonly line: string
  /** The text up to the place in it, with some lines above. */
  readonly before: string
  /** The function of the language that was called there, if it threw. */
  readonly native?: string
}

/** What to do about an exception that is typical of a script written for another place, or that says too little. */
export function absentWay(
  message: string,
  { line, before, native }: Site,
  tools: readonly string[],
): string | undefined {
  const [, name] = /^'?([\w$]+)'? is not defined$/.exec(message) ?? []
  if (name !== undefined) return undefinedWay(name, line, tools)
  if (message.startsWith('could not load module')) return noModules
  if (message === 'not a function' && line.includes('captureStackTrace')) return 'Leave captureStackTrace out.'
  if (/^not a (?:constructor|function)$/.test(message) && line.includes('Intl.')) return theIntl
  if (message === 'not a function' && before.endsWith('Array.fromAsync')) return 'Write await Promise.all(list).'
  if (message === 'cannot convert to object' || message === 'value is not iterable')
    return native === undefined ? takenWays[message] : undefined
  if (message !== 'not a function') return undefined
  return native === undefined ? uncallableWay(before, tools) : `${native} needs a function.`
}

/** The engine does not say what it is that is not a function: it stands before the place. */
function uncallableWay(before: string, tools: readonly string[]): string | undefined {
  const callee = /[\w$]+(?:\s*\??\.\s*[\w$]+|\[[^[\]\n]{1,60}\])*\s*$/.exec(before)?.[0].replaceAll(/\s+/g, '')
  if (callee === undefined || callee.length > 100) return undefined
  if (/^tools\b/.test(callee)) return `The tools are ${listed(tools)}.`
  const isMember = before.trimEnd().slice(0, -callee.length).endsWith('.')
  const [, object] = /^(.*[^?])\??\.[\w$]+$/.exec(callee) ?? []
  const way = object === undefined || isMember ? '' : `: print(${object}) shows what it is`
  return `${isMember ? '….' : ''}${callee} is not a function${way}.`
}

function undefinedWay(name: string, line: string, tools: readonly string[]): string | undefined {
  if (tools.includes(name)) return `Write tools.${name}.`
  if (tools.includes(name.replace('external_', ''))) return `Write tools.${name.replace('external_', '')}.`
  if (tools.some((tool) => tool.startsWith(`${name}__`))) return `Write tools.${name}.`
  const escaped = name.replaceAll('$', '\\$')
  if (new RegExp(`tools[\\w$.]*\\((?:[^()]*,)?\\s*${escaped}\\s*=[^=]`).test(line))
    return `A tool takes one object: write tools.NAME({ ${name}: ... }).`
  if (Object.hasOwn(absentWays, name)) return absentWays[name]
  return new RegExp(`(?<![\\w$.])${escaped}\\s*=[^=>]`).test(line) ? `Declare it: let ${name} = ...` : undefined
}

/** Tools that a hint names. */
const mostNamed = 20
const listed = (tools: readonly string[]): string =>
  tools.length <= mostNamed
    ? tools.join(', ') || 'none'
    : `${tools.slice(0, mostNamed).join(', ')} and ${tools.length - mostNamed} more`
