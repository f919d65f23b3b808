import { builtInNames } from '../core/built-ins.js'
import type { Json } from '../core/json.js'
import type { Engine, Handle } from './engine.js'
import type { GuestError, GuestOptions } from './guest.js'

/** The functions of the host that the guest can call, by name. */
export interface Natives {
  /** Makes one of them a function of the guest. */
  toHandle(name: 'isPromise' | 'print' | BuiltIn, shownAs?: string): Handle
  toolToHandle(index: number): Handle
  /** What the engine asks for by number. */
  call(id: number, args: readonly Handle[]): Handle
}
type BuiltIn = (typeof builtInNames)[number]

export interface NativesOptions extends GuestOptions {
  /** Throws in the guest. */
  refuse(error: GuestError): Handle
}

const first = ['isPromise', 'print', ...builtInNames] as const

export function createNatives(engine: Engine, toHandle: (value: Json) => Handle, options: NativesOptions): Natives {
  const { tools } = options
  return {
    toHandle: (name, shownAs = name) => engine.newFunction(shownAs, first.indexOf(name)),
    toolToHandle: (index) => engine.newFunction(tools[index]!, first.length + index),
    call(id, args) {
      const name = first[id]
      if (name === undefined) return options.callTool(tools[id - first.length]!, args)
      if (name === 'isPromise') return toHandle(args[0] !== undefined && engine.promiseState(args[0]) !== undefined)
      if (name !== 'print') return options.callTool(name, args)
      options.print(args)
      return engine.newUndefined()
    },
  }
}
