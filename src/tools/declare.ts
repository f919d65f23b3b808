import type { JsonObject, JsonSchema } from '../core/json.js'
import type { ToolDefinition } from '../core/tool-definition.js'
import { refuse, refuseUnknownFields, shown } from './refuse.js'
import { schemaChangedAt } from './schema-path.js'
import type { Approval, HostInput, OnFailure, Once, PageFunctions, Secret, Trust } from './declared.js'

/** Of what an author writes, before it is checked. */
interface Fields {
  readonly name: string
  readonly risk: string
  readonly once?: Once<never>
  readonly limits?: { readonly timeout?: number; readonly retries?: number; readonly output?: number }
  readonly approval?: Approval<never>
  readonly trust?: Trust
  readonly onFailure?: OnFailure
  readonly secret?: Secret
  readonly hostInput?: HostInput<Readonly<Record<string, unknown>>>
  readonly from?: Readonly<Record<string, string | readonly string[]>>
}
type Optional = Partial<ToolDefinition>

interface Declared {
  readonly definition: Pick<ToolDefinition, 'input'> & Optional
  readonly functions: {
    /** Something of it is asked before each start. */
    readonly isAsked: boolean
    readonly page: Partial<PageFunctions<never>>
  }
}

/** Groups, each with its fields. */
const groups = {
  once: ['idempotent', 'reconcile', 'repeat', 'locks'],
  limits: ['timeout', 'retries', 'output'],
  approval: ['needed', 'preview', 'expires'],
  trust: ['output', 'safe', 'openWorld'],
  onFailure: ['mayTryAnother', 'tellPerson'],
  secret: ['input', 'output'],
} as const

/**
 * Takes the groups of declarations apart: what crosses to the worker, and the functions that stay on the page.
 * @throws {HandrailError} `invalid_tool`, for what would be lost on the way; the rest is checked of the definition.
 */
export function toDeclared(
  tool: object,
  schemas: { readonly input: JsonSchema; readonly output: JsonSchema | undefined },
): Declared {
  const {
    name,
    risk,
    once = {},
    limits = {},
    approval = {},
    trust = {},
    onFailure,
    secret,
    hostInput,
    from,
  } = tool as Fields
  for (const [group, known] of Object.entries(groups)) {
    const value = (tool as Readonly<Record<string, unknown>>)[group]
    if (value !== undefined) refuseUnknownFields(name, value, known, group)
  }
  const callable = (field: string, kind: string, others: readonly string[] = []) => {
    if (kind === 'undefined' || kind === 'function' || others.includes(kind)) return kind === 'function'
    return refuse(
      name,
      `"${field}" must be a function${others.length > 0 ? ` or ${others.join(' or ')}` : ''}; it is ${kind}`,
    )
  }
  const reconciles = callable('once.reconcile', typeof once.reconcile)
  const previews = callable('approval.preview', typeof approval.preview)
  const decides = callable('approval.needed', typeof approval.needed, ['boolean'])
  const locks: unknown = once.locks
  const isLocked = locks !== undefined
  if (
    isLocked &&
    typeof locks !== 'function' &&
    !(Array.isArray(locks) && locks.every((lock) => typeof lock === 'string'))
  )
    refuse(name, `"once.locks" must be an array of names, or a function; it is ${shown(locks)}`)
  if (risk === 'read' && (tool as Fields).once) refuse(name, '"once" is for writes; "risk" is "read"')
  if (hostInput !== undefined) refuseUnknownFields(name, hostInput, Object.keys(hostInput), 'hostInput')
  const hosts = Object.entries(hostInput ?? {})
  for (const [field, fill] of hosts) callable(`hostInput.${field}`, typeof (fill ?? null))
  const needed = decides ? undefined : (approval.needed as boolean | undefined)
  const asks = { ...defined({ needed, expires: approval.expires }), ...(previews && { previews: true }) }
  const { input, output } = withReferences(name, schemas, secret)
  return {
    definition: {
      input,
      ...(output && { output }),
      ...(hosts.length > 0 && { hostInput: hosts.map(([field]) => field) }),
      ...(from !== undefined && { from: toLists(name, from) }),
      ...(Object.keys(asks).length > 0 && { approval: asks }),
      ...(reconciles && { reconciles: true }),
      ...defined({
        secret,
        onFailure,
        idempotent: once.idempotent,
        repeat: once.repeat,
        timeout: limits.timeout,
        retries: limits.retries,
        largestOutput: limits.output,
        trusted: trust.output,
        safe: trust.safe,
        openWorld: trust.openWorld,
      }),
    },
    functions: {
      isAsked: hosts.length > 0 || decides,
      page: {
        ...(reconciles && { reconcile: (call) => once.reconcile!(call) }),
        ...(previews && { preview: (given, context) => approval.preview!(given, context) }),
        ...(decides && {
          needed: (given, context) => (approval.needed as (...all: unknown[]) => boolean)(given, context),
        }),
        ...(hosts.length > 0 && { hostInput: hostInput as PageFunctions<never>['hostInput'] }),
        ...(isLocked && { locks: (given) => (typeof locks === 'function' ? locks(given) : locks) as string[] }),
      },
    },
  }
}

const defined = <T extends object>(fields: T): Partial<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>

function toLists(name: string, from: NonNullable<Fields['from']>): NonNullable<ToolDefinition['from']> {
  if (typeof from !== 'object' || from === null) return refuse(name, `"from" must be an object; it is ${shown(from)}`)
  return Object.fromEntries(
    Object.entries(from).map(([path, origins]) => [path, typeof origins === 'string' ? [origins] : origins]),
  )
}

const reference: JsonObject = { type: 'string', description: 'An opaque reference to a secret: pass it on as it is.' }

/** Whoever reads the schemas of a tool with secrets sees texts in their places. */
function withReferences(
  name: string,
  { input, output }: Parameters<typeof toDeclared>[1],
  secret: Fields['secret'],
): Parameters<typeof toDeclared>[1] {
  const replaced = (schema: JsonSchema, paths: unknown, side: string): JsonSchema => {
    if (paths === undefined) return schema
    if (!Array.isArray(paths)) return refuse(name, `"secret.${side}" must be an array of paths; it is ${shown(paths)}`)
    return paths.reduce((made: JsonSchema, path: unknown) => {
      try {
        return schemaChangedAt(made, String(path), () => reference) ?? made
      } catch {
        // What is no path is refused with the definition.
        return made
      }
    }, schema)
  }
  return {
    input: replaced(input, secret?.input, 'input'),
    output: output && replaced(output, secret?.output, 'output'),
  }
}
