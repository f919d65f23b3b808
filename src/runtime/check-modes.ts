import type { RunModes } from '../core/approval.js'
import { isBuiltIn } from '../core/built-ins.js'
import type { ToolSet } from '../tools/tool-set.js'

const flags = ['readOnly', 'askAll'] as const

/** What is wrong with the modes of a run, naming the option and what it must be. They may come from another tab. */
export function modesFault(modes: RunModes, tools: ToolSet): string | undefined {
  if (typeof modes !== 'object' || modes === null || Array.isArray(modes)) return 'modes must be an object'
  const other = Object.keys(modes).find((key) => key !== 'allow' && !flags.some((flag) => flag === key))
  if (other !== undefined) return `there is no mode "${other.slice(0, 80)}", only allow, readOnly and askAll`
  for (const flag of flags) {
    const value: unknown = modes[flag]
    if (value !== undefined && typeof value !== 'boolean')
      return `"${flag}" must be true or false; it is ${typeof value}`
  }
  const allow: unknown = modes.allow
  if (allow === undefined) return undefined
  if (!Array.isArray(allow) || !allow.every((name) => typeof name === 'string'))
    return '"allow" must be an array of names of tools'
  const unknown = allow.find((name: string) => !tools.get(name) || isBuiltIn(name))
  return unknown === undefined ? undefined : `"allow" names "${String(unknown)}", which is no tool here`
}
