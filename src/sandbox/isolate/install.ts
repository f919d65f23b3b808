import { builtInNames } from '../../core/built-ins.js'
import type { Json } from '../../core/json.js'
import { spacedName } from '../../core/tool-space.js'
import type { Completion, Handle } from './engine.js'
import type { GuestOptions } from './guest-options.js'
import { preludeNatives, type Natives } from './natives.js'
import { table2 } from './prelude-2.js'
import type { PreparedGuest } from './prepared-guest.js'

/** What the prelude gives the host, and no script sees. */
export interface Ours {
  /** An error that knows where the guest is now. */
  site(): Completion
  call(name: OurFunction, ...args: readonly [Handle] | readonly [Handle, Handle]): Completion
}
export type OurFunction = (typeof ourFunctions)[number]

const ourFunctions = ['copy', 'show', 'describe', 'makeError'] as const
const consoleMethods = ['log', 'info', 'warn', 'error', 'debug'] as const

/** Gives a prepared guest the globals of its version. */
export function install(
  { engine, version, prelude }: PreparedGuest,
  toHandle: (value: Json) => Handle,
  natives: Natives,
  { tools }: GuestOptions,
  state: Handle,
): Ours {
  const defineOn = (object: Handle, name: string, value: Handle, enumerable: boolean) => {
    const key = toHandle(name)
    engine.define(object, key, value, enumerable)
    engine.free(key)
  }
  const toolsHandle = engine.newRecord()
  const names = new Set(tools)
  const spaces = new Map<string, Handle>()
  for (const [i, tool] of tools.entries()) {
    const native = natives.toolToHandle(i)
    defineOn(toolsHandle, tool, native, true)
    const spaced = version === 1 ? undefined : spacedName(tool)
    if (spaced && !names.has(spaced.space)) {
      const record = spaces.get(spaced.space) ?? engine.newRecord()
      spaces.set(spaced.space, record)
      defineOn(record, spaced.name, native, true)
    }
    engine.free(native)
  }
  const print = natives.toHandle('print')
  const isPromise = natives.toHandle('isPromise')
  const global = engine.global()
  defineOn(global, 'tools', toolsHandle, false)
  return version === 1 ? installFirst() : installSecond()

  function installFirst(): Ours {
    const console = toHandle({})
    for (const method of consoleMethods) defineOn(console, method, print, true)
    defineOn(global, 'print', print, false)
    defineOn(global, 'console', console, false)
    const ours = own(engine.call(prelude, isPromise, toolsHandle))
    const [site, ...functions] = [4, 0, 1, 2, 3].map((i) => engine.item(ours, i)) as [Handle, ...Handle[]]
    return {
      site: () => engine.call(site),
      call: (name, ...args) => engine.call(functions[ourFunctions.indexOf(name)]!, ...args),
    }
  }

  function installSecond(): Ours {
    const host = engine.newRecord()
    const given = { state, print, isPromise, table: toHandle(table2) }
    for (const [name, value] of Object.entries(given)) defineOn(host, name, value, true)
    for (const name of [...builtInNames, ...preludeNatives]) {
      const shown = name.replace(/^script\./, '')
      defineOn(host, shown, natives.toHandle(name, shown), true)
    }
    const ours = own(engine.call(prelude, host))
    const [site, load, freeze] = [0, 1, 2].map((i) => engine.item(ours, i)) as [Handle, Handle, Handle]
    for (const [space, record] of spaces) {
      own(engine.call(freeze, record))
      defineOn(toolsHandle, space, record, false)
    }
    own(engine.call(freeze, toolsHandle))
    let functions: Handle[] | undefined
    return {
      site: () => engine.call(site),
      call(name, ...args) {
        if (!functions) {
          const loaded = engine.call(load)
          // It can fail where the guest's stack is nearly full, and be right the next time.
          if (loaded.error !== undefined) return loaded
          functions = ourFunctions.map((_, i) => engine.item(loaded.value, i))
        }
        return engine.call(functions[ourFunctions.indexOf(name)]!, ...args)
      },
    }
  }
}

function own({ error, value }: Completion): Handle {
  if (error !== undefined) throw new Error('Cannot start the isolate: its prelude throws')
  return value
}
