import type { PreludeVersion } from '../engine-name.js'
import { Engine } from './engine.js'
import type { Handle } from './engine.js'
import { createInstance } from './instance.js'
import { prelude1 } from './prelude-1.js'
import { prelude2 } from './prelude-2.js'

/** A guest of no script yet: an engine that has compiled the prelude, and run nothing. It can be made before it is asked for. */
export interface PreparedGuest {
  /** Bytes; what it was prepared with. */
  readonly memory: number
  readonly version: PreludeVersion
  readonly engine: Engine
  /** The function that the prelude is. */
  readonly prelude: Handle
}

const preludes = { 1: prelude1, 2: prelude2 }

/** @param memory bytes; the least is 16 MB */
export async function prepareGuest(
  module: WebAssembly.Module,
  memory: number,
  version: PreludeVersion,
): Promise<PreparedGuest> {
  const engine = new Engine(await createInstance(module, memory))
  const { error, value } = engine.evaluate(preludes[version], 'prelude.js')
  if (error !== undefined) throw new Error('Cannot start the isolate: its prelude does not compile')
  return { memory, version, engine, prelude: value }
}
