import { builtInNames } from '../core/built-ins.js'
import type { Json } from '../core/json.js'
import { versionOf } from './engine-name.js'
import type { Completion, Engine, Handle } from './engine.js'
import type { GuestOptions } from './guest.js'
import type { Natives } from './natives.js'
import { prelude1 } from './prelude-1.js'
import { prelude2 } from './prelude-2.js'

/** What the prelude gives the host, and no script sees. */
export interface Ours {
  readonly copy: Handle
  readonly show: Handle
  readonly describe: Handle
  readonly makeError: Handle
  readonly site: Handle
}

const consoleMethods = ['log', 'info', 'warn', 'error', 'debug'] as const

/** Gives a fresh guest the globals of the version that its log names. */
export function install(
  engine: Engine,
  toHandle: (value: Json) => Handle,
  natives: Natives,
  { engine: name, tools }: GuestOptions,
  state: Handle,
): Ours {
  const version = versionOf(name)
  if (version === undefined) throw new Error(`Cannot start the isolate: there is no engine "${name}"`)
  const defineOn = (object: Handle, name: string, value: Handle, enumerable: boolean) => {
    const key = toHandle(name)
    engine.define(object, key, value, enumerable)
    engine.free(key)
  }

  const toolsHandle = engine.newRecord()
  for (const [i, tool] of tools.entries()) {
    const native = natives.toolToHandle(i)
    defineOn(toolsHandle, tool, native, true)
    engine.free(native)
  }
  const print = natives.toHandle('print')
  const console = toHandle({})
  for (const method of consoleMethods) defineOn(console, method, print, true)
  const globals = { tools: toolsHandle, print, console, ...(version > 1 && { state, text: print }) }
  const global = engine.global()
  for (const [key, value] of Object.entries(globals)) defineOn(global, key, value, false)
  const boot = own(engine.evaluate(version === 1 ? prelude1 : prelude2, 'prelude.js'))
  const ours = own(engine.call(boot, natives.toHandle('isPromise'), version === 1 ? toolsHandle : ourHost()))
  const [copy, show, describe, makeError, site] = [0, 1, 2, 3, 4].map((i) => engine.item(ours, i)) as Five
  return { copy, show, describe, makeError, site }

  /** What the prelude of version 2 makes its globals of. */
  function ourHost(): Handle {
    const host = engine.newRecord()
    defineOn(host, 'tools', toolsHandle, true)
    for (const name of builtInNames) {
      const shown = name.slice('script.'.length)
      defineOn(host, shown, natives.toHandle(name, shown), true)
    }
    return host
  }
}

type Five = [Handle, Handle, Handle, Handle, Handle]

function own({ error, value }: Completion): Handle {
  if (error !== undefined) throw new Error('Cannot start the isolate: its prelude throws')
  return value
}
