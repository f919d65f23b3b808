import type { RunModes } from './approval.js'
import type { Mode } from './events.js'

export const modesOf = ({ allow, readOnly, askAll }: RunModes): RunModes => ({
  ...(allow && { allow }),
  ...(readOnly && { readOnly }),
  ...(askAll && { askAll }),
})

/** Whether a request for the call may leave: also one more for a call that was started before the page forbade it. */
export const maySend = (
  { allow, readOnly }: RunModes,
  call: { readonly toolName: string; readonly mode?: Mode },
): boolean => !(readOnly && call.mode === 'write') && (!allow || allow.includes(call.toolName))
