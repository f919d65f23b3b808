import { builtInNames } from '../../core/built-ins.js'
import type { Json } from '../../core/json.js'
import { decode } from './codec.js'
import type { Completion, Engine, Handle } from './engine.js'
import { parts } from '../globals/guest-parts.js'
import { createHostValues, type HostValues } from '../globals/host-values.js'
import type { TimeZone } from '../globals/time-zone.js'
import type { GuestError, GuestOptions } from './guest-options.js'

/** The functions of the host that the guest can call, by name. */
export interface Natives {
  /** Makes one of them a function of the guest. */
  toHandle(name: (typeof first)[number], shownAs?: string): Handle
  toolToHandle(index: number): Handle
  /** What the engine asks for by number. */
  call(id: number, args: readonly Handle[]): Handle
}

export interface NativesOptions extends GuestOptions {
  readonly zone: TimeZone
  /** Throws in the guest. */
  refuse(error: GuestError): Handle
}

/** What only the prelude of version 2 is given, and no script sees. */
export const preludeNatives = ['part', 'value', 'local', 'fail'] as const
const first = ['isPromise', 'print', ...builtInNames, ...preludeNatives] as const

export function createNatives(engine: Engine, toHandle: (value: Json) => Handle, options: NativesOptions): Natives {
  const { tools } = options
  let values: HostValues | undefined

  function answer(name: (typeof first)[number], args: readonly Handle[]): Handle {
    const [given] = args
    switch (name) {
      case 'isPromise':
        return toHandle(given !== undefined && engine.promiseState(given) !== undefined)
      case 'print':
        options.print(args)
        return engine.newUndefined()
      case 'part':
        return partOf(given)
      case 'value':
        values ??= createHostValues(options)
        return engine.read(values.answer(given && engine.write(given)))
      case 'local':
        options.zone.readLocal(given !== undefined && toJson(given) === true)
        return engine.newUndefined()
      case 'fail':
        if (given !== undefined) options.fail(given)
        return engine.newUndefined()
      default:
        return options.callTool(name, args)
    }
  }

  /** A part of the prelude that is evaluated on first use. */
  function partOf(given: Handle | undefined): Handle {
    const name = given && toJson(given)
    if (typeof name !== 'string' || !Object.hasOwn(parts, name))
      return options.refuse({ type: 'TypeError', code: 'failed', message: 'There is no such part of the prelude' })
    const { error, value }: Completion = engine.evaluate(parts[name as keyof typeof parts], 'prelude.js')
    return error === undefined ? value : engine.throw(error)
  }

  function toJson(value: Handle): Json | undefined {
    const bytes = engine.write(value)
    return bytes && decode(bytes, 1000).value
  }

  return {
    toHandle: (name, shownAs = name) => engine.newFunction(shownAs, first.indexOf(name)),
    toolToHandle: (index) => engine.newFunction(tools[index]!, first.length + index),
    call(id, args) {
      const name = first[id]
      return name === undefined ? options.callTool(tools[id - first.length]!, args) : answer(name, args)
    },
  }
}
