import type { ScriptLimits } from './script-limits.js'

/** What the engine can be given at all; of the other limits, any number above 0. */
const ranges: Readonly<Partial<Record<keyof ScriptLimits, readonly [least: number, most: number]>>> = {
  cpuMs: [1, 3_600_000],
  memoryBytes: [1, 2 ** 31],
  stackBytes: [16 << 10, 4 << 20],
}

/** What is wrong with a limit, as what it must be; nothing when it is right. */
export function limitFault(name: keyof ScriptLimits, value: unknown): string | undefined {
  const [least, most] = ranges[name] ?? [undefined, undefined]
  const isNumber = typeof value === 'number' && Number.isFinite(value) && value > 0
  if (least === undefined) return isNumber ? undefined : 'must be a number above 0'
  return isNumber && value >= least && value <= most ? undefined : `must be a number from ${least} to ${most}`
}
