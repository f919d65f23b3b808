export interface ToolContext {
  /** Aborted when the run is cancelled or the call takes longer than its timeout. */
  readonly signal: AbortSignal
  readonly runId: string
  readonly callId: string
  /** The same for every attempt at this call: hand it to a server that keeps a ledger of keys. */
  readonly idempotencyKey: string
}
/** What a function is told that decides about a call: its `signal` is aborted when nobody waits for the answer any more. */
export interface CheckContext extends Pick<ToolContext, 'signal' | 'runId' | 'callId'> {
  readonly session: string
}

export type ReconcileResult =
  | { readonly state: 'done'; readonly output: unknown }
  | { readonly state: 'void' | 'unknown' }

/** How a write keeps to at most one effect. Where nothing is declared, the outcome of one that is interrupted is unknown. */
export interface Once<Input> {
  /** The same key never has a second effect: an interrupted call is sent again. Default false. */
  readonly idempotent?: boolean
  /** Looks for the effect of an earlier call: `void` if there is none, and a late request with its key is refused. */
  reconcile?(call: {
    readonly idempotencyKey: string
    readonly input: Input
  }): ReconcileResult | Promise<ReconcileResult>
  /** What a second call with the same input in a session does. Default `ask`. */
  readonly repeat?: 'ask' | 'allow' | 'deny'
  /** Names of what must not be changed by two calls at once, in any tab of this origin. */
  readonly locks?: readonly string[] | ((input: Input) => readonly string[])
}

/** Asked before each start. A rejection denies the call. */
export type HostInput<Input> = {
  readonly [Field in keyof Input]?: (context: CheckContext) => Input[Field] | Promise<Input[Field]>
}

/** JSON Pointers, `*` for every item. What is there is a text to the model, to scripts and in the log: a reference. */
export interface Secret {
  readonly input?: readonly string[]
  readonly output?: readonly string[]
}

export interface Approval<Input> {
  /**
   * False: the risk alone does not ask, unless it is `sensitive`. True, or a reason: a person is asked whatever the policy says.
   * Absent: as the policy says.
   */
  readonly needed?: boolean | ((input: Input, context: CheckContext) => boolean | string | Promise<boolean | string>)
  /** A dry run, which changes nothing: the person is shown what it returns. */
  preview?(input: Input, context: CheckContext): unknown
  /** Milliseconds in which it must be answered. Absent: any time. */
  readonly expires?: number
}

export interface Trust {
  /** Its output is the app's own words. Default false: it is told as data, and later writes of the session ask. */
  readonly output?: boolean
  /** It does as the policy says also after untrusted text was read. Default false. */
  readonly safe?: boolean
  /** A read that sends its input away from the app: it asks after untrusted text was read. Default false. */
  readonly openWorld?: boolean
}

export interface OnFailure {
  /** False: the model is told not to try another tool in its place. Default true. */
  readonly mayTryAnother?: boolean
  /** The app is told to tell a person. Default false. */
  readonly tellPerson?: boolean
}

/** What stays on the page of a tool's declarations. */
export interface PageFunctions<Input> {
  /** Whether a person must be asked, or why. */
  needed?(input: Input, context: CheckContext): boolean | string | Promise<boolean | string>
  preview?(input: Input, context: CheckContext): unknown
  reconcile?: Once<Input>['reconcile']
  readonly hostInput?: Readonly<Record<string, (context: CheckContext) => unknown>>
  /** Names of what must not be changed by two calls at once. */
  locks?(input: Input): readonly string[]
}
